import { toJson } from "@bufbuild/protobuf";
import { timestampFromMs, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { actorName } from "#lib/people/actor-name.ts";
import { zoneOf } from "#lib/time/clock.svelte.ts";
import type { EventAnswer, Project, TrackedError } from "#lib/messages.ts";
import { oldestTime } from "#lib/time/last-seen.ts";
import { errorPeriods, periodHours } from "#lib/charts/period.ts";
import { oneOf } from "#lib/preferences/preferences.ts";
import { route } from "#lib/navigation/route.ts";
import { deploysWithin } from "#lib/server/deploys-within.ts";
import { eventQuery } from "#lib/server/event-query.ts";
import { panelData } from "#lib/server/plugins/answers.ts";
import { failedInPlace, shownFailure } from "#lib/server/refused-in-place.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import { timeBoundNote } from "#lib/server/time-bound-note.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = async (request) => {
  const { parent, params, url, locals } = request;
  const above = parent();
  const asked = { projectPath: params.project, errorId: params.id };
  const period = oneOf(errorPeriods, url.searchParams.get("period"));
  const event = url.searchParams.get("event") ?? "latest";
  const q = eventQuery(url);
  const finding = failedInPlace(eventOf(locals.api, asked, { which: event, q }));
  const shownEvent = async () => (await finding).answer?.answer?.event;
  const panelsOf = async () => {
    const { project, plugins } = await above;
    return panelData(request, { project, errorId: params.id, event: shownEvent, plugins });
  };
  const [{ project, statusChangedRelease, staleSinceTime }, stats, found, cameBack, deploys, panels] =
    await Promise.all([
      above,
      failedInPlace(locals.api.errors.getErrorStats({ ...asked, hourCount: periodHours[period] })),
      finding,
      above.then(({ error }) => failedInPlace(returnOf(locals.api, error))),
      deploysWithin(locals.api, { projectPath: params.project, hourCount: periodHours[period] }),
      panelsOf(),
    ]);
  const shown = found.answer?.answer?.event;
  const refusal = found.refusal ?? stats.refusal;
  return {
    period,
    q: found.answer?.isUnmatched === true ? "" : q,
    unmatched: found.answer?.isUnmatched === true ? q : "",
    stats: stats.answer,
    deploys,
    panels,
    answer: found.answer?.answer ?? null,
    permalink: shown && route.errorDetails(project.path, params.id, { event: shown.eventId, period }),
    cameBack: cameBack.answer ? { ...cameBack.answer, resolvedRelease: statusChangedRelease } : null,
    timeNote: timeBoundNote(shown, zoneOf(locals.preferences)),
    keyAddress: keyAddress(project, shown),
    missingEvent: found.answer?.missingEvent ?? null,
    notShown: refusal,
    failure: await shownFailure(locals.api, project, refusal),
    staleSinceTime: oldestTime(staleSinceTime, stats.answer?.staleSinceTime, found.answer?.answer?.staleSinceTime),
  };
};

/** The number of events to search for the first event after a resolution. */
const returningEvents = 100;

/** The number of activity entries to search for the resolution: a deletion and its undo can be above it. */
const newestEntries = 10;

/**
 * How a reopened error came back: the last event before it was resolved, who resolved it, and the first event after
 * that.
 */
async function returnOf(api: Api, error: TrackedError | null) {
  if (error?.status !== "ERROR_STATUS_UNRESOLVED") return null;
  const { projectId, errorId, statusChangedTime: resolvedTime, reopenedTime } = error;
  if (resolvedTime === undefined || reopenedTime === undefined) return null;
  const until = toJson(TimestampSchema, timestampFromMs(Date.parse(reopenedTime) + 1));
  const [before, after, { entries }] = await Promise.all([
    api.errors.listEvents({ projectId, errorId, pageSize: 1, endTime: resolvedTime }),
    api.errors.listEvents({ projectId, errorId, pageSize: returningEvents, startTime: resolvedTime, endTime: until }),
    api.activity.listErrorActivity({ projectId, errorId, pageSize: newestEntries }),
  ]);
  const first = after.nextPageToken === "" ? after.events.at(-1) : undefined;
  const resolvedBy = actorName(entries.find(({ time }) => time === resolvedTime)?.actor ?? "");
  return { resolvedTime, resolvedBy, reopenedTime, releaseBefore: before.events[0]?.release ?? "", first };
}

/** The page of the client key of an event, for people who may see it. */
function keyAddress({ path, capabilities }: Project, event: EventAnswer["event"]): string | undefined {
  if (event === undefined || event.clientKeyId === 0) return undefined;
  return capabilities?.adminErrorTracking?.allowed === true ? route.clientKey(path, event.clientKeyId) : undefined;
}

/** The event in an address. If no event matches the search, the event is shown without the search. */
async function eventOf(
  api: Api,
  error: { projectPath: string; errorId: string },
  { which, q }: { which: string; q: string },
) {
  const position = which === "oldest" ? ("EVENT_POSITION_OLDEST" as const) : ("EVENT_POSITION_NEWEST" as const);
  const named = which !== "latest" && which !== "oldest";
  try {
    const asked = { ...error, ...(named ? { eventId: which } : { position }) };
    const matching = q === "" || named ? undefined : await firstMatching(api, { ...asked, query: q });
    const isUnmatched = matching === null;
    const answer = matching ?? (await api.errors.getEvent({ ...asked, ...(named && { query: q }) }));
    return { answer: withoutPayload(answer), missingEvent: null, isUnmatched };
  } catch (failure) {
    const { reason } = refusalOfTrpc(failure);
    if (reason !== "EVENT_NOT_FOUND" && reason !== "INVALID_FIELD") throw failure;
    return { answer: null, isUnmatched: false, missingEvent: named ? ("named" as const) : ("all" as const) };
  }
}

/** Null if no event matches. */
async function firstMatching(api: Api, asked: Parameters<Api["errors"]["getEvent"]>[0]) {
  return api.errors.getEvent(asked).catch((failure: unknown) => {
    if (refusalOfTrpc(failure).reason === "EVENT_NOT_FOUND") return null;
    throw failure;
  });
}

/** The sent form of an event can be large. The page fetches it on demand. */
function withoutPayload(answer: EventAnswer): EventAnswer {
  return answer.event === undefined ? answer : { ...answer, event: { ...answer.event, payloadJson: "" } };
}

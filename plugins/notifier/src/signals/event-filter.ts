import { type Host, millisecondsOf, readErrors, readSearch, timestamp } from "@faultline/plugin";
import { isAboutEvents, printSearch } from "@faultline/plugin/search";
import { ErrorService, EventPosition, NotificationTrigger } from "@faultline/proto";
import type { SignalRow } from "../tables.ts";
import { detailOf } from "../signal-detail.ts";
import { termsBeside } from "./new-values.ts";
import { isAboutProject, isMadeByEvent } from "../kinds.ts";

type Change = Pick<SignalRow, "id" | "notification_trigger" | "error_id" | "happened_at" | "detail">;

interface Asked {
  readonly projectId: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The ids of the changes that match a filter. If an event made the change, terms about events apply to that event:
 * `environment:production` finds every error that was ever seen there, but an error that reappears in staging does not
 * concern production. If the change is a new value of an error, the terms that the value does not meet by itself apply
 * to the error. For all other changes, the terms apply to their error.
 */
export async function matchingChanges(
  host: Pick<Host, "invoke">,
  { filter, changes, ...asked }: Asked & { filter: string; changes: readonly Change[] },
): Promise<ReadonlySet<number>> {
  const ofErrors = changes.filter((change) => !isAboutProject(change.notification_trigger));
  const byValue = ofErrors.filter((change) => detailOf(change).value);
  const [byEvent, byError] = [
    ofErrors.filter((change) => isMadeByEvent(change.notification_trigger) && !byValue.includes(change)),
    ofErrors.filter((change) => !isMadeByEvent(change.notification_trigger)),
  ];
  const terms = readSearch(filter);
  const aboutEvents = printSearch(terms.filter(isAboutEvents));
  const aboutErrors = printSearch(terms.filter((term) => !isAboutEvents(term)));
  const ids = new Set<number>();
  const byErrorFound = await errorsOf(host, { ...asked, changes: byError, query: filter });
  for (const { id, error_id: errorId } of byError) if (byErrorFound.has(errorId)) ids.add(id);
  const queries = Map.groupBy(byValue, (change) => {
    const { value } = detailOf(change);
    return value ? printSearch(termsBeside(filter, value)) : filter;
  });
  for (const [query, own] of queries) {
    const found = await errorsOf(host, { ...asked, changes: own, query });
    for (const { id, error_id: errorId } of own) if (found.has(errorId)) ids.add(id);
  }
  const byEventFound = await errorsOf(host, { ...asked, changes: byEvent, query: aboutErrors });
  for (const change of byEvent) {
    if (!byEventFound.has(change.error_id)) continue;
    if (aboutEvents === "" || (await isMadeByMatch(host, { ...asked, change, query: aboutEvents }))) ids.add(change.id);
  }
  return ids;
}

async function errorsOf(
  host: Pick<Host, "invoke">,
  { projectId, signal, changes, query }: Asked & { changes: readonly Change[]; query: string },
): Promise<ReadonlyMap<string, unknown>> {
  const errorIds = changes.map(({ error_id: id }) => id);
  return errorIds.length === 0 ? new Map() : readErrors(host, { projectId, errorIds, query }, signal);
}

const eventsLookedAt = 100;

async function isMadeByMatch(
  { invoke }: Pick<Host, "invoke">,
  { projectId, signal, change, query }: Asked & { change: Change; query: string },
): Promise<boolean> {
  const event = await eventOf({ invoke }, { projectId, signal, change });
  if (!event) return false;
  const time = { startTime: timestamp(event.at), endTime: timestamp(event.at + 1) };
  const asked = { projectId, errorId: change.error_id, query, ...time, pageSize: eventsLookedAt };
  const { events } = await invoke(ErrorService.method.listEvents, asked, signal);
  return events.some(({ eventId }) => eventId === event.id);
}

/** The first event of a new error. For a reopened error, the newest event that had been received by then. */
async function eventOf(
  { invoke }: Pick<Host, "invoke">,
  { projectId, signal, change }: Asked & { change: Change },
): Promise<{ id: string; at: number } | undefined> {
  const of = { projectId, errorId: change.error_id };
  if (change.notification_trigger !== NotificationTrigger.REOPENED) {
    const { event } = await invoke(ErrorService.method.getEvent, { ...of, position: EventPosition.OLDEST }, signal);
    return event?.occurredTime && { id: event.eventId, at: millisecondsOf(event.occurredTime) };
  }
  const endTime = timestamp(change.happened_at + 60_000); // an event occurs before its receipt, apart from clock skew
  const asked = { ...of, endTime, pageSize: eventsLookedAt };
  const { events } = await invoke(ErrorService.method.listEvents, asked, signal);
  const known = events.flatMap(({ eventId, occurredTime, receivedTime }) =>
    occurredTime && receivedTime
      ? [{ id: eventId, at: millisecondsOf(occurredTime), receivedAt: millisecondsOf(receivedTime) }]
      : [],
  );
  return known
    .filter(({ receivedAt }) => receivedAt <= change.happened_at)
    .toSorted((one, other) => other.receivedAt - one.receivedAt)[0];
}

import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { toJson } from "@bufbuild/protobuf";
import { oldestTime } from "#lib/time/last-seen.ts";
import { eventQuery } from "#lib/server/event-query.ts";
import { failedInPlace, shownFailure } from "#lib/server/refused-in-place.ts";
import type { PageServerLoad } from "./$types";

const pageSize = 50;
const hourMs = 3_600_000;

export const load: PageServerLoad = async ({ parent, params, url, locals }) => {
  const from = Date.parse(url.searchParams.get("from") ?? "");
  const hours = Math.min(Math.max(Number(url.searchParams.get("hours") ?? 1) || 1, 1), 2160);
  const range = Number.isNaN(from) ? null : { from, hours };
  const cursor = url.searchParams.get("cursor") ?? "";
  const q = eventQuery(url);
  const asked = {
    projectPath: params.project,
    errorId: params.id,
    pageSize,
    pageToken: cursor,
    userNames: true,
    query: q,
    ...(range === null
      ? {}
      : { startTime: timeJson(range.from), endTime: timeJson(range.from + range.hours * hourMs) }),
  };
  const [{ project, staleSinceTime }, { answer, refusal }] = await Promise.all([
    parent(),
    failedInPlace(locals.api.errors.listEvents(asked)),
  ]);
  return {
    events: answer?.events ?? null,
    nextPageToken: answer?.nextPageToken ?? "",
    examinedCount: answer?.examinedCount ?? 0,
    q,
    range,
    cursor,
    notShown: refusal,
    failure: await shownFailure(locals.api, project, refusal),
    staleSinceTime: oldestTime(staleSinceTime, answer?.staleSinceTime),
  };
};

const timeJson = (time: number) => toJson(TimestampSchema, timestampFromMs(time));

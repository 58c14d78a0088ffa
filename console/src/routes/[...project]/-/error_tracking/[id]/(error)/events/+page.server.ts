import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { toJson } from "@bufbuild/protobuf";
import type { PageServerLoad } from "./$types";

const pageSize = 50;
const hourMs = 3_600_000;

export const load: PageServerLoad = async ({ parent, params, url, locals }) => {
  const { project } = await parent();
  const from = Date.parse(url.searchParams.get("from") ?? "");
  const hours = Math.min(Math.max(Number(url.searchParams.get("hours") ?? 1) || 1, 1), 2160);
  const range = Number.isNaN(from) ? null : { from, hours };
  const cursor = url.searchParams.get("cursor") ?? "";
  const page = await locals.api.errors.events({
    projectId: project.projectId,
    errorId: params.id,
    pageSize,
    pageToken: cursor,
    ...(range === null
      ? {}
      : { startTime: timeJson(range.from), endTime: timeJson(range.from + range.hours * hourMs) }),
  });
  return { events: page.events, nextPageToken: page.nextPageToken, range, cursor };
};

const timeJson = (time: number) => toJson(TimestampSchema, timestampFromMs(time));

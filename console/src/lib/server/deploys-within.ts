import { toJson } from "@bufbuild/protobuf";
import { timestampFromMs, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { Deploy } from "#lib/messages.ts";
import { startOfHour } from "#lib/time/last-seen.ts";
import type { Api } from "./trpc/caller.ts";

const hourMs = 3_600_000;

/** The deploys that a chart marks. */
const mostMarked = 100;

/** The newest deploys within this many hours, ending with the running hour, of one release or of all. */
export async function deploysWithin(
  api: Api,
  { projectPath, hourCount, version = "" }: { projectPath: string; hourCount: number; version?: string },
): Promise<Deploy[]> {
  const startTime = toJson(TimestampSchema, timestampFromMs(startOfHour(Date.now()) - (hourCount - 1) * hourMs));
  const asked = { projectPath, version, startTime, pageSize: mostMarked };
  return (await api.releaseRecords.listDeploys(asked)).deploys;
}

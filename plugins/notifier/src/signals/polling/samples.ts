import { millisecondsOf } from "@faultline/plugin";
import type { Error as TrackedError } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { Tables } from "../../tables.ts";
import { countedInHours, type Sample } from "../spike.ts";
import { stateOf, type Look } from "./look.ts";

/** The subject of the poll of spikes, whose state is when it looked last. */
export const spikeSubject = "spikes";

/** Longer than the longest window that is counted by samples. */
const samplesKeptMs = 3 * 3_600_000;

/** After a longer pause it begins again, as samples do not show when within the pause the events came. */
const longestPauseMs = 600_000;

/** Notes how many events each error has, where that changed; and forgets what no window reaches. */
export async function sample(look: Look, errors: readonly TrackedError[]) {
  const { host, projectId, now } = look;
  const lookedAt = stateOf<{ at: number }>(look, spikeSubject)?.at;
  // A clock that went back begins again too: what was counted until then would all lie within each window.
  const isRecent = lookedAt !== undefined && lookedAt <= now && now - lookedAt <= longestPauseMs;
  const lastAt = isRecent ? lookedAt : undefined;
  const stored = await host.database
    .read<Tables>()
    .selectFrom("notifier_sample")
    .selectAll()
    .where("project_id", "=", projectId)
    .orderBy("sampled_at")
    .execute();
  const known = Map.groupBy(lastAt === undefined ? [] : stored, (row) => row.error_id);
  const rows: { project_id: number; error_id: string; sampled_at: number; event_count: number }[] = [];
  const samples = new Map<string, readonly Sample[]>();
  for (const error of errors) {
    const before = (known.get(error.errorId) ?? []).map((row) => ({ at: row.sampled_at, count: row.event_count }));
    const taken: Sample[] = [];
    // One that has no sample had no event in the time that samples cover: all of the last two hours are new, unless this is
    // the first look at the project.
    if (before.length === 0) taken.push(firstSample(error, { now, lastAt }));
    if ((before.at(-1) ?? taken[0])?.count !== error.eventCount) taken.push({ at: now, count: error.eventCount });
    samples.set(error.errorId, [...before, ...taken]);
    rows.push(
      ...taken.map(({ at, count }) => ({
        project_id: projectId,
        error_id: error.errorId,
        sampled_at: at,
        event_count: count,
      })),
    );
  }
  return {
    samples,
    async write(transaction: Kysely<Tables>) {
      const old = transaction.deleteFrom("notifier_sample").where("project_id", "=", projectId);
      await (lastAt === undefined ? old : old.where("sampled_at", "<", now - samplesKeptMs)).execute();
      for (let start = 0; start < rows.length; start += 100) {
        await transaction
          .insertInto("notifier_sample")
          .values(rows.slice(start, start + 100))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    },
  };
}

function firstSample(
  { eventCount, hourlyCounts, firstSeenTime }: TrackedError,
  { now, lastAt }: { now: number; lastAt: number | undefined },
): Sample {
  if (lastAt === undefined) return { at: now, count: eventCount };
  const isNew = firstSeenTime !== undefined && millisecondsOf(firstSeenTime) > lastAt - samplesKeptMs;
  return { at: lastAt, count: isNew ? 0 : Math.max(0, eventCount - countedInHours(hourlyCounts, 2)) };
}

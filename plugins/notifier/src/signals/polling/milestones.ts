import { millisecondsOf, timestamp } from "@faultline/plugin";
import { ErrorService, ErrorStatus, NotificationTrigger, type Error as TrackedError } from "@faultline/proto";
import type { NewSignal } from "../../signal-detail.ts";
import { stateOf, type Found, type Look, type Poll } from "./look.ts";
import { countedInHours } from "../spike.ts";
import type { MilestoneRow, Tables } from "../../tables.ts";

const subject = "milestones";
const smallest = 10;

/** The tenth, hundredth, ... event of an error. The state is the time of the first look. */
export const milestonePoll: Poll = { triggers: [NotificationTrigger.MILESTONE], look: lookForMilestones };

async function lookForMilestones(look: Look): Promise<Found> {
  const { host, projectId, now } = look;
  const { errors } = await look.seenErrors();
  const isFirst = stateOf(look, subject) === undefined;
  const tables = host.database.read<Tables>();
  const rows = await tables.selectFrom("notifier_milestone").selectAll().where("project_id", "=", projectId).execute();
  const known = new Map(rows.map((row) => [row.error_id, row]));
  const signals: NewSignal[] = [];
  const changed: MilestoneRow[] = [];
  for (const error of errors) {
    const row = known.get(error.errorId);
    const reopenedAt = error.reopenedTime ? millisecondsOf(error.reopenedTime) : (row?.reopened_at ?? 0);
    // An error with fewer events has passed no power, and needs no row until then.
    if (!row && reopenedAt === 0 && error.eventCount < smallest) continue;
    const { progress, report } = stepMilestone(
      row && { base: row.base_count, reopenedAt: row.reopened_at, reached: row.reached },
      {
        count: error.eventCount,
        reopenedAt,
        sinceReopened: reopenedAt === (row?.reopened_at ?? 0) ? 0 : await eventsSince(look, error, reopenedAt),
        earlier: isFirst ? error.eventCount : error.eventCount - countedInHours(error.hourlyCounts, 2),
      },
    );
    const { base, reached } = progress;
    if (!row || row.base_count !== base || row.reached !== reached || row.reopened_at !== reopenedAt) {
      const of = { project_id: projectId, error_id: error.errorId };
      changed.push({ ...of, base_count: base, reopened_at: reopenedAt, reached, seen_at: now });
    }
    if (report === undefined) continue;
    signals.push({
      project_id: projectId,
      error_id: error.errorId,
      notification_trigger: NotificationTrigger.MILESTONE,
      status: ErrorStatus.UNRESOLVED,
      happened_at: now,
      detail: { milestone: report },
    });
  }
  return {
    signals,
    ...(isFirst && { states: new Map([[subject, { since: now }]]) }),
    async write(transaction) {
      for (const row of changed) {
        const { base_count, reopened_at, reached, seen_at } = row;
        await transaction
          .insertInto("notifier_milestone")
          .values(row)
          .onConflict((conflict) =>
            conflict.columns(["project_id", "error_id"]).doUpdateSet({ base_count, reopened_at, reached, seen_at }),
          )
          .execute();
      }
    },
  };
}

const eventsAtOnce = 100;

/** The events since an error was reopened, at most some minutes before this look; at most 100. */
async function eventsSince({ host, projectId, signal }: Look, error: TrackedError, since: number): Promise<number> {
  const asked = { projectId, errorId: error.errorId, startTime: timestamp(since - 60_000), pageSize: eventsAtOnce };
  const { events } = await host.invoke(ErrorService.method.listEvents, asked, signal);
  // Compares the time of receipt, because reopened_time comes from this service's clock, and the time of occurrence
  // from the sender's.
  const after = events.filter(({ receivedTime }) => receivedTime && millisecondsOf(receivedTime) > since - 10_000);
  return Math.max(1, after.length);
}

/** The largest power of ten, from ten, that a count has reached. 0 if there is none. */
export function powerReached(count: number): number {
  let power = 0;
  for (let next = 10; next <= count; next *= 10) power = next;
  return power;
}

/** The progress of an error at the last look. */
export interface Progress {
  readonly base: number;
  readonly reopenedAt: number;
  readonly reached: number;
}

interface MilestoneStep {
  readonly progress: Progress;
  /** The power to report. */
  readonly report?: number;
}

/**
 * One look at an error. If several powers are passed together, the largest is reported. `before` is undefined for an
 * error that is seen for the first time; it then counts from `earlier`.
 */
export function stepMilestone(
  before: Progress | undefined,
  now: {
    readonly count: number;
    readonly reopenedAt: number;
    readonly sinceReopened: number;
    readonly earlier: number;
  },
): MilestoneStep {
  const { count, reopenedAt, sinceReopened, earlier } = now;
  const isReopened = reopenedAt !== (before?.reopenedAt ?? 0);
  const base = isReopened ? count - sinceReopened : (before?.base ?? 0);
  const isFirst = before === undefined;
  const reached = isReopened && !isFirst ? 0 : (before?.reached ?? powerReached(Math.max(0, earlier - base)));
  const power = powerReached(count - base);
  const progress = { base, reopenedAt, reached: Math.max(reached, power) };
  return power > reached ? { progress, report: power } : { progress };
}

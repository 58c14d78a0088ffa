import { timestamp, millisecondsOf } from "@faultline/plugin";
import { ErrorService, ErrorStatus, NotificationTrigger, type Error as TrackedError } from "@faultline/proto";
import type { Kysely } from "kysely";
import { spikeOf, triggersOf } from "../../rule.ts";
import type { NewSignal } from "../../signal-detail.ts";
import { countedInHours, countedSince, sampledMinutes, stepSpike, type Sample, type SpikeLimit } from "../spike.ts";
import { type Found, type Look, type Poll, stateOf } from "./look.ts";
import type { EpisodeRow, Tables } from "../../tables.ts";

/** The subject of the poll of spikes. The state is the time of the last look. */
const spikeSubject = "spikes";

/** Longer than the longest window that is counted by samples. */
const samplesKeptMs = 3 * 3_600_000;

/** The poll begins again after a longer pause, because samples do not show when the events within the pause came. */
const longestPauseMs = 600_000;

/** Stores each event count that changed, by error, and deletes samples older than any window. */
async function sample(look: Look, errors: readonly TrackedError[]) {
  const { host, projectId, now } = look;
  const lookedAt = stateOf<{ at: number }>(look, spikeSubject)?.at;
  // A clock that was set back also begins again, because all earlier counts would be within each window.
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
    // An error without a sample had no event in the time that samples cover: all events of the last two hours are new,
    // unless this is the first look at the project.
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

const eventsAtOnce = 100;

/** The maximum number of events in which distinct users are counted. */
const mostEvents = 2_000;

/** Spikes of errors. The state is the time of the last look. */
export const spikePoll: Poll = { triggers: [NotificationTrigger.SPIKE], look: lookForSpikes };

async function lookForSpikes(look: Look): Promise<Found> {
  const { host, projectId, rules, now, isMaintenance } = look;
  const limits = rules.flatMap((rule) => {
    const limit = triggersOf(rule).includes(NotificationTrigger.SPIKE) ? spikeOf(rule) : undefined;
    return limit ? [{ ruleId: rule.id, limit }] : [];
  });
  const { errors, isCut } = await look.seenErrors();
  const tables = host.database.read<Tables>();
  const episodes = await tables
    .selectFrom("notifier_episode")
    .selectAll()
    .where("project_id", "=", projectId)
    .execute();
  const sampling = await sample(look, errors);
  const signals: NewSignal[] = [];
  const changed: Changed[] = [];
  for (const { ruleId, limit } of limits) {
    const open = new Map(episodes.filter((one) => one.rule_id === ruleId).map((one) => [one.error_id, one]));
    const seen = new Map(errors.map((error) => [error.errorId, error]));
    for (const errorId of new Set([...open.keys(), ...seen.keys()])) {
      const error = seen.get(errorId);
      if (!error && isCut) continue; // it may be beyond the errors that were read
      const before = open.get(errorId);
      const counted = error ? await countOf(look, { error, limit, samples: sampling.samples.get(errorId) ?? [] }) : 0;
      const { episode, report } = stepSpike(before, { counted, limit, now, isMaintenance });
      const after = episode && { rule_id: ruleId, error_id: errorId, project_id: projectId, ...episode };
      if (before || after) changed.push({ before, after });
      if (report === undefined) continue;
      const spike = {
        count: report === "over" ? (before?.most ?? 0) : counted,
        unit: limit.unit,
        minutes: limit.minutes,
      };
      signals.push({
        project_id: projectId,
        error_id: errorId,
        notification_trigger: NotificationTrigger.SPIKE,
        status: ErrorStatus.UNRESOLVED,
        happened_at: now,
        rule_id: ruleId,
        detail: { spike, ...(report === "over" && { isOver: true as const }) },
      });
    }
  }
  return {
    signals,
    states: new Map([[spikeSubject, { at: now }]]),
    async write(transaction) {
      for (const one of changed) await writeEpisode(transaction, one);
      await sampling.write(transaction);
    },
  };
}

/** An episode before and after. */
interface Changed {
  readonly before: EpisodeRow | undefined;
  readonly after: EpisodeRow | undefined;
}

async function writeEpisode(tables: Kysely<Tables>, { before, after }: Changed): Promise<void> {
  if (after) {
    const { opened_at, most, below_since, is_announced } = after;
    await tables
      .insertInto("notifier_episode")
      .values(after)
      .onConflict((conflict) =>
        conflict.columns(["rule_id", "error_id"]).doUpdateSet({ opened_at, most, below_since, is_announced }),
      )
      .execute();
  } else if (before) {
    await tables
      .deleteFrom("notifier_episode")
      .where("rule_id", "=", before.rule_id)
      .where("error_id", "=", before.error_id)
      .execute();
  }
}

async function countOf(
  look: Look,
  { error, limit, samples }: { error: TrackedError; limit: SpikeLimit; samples: readonly Sample[] },
): Promise<number> {
  const since = look.now - limit.minutes * 60_000;
  const events =
    limit.minutes > sampledMinutes
      ? countedInHours(error.hourlyCounts, limit.minutes / 60)
      : countedSince(samples, { count: error.eventCount, since });
  // Distinct users cannot exceed events, so fewer events than the limit need no count of users.
  return limit.unit === "events" || events < limit.count ? events : usersOf(look, error.errorId, { since, limit });
}

/** Distinct users of an error since a time, counted up to the limit. */
async function usersOf(
  { host, projectId, signal }: Look,
  errorId: string,
  { since, limit }: { since: number; limit: SpikeLimit },
): Promise<number> {
  const users = new Set<string>();
  let pageToken = "";
  for (let read = 0; read < mostEvents && users.size < limit.count; read += eventsAtOnce) {
    const asked = { projectId, errorId, startTime: timestamp(since), pageSize: eventsAtOnce, pageToken };
    const { events, nextPageToken } = await host.invoke(ErrorService.method.listEvents, asked, signal);
    for (const { user } of events) if (user !== "") users.add(user);
    pageToken = nextPageToken;
    if (pageToken === "") break;
  }
  return users.size;
}

import { timestamp } from "@faultline/plugin";
import { ErrorService, ErrorStatus, NotificationTrigger, type Error as TrackedError } from "@faultline/proto";
import type { Kysely } from "kysely";
import { spikeOf, triggersOf } from "../../rules/rule.ts";
import type { Tables } from "../../tables.ts";
import type { EpisodeRow } from "./tables.ts";
import type { NewSignal } from "../detail.ts";
import { countedInHours, countedSince, sampledMinutes, stepSpike, type Sample, type SpikeLimit } from "../spike.ts";
import type { Found, Look, Poll } from "./look.ts";
import { sample, spikeSubject } from "./samples.ts";

const eventsAtOnce = 100;

/** Events of which distinct users are counted. */
const mostEvents = 2_000;

/** Spikes of errors. Its state is when it looked last. */
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
      if (!error && isCut) continue; // it may be beyond those that were read
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

/** An episode as it was and is. */
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
  // Fewer events than users are asked for cannot have as many users.
  return limit.unit === "events" || events < limit.count ? events : usersOf(look, error.errorId, { since, limit });
}

/** Distinct users of an error since a time, as far as the limit needs. */
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

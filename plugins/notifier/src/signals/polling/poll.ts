import type { Host } from "@faultline/plugin";
import { FairQueue } from "@faultline/plugin/flow";
import { Backend, ProjectService } from "@faultline/proto";
import { inMaintenance } from "../../maintenance/maintenance.ts";
import { triggersOf } from "../../rules/rule.ts";
import type { RuleRow, Tables } from "../../tables.ts";
import { rowOf } from "../detail.ts";
import { backendPoll } from "./backend.ts";
import { channelPoll } from "./channels.ts";
import { externalErrorPoll } from "./external-errors.ts";
import type { Found, Look, Poll } from "./look.ts";
import { milestonePoll } from "./milestones.ts";
import { quotaPoll } from "./quotas.ts";
import { refusalPoll } from "./refusals.ts";
import { readSeenErrors } from "./seen-errors.ts";
import { spikePoll } from "./spikes.ts";

const minuteMs = 60_000;

/** Projects that are looked at together, and those of them that took long the last time. */
const projectsAtOnce = 8;
const slowAtOnce = 4;

/** A look that takes longer makes its project slow; an external system may take many seconds. */
const quickMs = 1_000;

/** Slow projects whose turn has not come by then are the first in the next minute, so that the others are looked at each minute. */
const runMs = 45_000;

const polls: readonly Poll[] = [
  spikePoll,
  milestonePoll,
  refusalPoll,
  quotaPoll,
  backendPoll,
  channelPoll,
  externalErrorPoll,
];

/**
 * Looks once a minute at what no transition reports: counts, outcomes, limits, external systems and channels. Projects whose
 * rules ask for none of it cost one query. Projects that took long the last time come after the others, as many as fit into the
 * minute. One process of the installation at a time does it; it reads what the services keep anyway, so that storing an event
 * writes nothing for it.
 */
export function pollTriggers(host: Host): (signal: AbortSignal) => Promise<void> {
  let polledAt = -Infinity;
  /** When the slow ones were looked at, by project. */
  let slow: ReadonlyMap<number, number> = new Map();
  return async (signal) => {
    const now = host.clock.now();
    if (Math.abs(now - polledAt) < minuteMs) return; // either way: a clock that went back does not stop it
    polledAt = now;
    const rules = await host.database
      .read<Tables>()
      .selectFrom("notifier_rule")
      .selectAll()
      .where("is_enabled", "=", 1)
      .execute();
    const nowSlow = new Map<number, number>();
    const late = AbortSignal.timeout(runMs);
    const most = (owner: string) => (owner === "slow" ? slowAtOnce : 1);
    const queue = new FairQueue({ atOnce: projectsAtOnce, ofOwner: most });
    const projects = [...Map.groupBy(rules, (rule) => rule.project_id)].toSorted(
      ([one], [other]) => (slow.get(one) ?? 0) - (slow.get(other) ?? 0),
    );
    const looks = projects.map(([projectId, ofProject]) => {
      const lookedAt = slow.get(projectId);
      const isSlow = lookedAt !== undefined;
      const owners = [`project ${projectId}`, ...(isSlow ? ["slow"] : [])] as const;
      const look = queue.run({ owners, isAhead: !isSlow, signal: isSlow ? late : signal }, async () => {
        if (signal.aborted) return;
        const begunAt = performance.now();
        await lookAtProject(host, { projectId, rules: ofProject, now, signal }).catch(failed(host, projectId, signal));
        if (performance.now() - begunAt > quickMs) nowSlow.set(projectId, now);
      });
      return look.catch(() => void nowSlow.set(projectId, lookedAt ?? now)); // its turn did not come
    });
    await Promise.all(looks);
    slow = nowSlow;
  };
}

async function lookAtProject(
  host: Host,
  of: { projectId: number; rules: readonly RuleRow[]; now: number; signal: AbortSignal },
): Promise<void> {
  const { projectId, rules, now, signal } = of;
  const { invoke } = host;
  const wanted = new Set(rules.flatMap(triggersOf));
  const due = polls.filter(({ triggers }) => triggers.some((one) => wanted.has(one)));
  if (due.length === 0) return;
  const backend = await invoke(ProjectService.method.getProject, { key: { case: "projectId", value: projectId } }).then(
    ({ project }) => project?.backend ?? Backend.UNSPECIFIED,
    () => undefined, // it was deleted
  );
  if (backend === undefined) return;
  let seen: ReturnType<Look["seenErrors"]> | undefined;
  const look: Look = {
    host,
    projectId,
    backend,
    rules,
    now,
    isMaintenance: await inMaintenance(host.database.read(), projectId, now),
    states: await statesOf(host, projectId),
    seenErrors: () => (seen ??= readSeenErrors(host, { projectId, now, signal })),
    signal,
  };
  const found: Found[] = [];
  for (const poll of due) {
    const one = await poll.look(look).catch(failed(host, projectId, signal));
    if (one) found.push(one);
  }
  await write(host, projectId, found);
}

/** What fails, such as an external system that does not answer, is looked at in a minute again, and holds up nothing else. */
const failed =
  ({ log }: Host, projectId: number, signal: AbortSignal) =>
  (failure: unknown): undefined => {
    if (!signal.aborted) log.warn({ err: failure, projectId }, "a project could not be checked for notifications");
  };

async function statesOf({ database }: Host, projectId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await database
    .read<Tables>()
    .selectFrom("notifier_poll")
    .select(["subject", "state"])
    .where("project_id", "=", projectId)
    .execute();
  return new Map(rows.map(({ subject, state }) => [subject, state]));
}

/** Writes signals and what they followed from together. */
async function write({ database }: Host, projectId: number, found: readonly Found[]): Promise<void> {
  if (found.every(({ signals, states, write: more }) => signals.length === 0 && !states?.size && !more)) return;
  await database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      for (const { signals, states, write: more } of found) {
        if (signals.length > 0) await transaction.insertInto("notifier_signal").values(signals.map(rowOf)).execute();
        for (const [subject, state] of states ?? []) {
          if (state === undefined) {
            await transaction
              .deleteFrom("notifier_poll")
              .where("project_id", "=", projectId)
              .where("subject", "=", subject)
              .execute();
            continue;
          }
          const text = JSON.stringify(state);
          await transaction
            .insertInto("notifier_poll")
            .values({ project_id: projectId, subject, state: text })
            .onConflict((conflict) => conflict.columns(["project_id", "subject"]).doUpdateSet({ state: text }))
            .execute();
        }
        await more?.(transaction);
      }
    });
}

import { type Host, dayMs, millisecondsOf, ServiceError } from "@faultline/plugin";
import { FairQueue } from "@faultline/plugin/flow";
import {
  Backend,
  ProjectService,
  ErrorService,
  ErrorSort,
  ErrorStatus,
  type Error as TrackedError,
  NotificationTrigger,
  QuotaService,
} from "@faultline/proto";
import { inMaintenance } from "../../maintenance.ts";
import { triggersOf } from "../../rule.ts";
import type { RuleRow, Tables } from "../../tables.ts";
import { rowOf, type NewSignal } from "../../signal-detail.ts";
import { channelPoll } from "./channels.ts";
import { externalErrorPoll } from "./external-errors.ts";
import { type Found, type Look, type Poll, type SeenErrors, stateOf, nothing } from "./look.ts";
import { milestonePoll } from "./milestones.ts";
import { refusalPoll } from "./refusals.ts";
import { spikePoll } from "./spikes.ts";

/** The consecutive failures, and their duration, before they are reported. */
const failuresReported = 3;
const failingMs = 5 * 60_000;

/** Consecutive failures of an external system. */
export interface Failures {
  readonly count: number;
  readonly since: number;
  /** 1 if they were reported, otherwise 0. */
  readonly isReported: 0 | 1;
}

/** The report to make, and the state after one call. The state is undefined if the system answers. */
export function stepFailures(
  before: Failures | undefined,
  { isFailure, now }: { isFailure: boolean; now: number },
): { readonly failures: Failures | undefined; readonly report?: "failing" | "recovered" } {
  if (!isFailure) return { failures: undefined, ...(before?.isReported === 1 && { report: "recovered" as const }) };
  // A clock that was set back restarts the duration.
  const since = Math.min(before?.since ?? now, now);
  const count = (before?.count ?? 0) + 1;
  if (before?.isReported === 1) return { failures: { count, since, isReported: 1 } };
  const isReported = count >= failuresReported && now - since >= failingMs;
  return {
    failures: { count, since, isReported: isReported ? 1 : 0 },
    ...(isReported && { report: "failing" as const }),
  };
}

const backendSubject = "backend";

/** The external system of a project. The state counts its consecutive failures. */
const backendPoll: Poll = { triggers: [NotificationTrigger.BACKEND_FAILING], look: lookAtBackend };

async function lookAtBackend(look: Look): Promise<Found> {
  const { host, projectId, backend, now, signal } = look;
  if (backend !== Backend.EXTERNAL) return nothing;
  const reason = await host.invoke(ErrorService.method.listErrors, { projectId, pageSize: 1 }, signal).then(
    ({ staleSinceTime }) => (staleSinceTime ? "It cannot be reached." : ""),
    (failure: unknown) => {
      if (failure instanceof ServiceError) return failure.message;
      throw failure;
    },
  );
  const before = stateOf<Failures>(look, backendSubject);
  const { failures, report } = stepFailures(before, { isFailure: reason !== "", now });
  return {
    signals:
      report === undefined
        ? []
        : [
            {
              project_id: projectId,
              error_id: "",
              notification_trigger: NotificationTrigger.BACKEND_FAILING,
              status: ErrorStatus.UNSPECIFIED,
              happened_at: now,
              detail: {
                failing: { since: (failures ?? before)?.since ?? now, reason },
                ...(report === "recovered" && { isOver: true as const }),
              },
            },
          ],
    ...((before || failures) && { states: new Map([[backendSubject, failures]]) }),
  };
}

/** The used part of a limit: 0 below 80 %, 80, or 100. */
type QuotaLevel = 0 | 80 | 100;

/** The last report about a limit. */
export interface QuotaState {
  readonly level: QuotaLevel;
  /** The day of the report, in milliseconds since 1970. 0 for kept bytes, which have no day. */
  readonly day: number;
}

/** Kept bytes are reported once until they fall below this, so that small changes around a limit are not reported. */
const restPercent = 70;

/**
 * One look at a limit. Each level is reported once a day, or once until the use has fallen. A limit of 0 means no
 * limit.
 */
export function stepQuota(
  before: QuotaState | undefined,
  { bytes, limitBytes, day }: { bytes: number; limitBytes: number; day: number },
): { readonly state: QuotaState; readonly report?: 80 | 100 } {
  const percent = limitBytes === 0 ? 0 : (100 * bytes) / limitBytes;
  const level: QuotaLevel = percent >= 100 ? 100 : percent >= 80 ? 80 : 0;
  const isOver = before !== undefined && (before.day === day ? percent < restPercent : before.day < day);
  const reported = before === undefined || isOver ? 0 : before.level;
  if (level > reported && level !== 0) return { state: { level, day }, report: level };
  return { state: { level: reported, day: before?.day !== undefined && !isOver ? before.day : day } };
}

const { QUOTA_NEAR, QUOTA_REACHED } = NotificationTrigger;

/** The limits of a project. The states hold the last report about each limit. */
const quotaPoll: Poll = { triggers: [QUOTA_NEAR, QUOTA_REACHED], look: lookAtQuota };

async function lookAtQuota(look: Look): Promise<Found> {
  const { host, projectId, now, signal } = look;
  const { quota } = await host.invoke(QuotaService.method.getQuota, { projectId }, signal);
  if (!quota) return { signals: [] };
  const { dayBytes, dayLimitBytes, keptBytes, keptLimitBytes } = quota;
  const limits = [
    { of: "day", bytes: Number(dayBytes), limitBytes: Number(dayLimitBytes), day: now - (now % dayMs) },
    { of: "kept", bytes: Number(keptBytes), limitBytes: Number(keptLimitBytes), day: 0 },
  ] as const;
  const signals: NewSignal[] = [];
  const states = new Map<string, object>();
  for (const { of, bytes, limitBytes, day } of limits) {
    const before = stateOf<QuotaState>(look, `quota ${of}`);
    const { state, report } = stepQuota(before, { bytes, limitBytes, day });
    if (before?.level !== state.level || before.day !== state.day) states.set(`quota ${of}`, state);
    if (report === undefined) continue;
    signals.push({
      project_id: projectId,
      error_id: "",
      notification_trigger: report === 100 ? QUOTA_REACHED : QUOTA_NEAR,
      status: ErrorStatus.UNSPECIFIED,
      happened_at: now,
      detail: { quota: { of, bytes, limitBytes } },
    });
  }
  return { signals, states };
}

const minuteMs = 60_000;

/** Projects that are checked concurrently, and the number of slow projects among them. */
const projectsAtOnce = 8;
const slowAtOnce = 4;

/** A longer look makes its project slow. An external system may take many seconds. */
const quickMs = 1_000;

/**
 * Slow projects that have had no turn by then are first in the next minute, so that the others are checked each minute.
 */
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
 * Checks once a minute the facts that no transition reports: counts, outcomes, limits, external systems and channels.
 * Projects without rules for any of these cost one query. Projects that were slow last time come after the others, if
 * they fit into the minute. Only one process of the installation does it at a time. It reads data that the services
 * keep anyway, so that storing an event writes nothing for it.
 */
export function pollTriggers(host: Host): (signal: AbortSignal) => Promise<void> {
  let polledAt = -Infinity;
  /** The times of the last looks at slow projects, by project. */
  let slow: ReadonlyMap<number, number> = new Map();
  return async (signal) => {
    const now = host.clock.now();
    if (Math.abs(now - polledAt) < minuteMs) return; // absolute, because a clock may be set back
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

/**
 * A failed look, for example because an external system does not answer, is repeated in a minute and does not delay
 * others.
 */
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

/** Writes signals and the states behind them together. */
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

const pageSize = 100;
const mostPages = 5;

/** Reads the errors that polls look at, at most 500. */
async function readSeenErrors(
  { invoke }: Pick<Host, "invoke">,
  { projectId, now, signal }: { projectId: number; now: number; signal: AbortSignal },
): Promise<SeenErrors> {
  const errors: TrackedError[] = [];
  const since = now - dayMs;
  let pageToken = "";
  for (let page = 0; page < mostPages; page++) {
    const asked = { projectId, status: ErrorStatus.UNRESOLVED, sort: ErrorSort.LAST_SEEN, pageSize, pageToken };
    const answer = await invoke(ErrorService.method.listErrors, asked, signal);
    if (answer.staleSinceTime) throw new Error("The external system cannot be reached."); // old counts would hide new events
    const recent = answer.errors.filter((error) => error.lastSeenTime && millisecondsOf(error.lastSeenTime) >= since);
    errors.push(...recent);
    pageToken = answer.nextPageToken;
    if (pageToken === "" || recent.length < answer.errors.length) return { errors, isCut: false };
  }
  return { errors, isCut: true };
}

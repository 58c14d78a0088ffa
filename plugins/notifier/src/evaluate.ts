import { type Host, projectPath, readErrors } from "@faultline/plugin";
import { inMaintenance } from "./maintenance.ts";
import { mailable } from "./mail/recipients.ts";
import { projectPlace } from "@faultline/plugin/text";
import { notifyPeople } from "./people/notify-people.ts";
import { personsOf } from "./people/person.ts";
import type { SignalRow, Tables } from "./tables.ts";
import { concerns, decide, repeatMs, type OpenRule } from "./signals/decide.ts";
import { detailOf } from "./signal-detail.ts";
import { matchingChanges } from "./signals/event-filter.ts";
import { metBefore, reportedSince, writeDecisions } from "./signals/decisions.ts";

/** Changes of a project that are decided in one turn. */
const signalsATurn = 100;

/** The dependencies of `evaluateSignals` in addition to the host. */
interface Around {
  readonly baseUrl: () => string;
  readonly sendsMail: boolean;
  /** Called after the commit, with the ids of the people with changed inboxes. */
  readonly onInboxes: (userIds: readonly number[]) => void;
}

/**
 * Decides which notification each pending change triggers, and where it goes. Runs in one process of the installation
 * at a time. Projects take turns of 100 changes. A failed project is tried again next time and does not delay other
 * projects.
 */
export async function evaluateSignals(host: Host, around: Around, signal: AbortSignal): Promise<void> {
  const failures = new Map<number, unknown>();
  while (!signal.aborted) {
    const due = await host.database
      .read<Tables>()
      .selectFrom("notifier_signal")
      .select("project_id")
      .where("done_at", "is", null)
      .where("project_id", "not in", [0, ...failures.keys()]) // PostgreSQL takes no empty list
      .groupBy("project_id")
      .orderBy(({ fn }) => fn.min("id"))
      .execute();
    if (due.length === 0) break;
    for (const { project_id: projectId } of due) {
      if (signal.aborted) return;
      await evaluateProject(host, { projectId, ...around }, signal).catch((failure: unknown) => {
        failures.set(projectId, failure);
      });
    }
  }
  for (const failure of failures.values()) throw failure;
}

async function evaluateProject(host: Host, parts: Around & { projectId: number }, signal: AbortSignal): Promise<void> {
  const { projectId, baseUrl, sendsMail, onInboxes } = parts;
  const read = host.database.read<Tables>();
  const signals = await read
    .selectFrom("notifier_signal")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("done_at", "is", null)
    .orderBy("id")
    .limit(signalsATurn)
    .execute();
  if (signals.length === 0) return; // the project was deleted meanwhile
  const rules = await read
    .selectFrom("notifier_rule")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("is_enabled", "=", 1)
    .execute();
  const errorIds = signals.map(({ error_id: id }) => id).filter((id) => id !== "");
  const path = await projectPath(host, projectId);
  const errors = await readErrors(host, { projectId, errorIds }, signal);
  const open: OpenRule[] = [];
  for (const rule of rules) {
    const { filter } = rule;
    const changes = signals.filter((change) => concerns(rule, change));
    const matching = filter === "" ? undefined : await matchingChanges(host, { projectId, filter, changes, signal });
    open.push({ rule, matching });
  }
  const persons = await personsOf(host, { projectId, errorIds, named: namedIn(signals) });
  const mailed = sendsMail && persons.length > 0 ? await mailable(host, projectId) : undefined;
  const now = host.clock.now();
  const project = projectPlace(path ?? String(projectId), baseUrl());
  const inboxes = await host.database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      const claimed = await transaction
        .updateTable("notifier_signal")
        .set({ done_at: now })
        .where(
          "id",
          "in",
          signals.map(({ id }) => id),
        )
        .where("done_at", "is", null)
        .returning("id")
        .execute();
      const isClaimed = new Set(claimed.map(({ id }) => id));
      const mine = signals.filter(({ id }) => isClaimed.has(id));
      const channels = await transaction
        .selectFrom("notifier_channel")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("user_id", "is", null)
        .execute();
      const reported = await reportedSince(transaction, { channels, errorIds, since: now - repeatMs });
      const met = await metBefore(transaction, { ruleIds: rules.map(({ id }) => id), errorIds });
      const isMaintenance = await inMaintenance(transaction, projectId, now);
      const decisions = decide({
        signals: mine,
        errors,
        rules: open,
        channels,
        reported,
        met,
        project,
        isMaintenance,
        now,
      });
      await writeDecisions(transaction, decisions, now);
      const mail = mailed && { secrets: host.secrets, userIds: mailed, project };
      const changes = { projectId, signals: mine, errors, persons, isMaintenance, mail, now };
      return notifyPeople(transaction, changes);
    });
  if (inboxes.length > 0) onInboxes(inboxes);
}

/** The people whom notices name. */
const namedIn = (signals: readonly SignalRow[]): ReadonlySet<number> =>
  new Set(signals.flatMap((signal) => detailOf(signal).notice?.userIds ?? []));

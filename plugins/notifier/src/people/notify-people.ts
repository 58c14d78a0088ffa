import { startOfHour } from "@faultline/plugin";
import { NotificationSuppressionReason as Reason, type Error as TrackedError } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import { writeEntries, type NewEntry } from "../inbox/new-entries.ts";
import { queueMails, type MailOfChange, type ProjectMail } from "../mail/queue-mails.ts";
import { audienceOf, isNotice } from "../kinds.ts";
import { detailOf } from "../signal-detail.ts";
import { gate } from "../signals/gate.ts";
import type { SignalRow, Tables } from "../tables.ts";
import { decideFor, isForAll, seriousLevels } from "./decide.ts";
import type { Person } from "./person.ts";
import { afterQuietHours } from "./quiet-hours.ts";

/** The same change of the same error reaches a person at most once in this time. */
const repeatMs = 30 * 60_000;

const rowsAtOnce = 500;

/** A new value of an error concerns people if it is the first level at which they are notified. */
function concernsPeople(signal: SignalRow): boolean {
  const { value } = detailOf(signal);
  if (audienceOf(signal) === "channels") return false;
  const isSerious = (level: string) => seriousLevels.has(level);
  return !value || (value.kind === "level" && isSerious(value.value) && !value.earlier.some(isSerious));
}

/** Changes of a project's errors, and the people who may be notified of them. */
export interface PersonalChanges {
  readonly projectId: number;
  readonly signals: readonly SignalRow[];
  readonly errors: ReadonlyMap<string, TrackedError>;
  readonly persons: readonly Person[];
  /** The project is in a maintenance window. */
  readonly isMaintenance: boolean;
  /** Undefined if the installation sends no mail. */
  readonly mail: ProjectMail | undefined;
  readonly now: number;
}

/**
 * Notifies people of new and reopened errors, changes of status and notices of plugins, in the transaction that marks
 * these as done. For each person who asked for it, a change ends as an entry, in an entry that gathers several changes,
 * or in the counts of suppressed changes. Returns the ids of the people with changed inboxes.
 */
export async function notifyPeople(tables: Kysely<Tables>, changes: PersonalChanges): Promise<readonly number[]> {
  const { projectId, errors, persons, isMaintenance, mail, now } = changes;
  const signals = changes.signals.filter(concernsPeople);
  if (persons.length === 0 || signals.length === 0) return [];
  const reported = await reportedSince(tables, changes, now - repeatMs);
  const dueOf = new Map(persons.map((person) => [person.userId, afterQuietHours(person.quietHours, now)]));
  const entries: NewEntry[] = [];
  const mails: MailOfChange[] = [];
  const suppressed = new Suppressed();
  for (const signal of signals) {
    const error = errors.get(signal.error_id);
    const stop = gate(signal, error, { isMatch: true, isMaintenance });
    if (stop !== undefined || !error) {
      suppressed.add(0, signal, stop ?? Reason.OVER);
      continue;
    }
    const { value, notice } = detailOf(signal);
    const change = { ...signal, level: value?.value ?? error.level, audience: audienceOf(signal) };
    for (const person of persons) {
      const { userId } = person;
      if (change.audience === "named" && !notice?.userIds.includes(userId)) continue;
      const verdict = decideFor(person, change);
      if (!verdict.inbox) {
        const { reason } = verdict;
        if (reason !== undefined) suppressed.add(isForAll(reason) ? 0 : userId, signal, reason);
      } else if (!isNotice(signal.notification_trigger) && reported.has(reportedKey(userId, signal)))
        suppressed.add(userId, signal, Reason.REPEATED);
      else {
        reported.add(reportedKey(userId, signal));
        const dueAt = dueOf.get(userId) ?? now;
        entries.push({ userId, signal, error, dueAt });
        if (verdict.mail && mail?.userIds.has(userId)) {
          mails.push({ userId, username: person.username, signal, error, dueAt });
        }
      }
    }
  }
  if (mail) await queueMails(tables, mail, { projectId, mails, now });
  await suppressed.write(tables, { projectId, now });
  return writeEntries(tables, { projectId, entries, now });
}

const reportedKey = (
  userId: number,
  { error_id, notification_trigger }: Pick<SignalRow, "error_id" | "notification_trigger">,
) => `${userId} ${notification_trigger} ${error_id}`;

async function reportedSince(
  tables: Kysely<Tables>,
  { projectId, signals }: PersonalChanges,
  since: number,
): Promise<Set<string>> {
  const rows = await tables
    .selectFrom("notifier_inbox")
    .select(["user_id", "error_id", "notification_trigger"])
    .where("project_id", "=", projectId)
    .where("error_id", "in", [...new Set(signals.map(({ error_id: id }) => id))])
    .where("created_at", ">", since)
    .execute();
  return new Set(rows.map((row) => reportedKey(row.user_id, row)));
}

/** Counts suppressed changes. A reason that applies to everybody (user 0) counts once per change. */
class Suppressed {
  readonly #rows = new Map<string, { userId: number; signal: SignalRow; reason: Reason; signals: Set<number> }>();

  add(userId: number, signal: SignalRow, reason: Reason): void {
    const key = `${reportedKey(userId, signal)} ${reason}`;
    const row = this.#rows.get(key) ?? { userId, signal, reason, signals: new Set() };
    row.signals.add(signal.id);
    this.#rows.set(key, row);
  }

  async write(tables: Kysely<Tables>, { projectId, now }: { projectId: number; now: number }): Promise<void> {
    const rows = [...this.#rows.values()].map(({ userId, signal, reason, signals }) => ({
      project_id: projectId,
      error_id: signal.error_id,
      user_id: userId,
      notification_trigger: signal.notification_trigger,
      reason,
      hour_at: startOfHour(now),
      n: signals.size,
    }));
    for (let start = 0; start < rows.length; start += rowsAtOnce) {
      await tables
        .insertInto("notifier_person_suppression")
        .values(rows.slice(start, start + rowsAtOnce))
        .onConflict((conflict) =>
          conflict
            .columns(["project_id", "error_id", "user_id", "notification_trigger", "reason", "hour_at"])
            .doUpdateSet({ n: sql<number>`notifier_person_suppression.n + excluded.n` }),
        )
        .execute();
    }
  }
}

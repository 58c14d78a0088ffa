import type { PostgresqlClient } from "../postgresql.ts";
import { recountPostgresql } from "../recount.ts";
import type { Ledger, LedgerEntry } from "./ledger.ts";
import { countedReleaseOf } from "./traffic.ts";

// The counterpart of audit.ts, which checks SQLite. It compares less, because read-back.ts asks the product for the
// rest.

/** Compares the database with the senders' records and with itself, and returns the differences. */
export async function auditPostgresql(client: PostgresqlClient, ledger: Ledger): Promise<string[]> {
  const found: string[] = [];
  const stored = new Map<string, LedgerEntry>();
  for (const { project, id } of await rows<{ project: number; id: string }>(client, eventIds)) {
    const entry = ledger.entries.get(id);
    if (!entry || entry.project !== Number(project)) found.push(`stored and not sent: ${id}`);
    else if (stored.has(id)) found.push(`stored twice: ${id}`);
    else stored.set(id, entry);
  }
  for (const { id, isAcknowledged, error } of ledger.entries.values()) {
    if (isAcknowledged && !stored.has(id)) found.push(`acknowledged and not stored: ${id} in ${error}`);
  }
  const present = [...stored.values()];
  const said = await rows<{ line: string }>(client, sessionsOfHours);
  found.push(
    ...differences(
      "sessions of an hour",
      sessionsOf(present),
      said.map(({ line }) => line),
    ),
  );
  const feedback = await rows<{ line: string }>(
    client,
    "select encode(event_id, 'hex') as line from integrated_feedback",
  );
  const wanted = present.filter(({ hasFeedback }) => hasFeedback).map(({ id }) => id);
  found.push(
    ...differences(
      "feedback of an event",
      wanted,
      feedback.map(({ line }) => line),
    ),
  );
  const unstored = await rows<{ id: string; reason: string }>(
    client,
    "select event_id as id, reason from unstored_event",
  );
  found.push(...unstored.map(({ id, reason }) => `kept as not storable: ${id}: ${reason}`));
  return [...found, ...(await recountPostgresql(client))];
}

const eventIds = "select project_id as project, encode(event_id, 'hex') as id from integrated_event";

const sessionsOfHours = `
  select concat_ws(' ', h.project_id, version, environment, hour, total, errored, crashed, abnormal) as line
  from integrated_session_hour h join integrated_release r on r.project_id = h.project_id and r.id = h.release_id`;

/** A line for each hour of a release, in the form of the query above. */
function sessionsOf(entries: readonly LedgerEntry[]): string[] {
  const hours = new Map<string, { total: number; errored: number; crashed: number }>();
  for (const { project, release, environment, occurredAt, era, session, countedSessions } of entries) {
    if (session === "" && countedSessions === 0) continue;
    const version = session === "" ? countedReleaseOf(era) : release;
    const key = [project, version, environment, Math.floor(occurredAt / 3_600_000)].join(" ");
    const hour = hours.get(key) ?? { total: 0, errored: 0, crashed: 0 };
    hours.set(key, {
      total: hour.total + (session === "" ? countedSessions : 1),
      errored: hour.errored + Number(session === "errored"),
      crashed: hour.crashed + Number(session === "crashed"),
    });
  }
  return Array.from(hours, ([key, { total, errored, crashed }]) => `${key} ${total} ${errored} ${crashed} 0`);
}

/** Lines that one list has more often than the other. */
function differences(what: string, sent: readonly string[], said: readonly string[]): string[] {
  const surplus = new Map<string, number>();
  for (const line of said) surplus.set(line, (surplus.get(line) ?? 0) + 1);
  for (const line of sent) surplus.set(line, (surplus.get(line) ?? 0) - 1);
  return [...surplus]
    .filter(([, n]) => n !== 0)
    .map(([line, n]) => `${what}: ${line}: ${n > 0 ? "stored and not sent" : "sent and not stored"}`);
}

async function rows<Row>(client: PostgresqlClient, query: string): Promise<Row[]> {
  return (await client.query<Row>(query)).rows;
}

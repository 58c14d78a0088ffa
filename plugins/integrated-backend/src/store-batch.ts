import { hourMs, millisecondsOf, timestamp } from "@faultline/plugin";
import { ErrorStatus, type ErrorEvent } from "@faultline/proto";
import { sql, type Kysely, type RawBuilder } from "kysely";
import { groupHash, groupingVersion } from "./grouping.ts";
import { summaryOf, type Summary } from "./summary.ts";
import type { Tables } from "./tables.ts";

// The hot path. Every statement has one constant text and takes the whole batch as one JSON parameter: it is compiled
// once, bound in one step, and the rows are unpacked on SQLite's thread instead of the event loop.

const dayMs = 24 * hourMs;

/** Which errors of which projects a batch changed. */
export type Changes = ReadonlyMap<number, ReadonlySet<number>>;

/** Gives out the row ids of events; this process is the only writer of the file. */
export class EventRowIds {
  #last: number;

  constructor(last: number) {
    this.#last = last;
  }

  next(): number {
    return ++this.#last;
  }
}

interface Prepared {
  readonly event: ErrorEvent;
  readonly summary: Summary;
  readonly occurredAt: number;
  readonly receivedAt: number;
  readonly group: Group;
}

/** What the events of one batch add to one error. */
interface Group {
  readonly projectId: number;
  readonly hash: string;
  count: number;
  firstSeenAt: number;
  newest: { event: ErrorEvent; summary: Summary; occurredAt: number; receivedAt: number };
  firstRelease: string;
  lastRelease: string;
  errorId: number;
}

/** Stores a batch in one transaction; events that are stored already, or twice in the batch, count once. */
export async function storeBatch(
  database: Kysely<Tables>,
  rowIds: EventRowIds,
  events: readonly ErrorEvent[],
): Promise<Changes> {
  const distinct = new Map(events.toReversed().map((event) => [`${event.projectId}/${event.eventId}`, event]));
  return database.transaction().execute(async (transaction) => {
    const fresh = await withoutStored(transaction, [...distinct.values()].toReversed());
    if (fresh.length === 0) return new Map();
    const { prepared, groups } = prepare(fresh);
    await upsertErrors(transaction, groups);
    const rows = prepared.map((one) => ({ ...one, rowId: rowIds.next() }));
    await insertEvents(transaction, rows);
    await insertPayloads(transaction, rows);
    await addHours(transaction, prepared);
    await addUsers(transaction, prepared);
    await addTags(transaction, prepared);
    return changesOf(groups);
  });
}

async function withoutStored(database: Kysely<Tables>, events: readonly ErrorEvent[]): Promise<ErrorEvent[]> {
  const ids = JSON.stringify(events.map((event) => [event.projectId, event.eventId]));
  const { rows } = await sql<{ n: number }>`
    select j.key as n from json_each(${ids}) j
    join integrated_event e on e.project_id = j.value ->> 0 and e.event_id = unhex(j.value ->> 1)`.execute(database);
  if (rows.length === 0) return [...events];
  const stored = new Set(rows.map(({ n }) => n));
  return events.filter((_, n) => !stored.has(n));
}

function prepare(events: readonly ErrorEvent[]): { prepared: Prepared[]; groups: Group[] } {
  const groups = new Map<string, Group>();
  const prepared = events.map((event) => {
    const receivedAt = millisecondsOf(event.receivedTime ?? timestamp(0));
    const occurredAt = event.occurredTime ? millisecondsOf(event.occurredTime) : receivedAt;
    const summary = summaryOf(event);
    const hash = groupHash(event);
    const key = `${event.projectId}/${hash}`;
    const newest = { event, summary, occurredAt, receivedAt };
    let group = groups.get(key);
    if (group) {
      group.count++;
      if (occurredAt < group.firstSeenAt) {
        group.firstSeenAt = occurredAt;
        group.firstRelease = event.release || group.firstRelease;
      }
      if (occurredAt >= group.newest.occurredAt) {
        group.newest = newest;
        group.lastRelease = event.release || group.lastRelease;
      }
      group.firstRelease ||= event.release;
      group.lastRelease ||= event.release;
    } else {
      const release = event.release;
      group = {
        ...{ projectId: event.projectId, hash, count: 1, firstSeenAt: occurredAt, newest, errorId: 0 },
        ...{ firstRelease: release, lastRelease: release },
      };
      groups.set(key, group);
    }
    return { event, summary, occurredAt, receivedAt, group };
  });
  return { prepared, groups: [...groups.values()] };
}

async function upsertErrors(database: Kysely<Tables>, groups: readonly Group[]): Promise<void> {
  const json = JSON.stringify(
    groups.map(({ projectId, hash, count, firstSeenAt, newest, firstRelease, lastRelease }) => [
      ...[projectId, hash, newest.summary.title, newest.summary.type, newest.summary.value],
      ...[newest.event.culprit, newest.event.level, newest.event.platform, count, firstSeenAt, newest.occurredAt],
      ...[firstRelease, lastRelease],
    ]),
  );
  const now = Math.max(...groups.map(({ newest }) => newest.receivedAt));
  // A resolved error comes back with any new event; an ignored one stays ignored.
  const { rows } = await sql<{ id: number; project_id: number; hash: string }>`
    insert into integrated_error (
      project_id, group_hash, grouping_version, title, type, value, culprit, level, platform, status,
      event_count, user_count, first_seen_at, last_seen_at, first_release, last_release)
    select
      value ->> 0, unhex(value ->> 1), ${sql.lit(groupingVersion)}, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
      value ->> 6, value ->> 7, ${sql.lit(ErrorStatus.UNRESOLVED)},
      value ->> 8, 0, value ->> 9, value ->> 10, value ->> 11, value ->> 12
    from json_each(${json}) where true
    on conflict (project_id, group_hash) do update set
      title = iif(excluded.last_seen_at >= last_seen_at, excluded.title, title),
      type = iif(excluded.last_seen_at >= last_seen_at, excluded.type, type),
      value = iif(excluded.last_seen_at >= last_seen_at, excluded.value, value),
      culprit = iif(excluded.last_seen_at >= last_seen_at, excluded.culprit, culprit),
      level = iif(excluded.last_seen_at >= last_seen_at, excluded.level, level),
      last_release = iif(excluded.last_seen_at >= last_seen_at and excluded.last_release <> '',
        excluded.last_release, last_release),
      first_release = iif(first_release = '' or (excluded.first_seen_at < first_seen_at and excluded.first_release <> ''),
        excluded.first_release, first_release),
      event_count = event_count + excluded.event_count,
      first_seen_at = min(first_seen_at, excluded.first_seen_at),
      last_seen_at = max(last_seen_at, excluded.last_seen_at),
      reopened_at = iif(status = ${sql.lit(ErrorStatus.RESOLVED)}, ${now}, reopened_at),
      status = iif(status = ${sql.lit(ErrorStatus.RESOLVED)}, ${sql.lit(ErrorStatus.UNRESOLVED)}, status)
    returning id, project_id, lower(hex(group_hash)) as hash`.execute(database);
  const ids = new Map(rows.map((row) => [`${row.project_id}/${row.hash}`, row.id]));
  for (const group of groups) group.errorId = ids.get(`${group.projectId}/${group.hash}`) ?? 0;
}

type Row = Prepared & { readonly rowId: number };

async function insertEvents(database: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  const json = JSON.stringify(
    rows.map(({ rowId, event, group, occurredAt, receivedAt, summary }) => [
      ...[rowId, event.projectId, event.eventId, group.errorId, occurredAt, receivedAt],
      ...[summary.title, event.user, event.release, event.environment, event.level],
    ]),
  );
  await run(
    database,
    sql`insert into integrated_event (
        id, project_id, event_id, error_id, occurred_at, received_at, title, user, release, environment, level)
      select value ->> 0, value ->> 1, unhex(value ->> 2), value ->> 3, value ->> 4, value ->> 5,
        value ->> 6, value ->> 7, value ->> 8, value ->> 9, value ->> 10
      from json_each(${json})`,
  );
}

/** All payloads travel as one blob, cut apart by SQLite. */
async function insertPayloads(database: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  let offset = 1; // SQL counts bytes from 1
  const places = rows.map(({ rowId, event }) => {
    const place = [rowId, offset, event.payload.length];
    offset += event.payload.length;
    return place;
  });
  const bytes = Buffer.concat(rows.map(({ event }) => event.payload));
  await run(
    database,
    sql`insert into integrated_payload (event_row_id, payload)
      select value ->> 0, substr(${bytes}, value ->> 1, value ->> 2) from json_each(${JSON.stringify(places)})`,
  );
}

async function addHours(database: Kysely<Tables>, prepared: readonly Prepared[]): Promise<void> {
  const counts = new Map<string, [errorId: number, hour: number, count: number]>();
  for (const { group, occurredAt } of prepared) {
    const hour = Math.floor(occurredAt / hourMs);
    const key = `${group.errorId}/${hour}`;
    const entry = counts.get(key);
    if (entry) entry[2]++;
    else counts.set(key, [group.errorId, hour, 1]);
  }
  await run(
    database,
    sql`insert into integrated_hour (error_id, hour, event_count)
      select value ->> 0, value ->> 1, value ->> 2 from json_each(${JSON.stringify([...counts.values()])}) where true
      on conflict (error_id, hour) do update set event_count = event_count + excluded.event_count`,
  );
}

async function addUsers(database: Kysely<Tables>, prepared: readonly Prepared[]): Promise<void> {
  const users = new Map<string, [errorId: number, user: string, day: number]>();
  for (const { event, group, receivedAt } of prepared) {
    if (event.user !== "") {
      users.set(`${group.errorId}/${event.user}`, [group.errorId, event.user, Math.floor(receivedAt / dayMs)]);
    }
  }
  if (users.size === 0) return;
  await run(
    database,
    sql`insert into integrated_user (error_id, user, last_seen_day)
      select value ->> 0, value ->> 1, value ->> 2 from json_each(${JSON.stringify([...users.values()])}) where true
      on conflict (error_id, user) do update set last_seen_day = excluded.last_seen_day
      where excluded.last_seen_day > last_seen_day`,
  );
}

async function addTags(database: Kysely<Tables>, prepared: readonly Prepared[]): Promise<void> {
  const tags = new Map<string, [errorId: number, key: string, value: string, day: number]>();
  for (const { event, group, receivedAt } of prepared) {
    const day = Math.floor(receivedAt / dayMs);
    const add = (key: string, value: string) => {
      if (value !== "") tags.set(`${group.errorId}\0${key}\0${value}`, [group.errorId, key, value, day]);
    };
    for (const key in event.tags) add(key, event.tags[key] ?? "");
    add("release", event.release);
    add("environment", event.environment);
  }
  if (tags.size === 0) return;
  await run(
    database,
    sql`insert into integrated_tag (error_id, key, value, last_seen_day)
      select value ->> 0, value ->> 1, value ->> 2, value ->> 3
      from json_each(${JSON.stringify([...tags.values()])}) where true
      on conflict (error_id, key, value) do update set last_seen_day = excluded.last_seen_day
      where excluded.last_seen_day > last_seen_day`,
  );
}

async function run(database: Kysely<Tables>, statement: RawBuilder<unknown>): Promise<void> {
  await statement.execute(database);
}

function changesOf(groups: readonly Group[]): Changes {
  const changes = new Map<number, Set<number>>();
  for (const { projectId, errorId } of groups) {
    const errors = changes.get(projectId) ?? new Set();
    changes.set(projectId, errors.add(errorId));
  }
  return changes;
}

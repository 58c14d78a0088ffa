import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { GetErrorBreakdownResponseSchema } from "@faultline/proto";
import type { UserNames } from "@faultline/sentry-event";
import { sql, type AbortableQueryOptions } from "kysely";
import { otherValues } from "../counts/counts.ts";
import { userNames } from "../lists/read-events.ts";
import type { Storage } from "../storage.ts";
import { storedNames } from "../event/stored-names.ts";
import type { CountTable, ErrorTable, EventTable, UserTable } from "../tables.ts";
import { withAddress } from "../event/examined-event.ts";
import { shown, tagsToProto, type KeyCounts } from "./tally.ts";
import { type UsualFacts, countsOf, shownValue, type ErrorIds } from "./usual-facts.ts";

/** Divides all events of an error, by the counts made when the events were stored. */
export async function countedBreakdown(
  storage: Storage,
  error: Pick<ErrorTable, "id" | "project_id" | "event_count" | "user_count">,
  { usual, userLimit, signal }: { usual: UsualFacts; userLimit: number } & AbortableQueryOptions,
): Promise<MessageInitShape<typeof GetErrorBreakdownResponseSchema>> {
  const [keys, users, releases] = await Promise.all([
    keysOf(storage, error, { signal }),
    mostAffected(storage, error, { limit: userLimit, signal }),
    newestReleases(storage, error, { limit: shown.releases, signal }),
  ]);
  const newest = await newestEvents(storage, error, users);
  const names = await namesOf(storage, users, newest);
  return {
    examinedEventCount: error.event_count,
    eventCount: error.event_count,
    ...tagsToProto(keys, usual, error.event_count),
    users: users.map((count) => {
      const event = newest.get(count.user);
      return {
        user: count.user,
        names: names.get(count.user) ?? {},
        ...seenToProto(count),
        newestEventId: event?.event_id.toString("hex") ?? "",
      };
    }),
    userCount: error.user_count,
    releases: releases.map((count) => ({ version: count.value, ...seenToProto(count) })),
    releaseCount: keys.find(({ key }) => key === "release")?.valueCount ?? 0,
  };
}

/** Each key of an error with its most frequent values. */
async function keysOf(storage: Storage, error: ErrorIds, options: AbortableQueryOptions): Promise<KeyCounts[]> {
  const { rows } = await sql<{ key: string; value: string; events: number; all_events: number; values: number }>`
    select key, value, event_count as events, all_events, all_values as "values" from (
      select key, c.value, c.event_count, sum(c.event_count) over (partition by key) as all_events,
        sum(case when c.value = ${otherValues} then 0 else 1 end) over (partition by key) as all_values,
        row_number() over (partition by key order by c.event_count desc, c.value) as place
      from ${countsOf(storage, error)} 
    ) ranked where place <= ${shown.values + 1} order by key, place`.execute(storage.readExpensively, options);
  return Array.from(
    Map.groupBy(rows, ({ key }) => key),
    ([key, counts]) => ({
      key,
      eventCount: Number(counts[0]?.all_events ?? 0),
      searchable: true,
      valueCount: Number(counts[0]?.values ?? 0),
      values: counts
        .filter(({ value }) => value !== otherValues)
        .slice(0, shown.values)
        .map(({ value, events }) => [shownValue(key, value), events] as const),
    }),
  );
}

async function newestReleases(
  storage: Storage,
  error: ErrorIds,
  { limit, ...options }: { limit: number } & AbortableQueryOptions,
): Promise<readonly CountTable[]> {
  const { rows } = await sql<CountTable>`
    select c.* from ${countsOf(storage, error)}
    where key = 'release' and c.value <> ${otherValues} order by c.last_seen_at desc, c.value limit ${limit}`.execute(
    storage.readExpensively,
    options,
  );
  return rows;
}

async function mostAffected(
  { dialect, readExpensively }: Storage,
  { id, project_id }: ErrorIds,
  { limit, ...options }: { limit: number } & AbortableQueryOptions,
): Promise<readonly UserTable[]> {
  const { rows } = await sql<UserTable>`
    select u.* from integrated_user u join integrated_error e on e.id = u.error_id${dialect.sameProject("e", "u")}
      and e.id = ${id} and e.project_id = ${project_id}
    order by u.event_count desc, u.last_seen_at desc nulls last, u."user" limit ${limit}`.execute(
    readExpensively,
    options,
  );
  return rows;
}

/** Maximum events read to find the newest event of each user: a sender can give all events the same time. */
const eventsLooked = 1_000;

/** The newest event of each user, by the counted time. Skips events that were deleted. */
async function newestEvents(
  { read }: Storage,
  { id, project_id }: ErrorIds,
  users: readonly UserTable[],
): Promise<Map<string, EventTable>> {
  const times = users.flatMap(({ last_seen_at: at }) => at ?? []);
  if (times.length === 0) return new Map();
  const rows = await read
    .selectFrom("integrated_event")
    .selectAll()
    .where("project_id", "=", project_id)
    .where("error_id", "=", id)
    .where("occurred_at", "in", times)
    .orderBy("id", "desc")
    .limit(eventsLooked)
    .execute();
  const lastSeenAt = new Map(users.map((one) => [one.user, one.last_seen_at]));
  return new Map(
    rows
      .toReversed()
      .filter((row) => lastSeenAt.get(row.user) === row.occurred_at)
      .map((row) => [row.user, row]),
  );
}

/** The names of users in their newest events. Reads the events of users without stored names. */
async function namesOf(
  storage: Storage,
  users: readonly UserTable[],
  newest: ReadonlyMap<string, EventTable>,
): Promise<Map<string, UserNames>> {
  const found = new Map<string, UserNames>();
  const unnamed: EventTable[] = [];
  for (const one of users) {
    const { user } = one;
    const event = newest.get(user);
    if (!event) continue;
    const stored = storedNames(one);
    if (stored) found.set(user, withAddress(stored, user));
    else unnamed.push(event);
  }
  const read = await userNames(storage, unnamed);
  for (const { id, user } of unnamed) {
    const names = read.get(id);
    if (names) found.set(user, names);
  }
  return found;
}

function seenToProto(count: Pick<UserTable, "event_count" | "first_seen_at" | "last_seen_at">) {
  const { first_seen_at: first, last_seen_at: last } = count;
  return {
    eventCount: count.event_count,
    ...(first !== null && { firstSeenTime: timestamp(first) }),
    ...(last !== null && { lastSeenTime: timestamp(last) }),
  };
}

import { hourMs, type Host, type ProjectUsage } from "@faultline/plugin";
import { sql } from "kysely";
import type { Storage } from "../storage.ts";

/** Bytes of an event's rows without its payload: its index entries, its location, and its share of the pages. */
const eventBytes = 512;

/** How often uncounted projects are searched for. The search takes 70 ms on PostgreSQL with 100,000 errors. */
const recheckMs = 60_000;

/**
 * The time of the next search. The search ends once no project is uncounted, because later events are counted when they
 * are stored and deleted.
 */
const uncountedIn = new WeakMap<Storage, { readonly projects: ReadonlySet<number>; readonly until: number }>();

/** See ErrorBackend.usage. */
export async function usage(storage: Storage): Promise<ProjectUsage[]> {
  let known = uncountedIn.get(storage);
  if (!known || performance.now() >= known.until) {
    const projects = await uncountedProjects(storage);
    known = { projects, until: projects.size === 0 ? Number.POSITIVE_INFINITY : performance.now() + recheckMs };
    uncountedIn.set(storage, known);
  }
  const { projects: uncounted } = known;
  const rows = await storage.read.selectFrom("integrated_usage").selectAll().execute();
  return rows.map(({ project_id: projectId, event_count: eventCount, payload_bytes, tag_bytes }) => ({
    projectId,
    eventCount,
    keptBytes: payload_bytes + eventBytes * eventCount + tag_bytes,
    isCounted: !uncounted.has(projectId),
  }));
}

/**
 * The projects with a usage that misses events because an earlier release stored or deleted some without counting
 * them: the counts of their errors differ from their usage.
 */
async function uncountedProjects({ readExpensively, dialect }: Storage): Promise<Set<number>> {
  const { rows } = await sql<{ project_id: number }>`
    select project_id from (
      select project_id, -event_count as n from integrated_usage
      union all select project_id, sum(event_count) from integrated_error group by 1
      union all ${dialect.expiredEvents}
    ) counted group by project_id having sum(n) <> 0`.execute(readExpensively);
  return new Set(rows.map(({ project_id }) => project_id));
}

/** Schedules the counting of uncounted projects; see countUsage. */
export function scheduleUsage(storage: Storage, scheduler: Host["scheduler"]): void {
  scheduler.every(hourMs, "count what projects store", () => countUsage(storage), { alone: true });
}

/**
 * Counts the stored data of uncounted projects, and corrects the sums. One statement reads both from one snapshot, so
 * the difference stays right if data is stored, packed or deleted before it is added.
 */
async function countUsage(storage: Storage): Promise<void> {
  if ((await uncountedProjects(storage)).size === 0) return;
  const { rows } = await sql<{ project_id: number; events: number; payload: number; tag: number }>`
    select project_id, sum(events) as events, sum(payload) as payload, sum(tag) as tag from (
      select project_id, count(*) as events, 0 as payload, 0 as tag from integrated_event group by 1
      union all ${storage.dialect.storedPayloads}
      union all select e.project_id, 0, 0, sum(octet_length(key) + octet_length(t.value) + 64)
      from integrated_tag t join integrated_error e on e.id = t.error_id${storage.dialect.sameProject("e", "t")} group by 1
      union all select project_id, -event_count, -payload_bytes, -tag_bytes from integrated_usage
    ) counted group by 1 having sum(events) <> 0 or sum(payload) <> 0 or sum(tag) <> 0`.execute(
    storage.readExpensively,
  );
  for (const row of rows) {
    await storage.write
      .updateTable("integrated_usage")
      .set(({ eb }) => ({
        event_count: eb("event_count", "+", Number(row.events)),
        payload_bytes: eb("payload_bytes", "+", Number(row.payload)),
        tag_bytes: eb("tag_bytes", "+", Number(row.tag)),
      }))
      .where("project_id", "=", row.project_id)
      .execute();
  }
  uncountedIn.delete(storage);
}

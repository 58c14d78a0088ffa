import { BoundedMap } from "@faultline/plugin/flow";
import { ErrorStatus } from "@faultline/proto";
import { sql, type AbortableQueryOptions } from "kysely";
import { otherValues } from "../counts/counts.ts";
import type { Storage } from "../storage.ts";
import type { ErrorTable } from "../tables.ts";

/** Projects with facts in memory. */
const keptProjects = 16;
/** Milliseconds. Events that are not counted yet will be soon. */
const keptMs = { whenComplete: 60_000, whenCounting: 1_000 };

/**
 * Limits for the most frequent values of a project's most recently seen errors. 50 times 200 values of 200 characters
 * keep 3 MB of a project, and take the event loop 2 ms for each sum.
 */
const read = { errors: 50, valuesOfError: 200, ms: 500 };

/**
 * The maximum weight of an error, which otherwise weighs as much as its events, so that no storm decides what is usual.
 */
const mostWeight = 10;

const statuses = [ErrorStatus.UNRESOLVED, ErrorStatus.RESOLVED, ErrorStatus.IGNORED];

/** How the events of an error divide. */
interface FactsOfError {
  readonly errorId: number;
  readonly weight: number;
  readonly facts: readonly { readonly key: string; readonly value: string; readonly share: number }[];
}

/** The number of events with a key, and with each of its values. */
export interface UsualKey {
  eventCount: number;
  readonly values: Map<string, number>;
}

/** The facts of the other errors of a project. */
export interface UsualFacts {
  readonly eventCount: number;
  readonly keys: ReadonlyMap<string, UsualKey>;
}

/** Reads the usual facts of a project's events from the counts of errors, and keeps them. */
export class UsualFactsReader {
  readonly #storage: Storage;
  readonly #kept = new BoundedMap<number, { readonly until: number; readonly errors: readonly FactsOfError[] }>(
    keptProjects,
  );

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The facts of the project's errors except one. `isComplete` means that all events of the project are counted. */
  async read(
    { projectId, errorId, isComplete }: { projectId: number; errorId: number; isComplete: boolean },
    options: AbortableQueryOptions,
  ): Promise<UsualFacts> {
    let kept = this.#kept.get(projectId);
    if (!kept || kept.until <= performance.now()) {
      const errors = await this.#read(projectId, options);
      const ms = isComplete ? keptMs.whenComplete : keptMs.whenCounting;
      kept = { until: performance.now() + ms, errors };
      this.#kept.set(projectId, kept);
    }
    const keys = new Map<string, UsualKey>();
    let eventCount = 0;
    for (const { errorId: other, weight, facts } of kept.errors) {
      if (other === errorId) continue;
      eventCount += weight;
      for (const { key, value, share } of facts) {
        const known = keys.get(key) ?? { eventCount: 0, values: new Map<string, number>() };
        known.eventCount += weight * share;
        if (value !== otherValues) known.values.set(value, (known.values.get(value) ?? 0) + weight * share);
        keys.set(key, known);
      }
    }
    return { eventCount, keys };
  }

  async #read(projectId: number, options: AbortableQueryOptions): Promise<FactsOfError[]> {
    const until = performance.now() + read.ms;
    const found: FactsOfError[] = [];
    for (const errorId of await this.#lastSeen(projectId)) {
      if (performance.now() >= until) break;
      const facts = await this.#factsOf({ projectId, errorId }, options);
      if (facts) found.push(facts);
    }
    return found;
  }

  /** The most recently seen errors of a project. */
  async #lastSeen(projectId: number): Promise<number[]> {
    const found = [];
    for (const status of statuses) {
      const rows = await this.#storage.readExpensively
        .selectFrom("integrated_error")
        .select(["id", "last_seen_at"])
        .where("project_id", "=", projectId)
        .where("status", "=", status)
        .orderBy("last_seen_at", "desc")
        .orderBy("id", "desc")
        .limit(read.errors)
        .execute();
      found.push(...rows);
    }
    return found
      .toSorted((one, other) => other.last_seen_at - one.last_seen_at)
      .slice(0, read.errors)
      .map(({ id }) => id);
  }

  /** Undefined until one of the error's events is counted. */
  async #factsOf(
    { projectId, errorId }: { projectId: number; errorId: number },
    options: AbortableQueryOptions,
  ): Promise<FactsOfError | undefined> {
    const { rows } = await sql<{ key: string; value: string; events: number; key_events: number }>`
      select key, c.value, c.event_count as events, sum(c.event_count) over (partition by key) as key_events
      from ${countsOf(this.#storage, { id: errorId, project_id: projectId })}
      order by c.event_count desc, key, c.value limit ${read.valuesOfError}`.execute(
      this.#storage.readExpensively,
      options,
    );
    // Each event has one level, so the key with the most events is in all events.
    const all = Math.max(0, ...rows.map((row) => Number(row.key_events)));
    if (all === 0) return undefined;
    const facts = rows.map(({ key, value, events }) => ({ key, value: shownValue(key, value), share: events / all }));
    return { errorId, weight: Math.min(all, mostWeight), facts };
  }
}

export type ErrorIds = Pick<ErrorTable, "id" | "project_id">;

/** The tables that hold the counts of an error, `c` and `e`. */
export const countsOf = ({ dialect }: Storage, { id, project_id }: ErrorIds) =>
  sql`integrated_count c join integrated_error e on e.id = c.error_id${dialect.sameProject("e", "c")}
    and e.id = ${id} and e.project_id = ${project_id}`;

/** A breakdown names the values of `handled` yes and no, a search true and false. */
const handled = new Map([
  ["true", "yes"],
  ["false", "no"],
]);

/** The name of a counted value in a breakdown. */
export const shownValue = (key: string, value: string) => (key === "handled" ? (handled.get(value) ?? value) : value);

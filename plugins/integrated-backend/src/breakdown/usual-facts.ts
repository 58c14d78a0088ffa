import { BoundedMap } from "@faultline/plugin/flow";
import { ErrorStatus } from "@faultline/proto";
import type { Storage } from "../storage.ts";
import type { EventTable } from "../tables.ts";
import type { LoopSlices } from "./loop-slices.ts";
import { isSpent, readEvents } from "./read-events.ts";

/** Projects whose samples are kept. */
const keptProjects = 16;
const keptMs = 60_000;

/** A sample: events of each of the errors of a project that were seen last. */
const sampled = { errors: 50, eventsOfError: 10, bytes: 4 * 1024 * 1024, ms: 500 };

/** Events that are read at a time. */
const chunk = 50;

const statuses = [ErrorStatus.UNRESOLVED, ErrorStatus.RESOLVED, ErrorStatus.IGNORED];

/** An event of a sample. */
interface SampledEvent {
  readonly errorId: number;
  readonly facts: readonly (readonly [key: string, value: string])[];
}

/** How often events have a key, and each of its values. */
export interface UsualKey {
  eventCount: number;
  readonly values: Map<string, number>;
}

/** The facts of the other errors of a project. */
export interface UsualFacts {
  readonly eventCount: number;
  readonly keys: ReadonlyMap<string, UsualKey>;
}

/** Reads the facts that events of a project usually have, from a sample that is kept for a minute. */
export class UsualFactsReader {
  readonly #storage: Storage;
  readonly #samples = new BoundedMap<number, { readonly until: number; readonly events: readonly SampledEvent[] }>(
    keptProjects,
  );

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The facts of the project's errors but one. */
  async read(
    { projectId, errorId }: { projectId: number; errorId: number },
    { signal, slices }: { signal: AbortSignal | undefined; slices: LoopSlices },
  ): Promise<UsualFacts> {
    let sample = this.#samples.get(projectId);
    if (!sample || sample.until <= performance.now()) {
      const events = await this.#sample(projectId, { signal, slices });
      sample = { until: performance.now() + keptMs, events };
      this.#samples.set(projectId, sample);
    }
    const others = sample.events.filter((event) => event.errorId !== errorId);
    const keys = new Map<string, UsualKey>();
    for (const { facts } of others) {
      for (const [key, value] of facts) count(keys, key, value);
      await slices.next();
    }
    return { eventCount: others.length, keys };
  }

  async #sample(
    projectId: number,
    { signal, slices }: { signal: AbortSignal | undefined; slices: LoopSlices },
  ): Promise<SampledEvent[]> {
    const limits = { signal, until: performance.now() + sampled.ms, bytes: sampled.bytes };
    const rows: EventTable[] = [];
    for (const errorId of await this.#lastSeen(projectId)) {
      if (isSpent(limits)) break;
      const found = await this.#storage.nextEvents({ ...noPage, projectId, errorId, limit: sampled.eventsOfError });
      rows.push(...(found ?? []));
    }
    // In the order of storing, as events that were stored together lie in one block.
    rows.sort((one, other) => other.id - one.id);
    const events: SampledEvent[] = [];
    for (let at = 0; at < rows.length && !isSpent(limits); at += chunk) {
      for (const { row, facts } of await readEvents(this.#storage, rows.slice(at, at + chunk), { limits, slices })) {
        events.push({ errorId: row.error_id, facts: detached(facts) });
      }
    }
    return events;
  }

  /** The errors of a project that were seen last. */
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
        .limit(sampled.errors)
        .execute();
      found.push(...rows);
    }
    return found
      .toSorted((one, other) => other.last_seen_at - one.last_seen_at)
      .slice(0, sampled.errors)
      .map(({ id }) => id);
  }
}

const noPage = { startTime: undefined, endTime: undefined, place: undefined } as const;

function count(keys: Map<string, UsualKey>, key: string, value: string): void {
  const known = keys.get(key) ?? { eventCount: 0, values: new Map<string, number>() };
  known.eventCount += 1;
  known.values.set(value, (known.values.get(value) ?? 0) + 1);
  keys.set(key, known);
}

/** Copies, as a part of a text keeps the whole text in memory. */
function detached(facts: readonly (readonly [key: string, value: string, searchable: boolean])[]) {
  return JSON.parse(JSON.stringify(facts.map(([key, value]) => [key, value]))) as [key: string, value: string][];
}

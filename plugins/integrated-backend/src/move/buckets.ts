import { sql, type Kysely, type RawBuilder } from "kysely";
import type { EventTable } from "../tables.ts";

/**
 * Row ids of a bucket, the unit of comparison. A power of two, because the ids of a day begin at a multiple of a power
 * of two.
 */
export const bucketIds = 4_096;

/** The tables with rows that belong to an event and are deleted with it. */
export const partsOfEvent = ["integrated_payload", "integrated_origin"] as const;

/** An event in the form for PostgreSQL, with its row id on SQLite and its checksum. */
export interface SummedEvent {
  readonly event: EventTable;
  readonly rowId: number;
  readonly sum: bigint;
}

interface Sum {
  readonly rows: number;
  readonly sum: bigint;
}

/** The number of events in each bucket of PostgreSQL's row ids, and their checksums joined by exclusive or. */
export class Buckets {
  readonly #sums = new Map<number, Sum>();
  rows = 0;

  /** The bucket of a row id. */
  static of(id: number): number {
    return Math.floor(id / bucketIds);
  }

  add(id: number, sum: bigint): void {
    const bucket = Buckets.of(id);
    const before = this.#sums.get(bucket) ?? { rows: 0, sum: 0n };
    this.set(bucket, { rows: before.rows + 1, sum: before.sum ^ sum });
  }

  set(bucket: number, sum: Sum): void {
    this.rows += sum.rows - (this.#sums.get(bucket)?.rows ?? 0);
    this.#sums.set(bucket, sum);
  }

  /** Removes a bucket and returns its sum. */
  take(bucket: number): Sum | undefined {
    const sum = this.#sums.get(bucket);
    this.#sums.delete(bucket);
    return sum;
  }

  has(bucket: number, { rows, sum }: Sum): boolean {
    const own = this.#sums.get(bucket);
    return own?.rows === rows && own.sum === sum;
  }

  /** Runs of adjacent buckets: the first id of each run, and the next id after it. */
  runs(): [from: number, to: number][] {
    const runs: [number, number][] = [];
    for (const bucket of [...this.#sums.keys()].toSorted((a, b) => a - b)) {
      const last = runs.at(-1);
      if (last?.[1] === bucket * bucketIds) last[1] += bucketIds;
      else runs.push([bucket * bucketIds, (bucket + 1) * bucketIds]);
    }
    return runs;
  }

  /** A sentence for each difference from PostgreSQL. */
  differences(there: Buckets): string[] {
    const all = new Set([...this.#sums.keys(), ...there.#sums.keys()]);
    const differing = [...all].filter((bucket) => {
      const other = there.#sums.get(bucket);
      return !other || !this.has(bucket, other);
    });
    if (differing.length === 0) return [];
    const [was, is] = [this, there].map((side) =>
      differing.reduce((sum, bucket) => sum + (side.#sums.get(bucket)?.rows ?? 0), 0),
    );
    const first = Math.min(...differing) * bucketIds;
    return [
      `integrated_event: ${is} rows in PostgreSQL and ${was} in SQLite differ, in ${differing.length} parts; the first from row id ${first} on`,
    ];
  }
}

/** Reads the buckets of PostgreSQL in one walk over all its events. */
export async function bucketsIn(target: Kysely<unknown>, checksum: RawBuilder<unknown>): Promise<Buckets> {
  const { rows } = await sql<{ bucket: number; rows: number; sum: string }>`
    select id / ${sql.lit(bucketIds)} as bucket, count(*) as rows, bit_xor(${checksum})::text as sum
    from integrated_event group by 1`.execute(target);
  const buckets = new Buckets();
  for (const { bucket, rows: count, sum } of rows) buckets.set(bucket, { rows: count, sum: BigInt(sum) });
  return buckets;
}

/** Deletes the events of buckets that SQLite does not have. Returns their number. */
export async function deleteBuckets(target: Kysely<unknown>, buckets: Buckets): Promise<number> {
  let deleted = 0;
  for (const [from, to] of buckets.runs()) {
    for (const part of partsOfEvent) {
      await sql`delete from ${sql.table(part)} where event_row_id >= ${from} and event_row_id < ${to}`.execute(target);
    }
    const { numAffectedRows } = await sql`
      delete from integrated_event where id >= ${from} and id < ${to}`.execute(target);
    deleted += Number(numAffectedRows ?? 0);
  }
  return deleted;
}

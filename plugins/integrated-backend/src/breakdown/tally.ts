import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { LoopSlices } from "@faultline/plugin/flow";
import type { UserNames } from "@faultline/sentry-event";
import type { GetErrorBreakdownResponseSchema, TagBreakdownSchema } from "@faultline/proto";
import type { ExaminedEvent } from "../event/examined-event.ts";
import type { UsualFacts, UsualKey } from "./usual-facts.ts";

/** Maximum counted keys. Further keys are left out, because an event may have 100 and no two events the same. */
const countedKeys = 1_000;

/** Maximum entries in the answer. */
export const shown = { keys: 30, values: 10, users: 100, releases: 20 };

/** The minimum number of events for a comparison: a share of fewer events says nothing. */
const fewestCompared = 10;

interface Key {
  eventCount: number;
  searchable: boolean;
  readonly values: Map<string, number>;
}

/** How the events of an error divide by a tag. */
export interface KeyCounts {
  readonly key: string;
  readonly eventCount: number;
  readonly searchable: boolean;
  readonly valueCount: number;
  /** The values, most events first. */
  readonly values: readonly (readonly [value: string, eventCount: number])[];
}

interface Seen {
  eventCount: number;
  first: number;
  last: number;
  newestEventId: string;
  names: UserNames | undefined;
}

/** Counts the events of an error, newest first. */
export class Tally {
  #eventCount = 0;
  readonly #keys = new Map<string, Key>();
  readonly #users = new Map<string, Seen>();
  readonly #releases = new Map<string, Seen>();

  add({ row, names, facts }: ExaminedEvent): void {
    this.#eventCount += 1;
    const seen = { at: row.occurred_at, id: row.event_id, names };
    if (row.user !== "") see(this.#users, row.user, seen);
    if (row.release !== "") see(this.#releases, row.release, seen);
    for (const [key, value, searchable] of facts) {
      const known = this.#keys.get(key);
      if (known) {
        known.eventCount += 1;
        known.searchable &&= searchable;
        known.values.set(value, (known.values.get(value) ?? 0) + 1);
      } else if (this.#keys.size < countedKeys) {
        this.#keys.set(key, { eventCount: 1, searchable, values: new Map([[value, 1]]) });
      }
    }
  }

  /** `usual`: the facts of the project's other errors. */
  async breakdown(
    usual: UsualFacts,
    { slices, userLimit = shown.users }: { slices: LoopSlices; userLimit?: number },
  ): Promise<MessageInitShape<typeof GetErrorBreakdownResponseSchema>> {
    const keys: KeyCounts[] = [];
    for (const [key, { eventCount, searchable, values }] of this.#keys) {
      const most = largest(values, shown.values, ([, count]) => count);
      keys.push({ key, eventCount, searchable, valueCount: values.size, values: most });
      await slices.next();
    }
    return {
      examinedEventCount: this.#eventCount,
      ...tagsToProto(keys, usual, this.#eventCount),
      users: largest(this.#users, userLimit, ([, one]) => one.eventCount).map(([user, counts]) => ({
        user,
        names: counts.names ?? {},
        ...seenToProto(counts),
        newestEventId: counts.newestEventId,
      })),
      userCount: this.#users.size,
      releases: largest(this.#releases, shown.releases, ([, one]) => one.last).map(([version, counts]) => ({
        version,
        ...seenToProto(counts),
      })),
      releaseCount: this.#releases.size,
    };
  }
}

function see(
  map: Map<string, Seen>,
  name: string,
  { at, id, names }: { at: number; id: Buffer; names: UserNames | undefined },
): void {
  const known = map.get(name);
  if (!known) {
    map.set(name, { eventCount: 1, first: at, last: at, newestEventId: id.toString("hex"), names });
    return;
  }
  known.eventCount += 1;
  known.first = Math.min(known.first, at);
  known.names ??= names;
  if (at <= known.last) return;
  known.last = at;
  known.newestEventId = id.toString("hex");
}

function seenToProto({ eventCount, first, last }: Seen) {
  return { eventCount, firstSeenTime: timestamp(first), lastSeenTime: timestamp(last) };
}

/** The entries with the largest numbers, largest first. */
function largest<T>(entries: Iterable<T>, count: number, number: (entry: T) => number): T[] {
  return [...entries].toSorted((one, other) => number(other) - number(one)).slice(0, count);
}

/** The keys of an error, most distinctive first. */
export function tagsToProto(keys: readonly KeyCounts[], usual: UsualFacts, eventCount: number) {
  const ranked = keys.map((one) => rankedKey(one, { usual: usual.keys.get(one.key), of: eventCount }));
  ranked.sort((one, other) => other.rank - one.rank || (one.tag.key < other.tag.key ? -1 : 1));
  return {
    tags: ranked.slice(0, shown.keys).map(({ tag }) => tag),
    otherTagCount: Math.max(ranked.length - shown.keys, 0),
    usualEventCount: usual.eventCount,
  };
}

/**
 * A key with a measure of its distinctiveness: the excess of a value's share over its usual share, weighted by the
 * events that have the key. Keys with a different value in most events, such as ids, come last.
 */
function rankedKey(
  { key, eventCount, searchable, valueCount, values }: KeyCounts,
  { usual, of }: { usual: UsualKey | undefined; of: number },
): { readonly rank: number; readonly tag: MessageInitShape<typeof TagBreakdownSchema> & { readonly key: string } } {
  const usualShare = (value: string) =>
    usual && usual.eventCount >= fewestCompared ? (usual.values.get(value) ?? 0) / usual.eventCount : undefined;
  const shares = values.map(([value, count]) => ({ value, eventCount: count, usualShare: usualShare(value) }));
  const coverage = eventCount / of;
  const difference = Math.max(
    0,
    ...shares.map((one) => (one.usualShare === undefined ? 0 : one.eventCount / eventCount - one.usualShare)),
  );
  const isMostlyUnique = eventCount >= fewestCompared && valueCount > eventCount / 2;
  return {
    rank: coverage * (1 + difference) - (isMostlyUnique ? 2 : 0),
    tag: {
      key,
      eventCount,
      valueCount,
      searchable,
      values: shares.map(({ usualShare: share, ...one }) =>
        share === undefined ? one : { ...one, usualShare: share },
      ),
    },
  };
}

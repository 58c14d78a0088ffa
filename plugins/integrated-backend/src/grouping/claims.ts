import type { Host } from "@faultline/plugin";
import { ErrorStatus } from "@faultline/proto";
import type { Storage } from "../storage.ts";
import type { Aliases } from "./aliases.ts";
import { claim, isFree, splitOf, type BothHashes, type Claimed } from "./claim.ts";
import { errorKey, type GroupedEvent } from "./group-events.ts";
import type { ClaimTable } from "../tables.ts";
import { groupHash as formerHash, groupingVersion as formerVersion } from "./version-1/grouping.ts";

const subject = "version 1";

/** Groups that are remembered, across all projects: about 8 MB. */
const knownAtMost = 50_000;

/** How long a group is remembered. Its error may be resolved or deleted afterwards. */
const knownMs = 5_000;

interface Parts {
  readonly storage: Storage;
  readonly host: Host;
  readonly aliases: Aliases;
  /** Whether the events of a group are discarded. */
  readonly isDiscarded: (projectId: number, hash: string) => boolean;
}

/** A group of version 1. */
interface Former {
  readonly hasError: boolean;
  readonly claimed: ClaimTable | undefined;
}

interface Asked {
  readonly one: GroupedEvent;
  readonly hashes: BothHashes;
}

/**
 * Keeps known errors known while a project has errors of version 1 of grouping. Each batch passes here before it is
 * stored. A group without an open error is also looked up by its former hash, and claims the error with that hash. An
 * event of a group with an open error costs one look into a set; a project without errors of version 1 costs one look
 * into another set.
 */
export class Claims {
  readonly #storage: Storage;
  readonly #host: Host;
  readonly #aliases: Aliases;
  readonly #isDiscarded: (projectId: number, hash: string) => boolean;
  #projects: ReadonlySet<number> = new Set();
  readonly #known = new Set<string>();
  #knownSince = performance.now();

  constructor({ storage, host, aliases, isDiscarded }: Parts) {
    this.#storage = storage;
    this.#host = host;
    this.#aliases = aliases;
    this.#isDiscarded = isDiscarded;
  }

  async start(): Promise<void> {
    const { database, log } = this.#host;
    await this.load();
    const reload = () => void this.load().catch((error: unknown) => log.error({ err: error }, "claims are unknown"));
    database.announcements.subscribe(subject, reload);
    database.announcements.onMissed(reload);
  }

  /** Looks up all groups again after errors changed status, because only groups with an open error are remembered. */
  forget(): void {
    this.#known.clear();
  }

  /** Reads which projects have groups of version 1. */
  async load(): Promise<void> {
    const rows = await this.#storage.read.selectFrom("integrated_version_1").select("project_id").execute();
    this.#projects = new Set(rows.map(({ project_id }) => Number(project_id)));
  }

  /** Notifies all processes that a project has no groups of version 1 anymore. */
  async changed(): Promise<void> {
    await this.load();
    this.#host.database.announcements.announce(subject, "");
  }

  /**
   * Lets the groups of a batch claim their errors of version 1, and marks the events that create an error split off
   * from another.
   */
  async claim(events: readonly GroupedEvent[]): Promise<readonly GroupedEvent[]> {
    if (this.#projects.size === 0) return events;
    this.#forgetOld();
    const unknown = new Map<string, GroupedEvent>();
    for (const one of events) if (this.#isAsked(one) && !unknown.has(one.key)) unknown.set(one.key, one);
    if (unknown.size === 0) return events;
    const errors = await this.#errorsOf([...unknown.values()]);
    for (const [key, status] of errors) {
      if (status !== ErrorStatus.UNRESOLVED) continue;
      this.#known.add(key);
      unknown.delete(key);
    }
    if (unknown.size === 0) return events;

    const pairs = new Map<string, Asked>();
    for (const one of events) {
      if (!unknown.has(one.key)) continue;
      const { projectId } = one.event;
      const former = this.#aliases.groupOf(projectId, formerHash(one.event));
      const pair = `${one.key}/${former}`;
      if (!this.#known.has(pair)) pairs.set(pair, { one, hashes: { projectId, hash: one.hash, formerHash: former } });
    }
    const formers = await this.#formersOf([...pairs.values()]);
    const changed = new Map<string, GroupedEvent>();
    const withError = new Set(errors.keys());
    for (const [pair, { one, hashes }] of pairs) {
      const former = formers.get(errorKey(hashes.projectId, hashes.formerHash));
      const other = await this.#settled(one, hashes, { former, withError });
      if (other === one) {
        changed.delete(one.key); // an error claimed the group after all
        this.#known.add(pair);
      } else changed.set(one.key, other);
    }
    if (changed.size === 0) return events;
    return events.map((one) => {
      const other = changed.get(one.key);
      return other ? { ...other, event: one.event } : one;
    });
  }

  /**
   * Stores the marks of the events that are about to create an error, so that the error is marked from its first
   * moment.
   */
  async mark(events: readonly GroupedEvent[]): Promise<void> {
    const now = this.#host.clock.now();
    const marks = new Map<string, GroupedEvent>();
    for (const one of events) if (one.splitFrom !== undefined) marks.set(one.key, one);
    for (const { event, hash, splitFrom = 0 } of marks.values()) {
      await this.#storage.write
        .insertInto("integrated_split")
        .values({
          project_id: event.projectId,
          group_hash: Buffer.from(hash, "hex"),
          error_id: null,
          from_error_id: splitFrom,
          split_at: now,
        })
        .onConflict((conflict) => conflict.columns(["project_id", "group_hash"]).doNothing())
        .execute();
    }
  }

  /** Decides for one group in the way used for a batch. Nobody else decides for the rows of its errors meanwhile. */
  async settle(hashes: BothHashes): Promise<Claimed> {
    const { storage, now } = { storage: this.#storage, now: this.#host.clock.now() };
    // Known tags are kept by hash, and the hash may pass to another error.
    return storage.memory.knownRows.forgetAround(() => claim(storage, hashes, now));
  }

  #isAsked({ event: { projectId }, hash, key }: GroupedEvent): boolean {
    return this.#projects.has(projectId) && !this.#known.has(key) && !this.#isDiscarded(projectId, hash);
  }

  /**
   * The statuses of the errors that groups have, by key. An event does not change the assignment of a group with an
   * open error.
   */
  async #errorsOf(groups: readonly GroupedEvent[]): Promise<ReadonlyMap<string, ErrorStatus>> {
    const found = new Map<string, ErrorStatus>();
    for (const [projectId, ofProject] of Map.groupBy(groups, ({ event }) => event.projectId)) {
      const hashes = ofProject.map(({ hash }) => Buffer.from(hash, "hex"));
      const rows = await this.#storage.read
        .selectFrom("integrated_error")
        .select(["group_hash", "status"])
        .where("project_id", "=", projectId)
        .where("group_hash", "in", hashes)
        .execute();
      for (const { group_hash, status } of rows) found.set(errorKey(projectId, group_hash.toString("hex")), status);
    }
    return found;
  }

  /** The groups of version 1 that an error or a claim has, by key. Most new groups are new in both versions. */
  async #formersOf(pairs: readonly Asked[]): Promise<ReadonlyMap<string, Former>> {
    const found = new Map<string, Former>();
    for (const [projectId, ofProject] of Map.groupBy(pairs, ({ hashes }) => hashes.projectId)) {
      const hashes = ofProject.map((pair) => Buffer.from(pair.hashes.formerHash, "hex"));
      const errors = await this.#storage.read
        .selectFrom("integrated_error")
        .select("group_hash")
        .where("project_id", "=", projectId)
        .where("group_hash", "in", hashes)
        .where("grouping_version", "=", formerVersion)
        .execute();
      for (const { group_hash } of errors) {
        found.set(errorKey(projectId, group_hash.toString("hex")), { hasError: true, claimed: undefined });
      }
      const claims = await this.#storage.read
        .selectFrom("integrated_claim")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("former_hash", "in", hashes)
        .execute();
      for (const claimed of claims) {
        const key = errorKey(projectId, claimed.former_hash.toString("hex"));
        found.set(key, { hasError: found.has(key), claimed });
      }
    }
    return found;
  }

  /**
   * The event with the group and the mark that it gets, or the same event if nothing changes. Only errors that version
   * 1 may own need a transaction, so that an unlimited number of new groups costs none.
   */
  async #settled(
    one: GroupedEvent,
    hashes: BothHashes,
    { former, withError }: { readonly former: Former | undefined; readonly withError: Set<string> },
  ): Promise<GroupedEvent> {
    const { projectId, hash, formerHash: formerOf } = hashes;
    if (hash === formerOf) return one;
    if (this.#isDiscarded(projectId, formerOf)) {
      // Discarded events stay discarded, whichever groups they now divide into.
      if (this.#aliases.roomOf(projectId) > 0) await this.#aliases.add({ projectId, hash, ofHash: formerOf });
      return { ...one, hash: formerOf, key: errorKey(projectId, formerOf) };
    }
    if (!former) return one;
    const own = Buffer.from(hash, "hex");
    const hasError = withError.has(one.key);
    const claimed: Claimed =
      former.hasError && isFree(former.claimed, { own, hasError })
        ? await this.settle(hashes)
        : { of: "nothing", splitFrom: hasError ? undefined : splitOf(former.claimed, own) };
    if (claimed.of === "group") withError.add(one.key);
    if (claimed.of === "group" || claimed.splitFrom === undefined) return one;
    return { ...one, splitFrom: claimed.splitFrom };
  }

  #forgetOld(): void {
    const now = performance.now();
    if (this.#known.size < knownAtMost && now - this.#knownSince < knownMs) return;
    this.forget();
    this.#knownSince = now;
  }
}

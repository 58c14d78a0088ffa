import { EventEmitter } from "node:events";
import { listsToAnnounce, type Announcements, type Clock, type ErrorChanges } from "@faultline/plugin";
import { Delayed, BoundedMap } from "@faultline/plugin/flow";

const gatherMs = 1000;

const subject = "changed errors";

/** The milliseconds within which other processes are notified of changes, and the most announcements for that. */
const announceMs = 250;
const announcementsAtOnce = 4;

/** The most errors of a project that one message names. */
const keysAtOnce = 100;

/** An announcement of changed errors of a project, with the same person (or nobody) who set their status. */
type Entry = readonly [projectId: number, keys: readonly string[], more: boolean, by?: string];

interface Gathered {
  readonly keys: Map<string, string>;
  more: boolean;
}

/** Notifies the watches of a project, in all processes, of its changed errors. Stores nothing. */
export class ChangeStream implements Pick<ErrorChanges, "publish" | "publishUnnamed"> {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #announcements: Announcements;
  readonly #clock: Clock;
  readonly #recent: RecentChanges;
  /** Changes that were not announced to the other processes yet, by project. */
  #unannounced = new Map<number, Gathered>();
  readonly #announcing = new Delayed(announceMs, () => this.#announce());

  constructor(announcements: Announcements, clock: Clock) {
    this.#announcements = announcements;
    this.#clock = clock;
    this.#recent = new RecentChanges(clock.now());
    announcements.subscribe(subject, (text) => {
      const entries = JSON.parse(text) as Entry[];
      for (const [projectId, keys, more, by] of entries) this.#emit(projectId, { keys: changedBy(keys, by), more });
      if (entries.length === 0) this.#anyChanged();
    });
    announcements.onMissed(() => this.#anyChanged());
  }

  publish(changes: ReadonlyMap<number, ReadonlySet<string>>, by?: string): void {
    for (const [projectId, keys] of changes) {
      const named = changedBy(keys, by);
      this.#emit(projectId, { keys: named, more: false });
      const unannounced = this.#unannouncedOf(projectId);
      for (const key of named) if (unannounced.keys.size <= keysAtOnce) add(unannounced, key);
    }
    if (changes.size > 0) this.#announcing.later();
  }

  publishUnnamed(projectId: number): void {
    this.#emit(projectId, { keys: new Map(), more: true });
    this.#unannouncedOf(projectId).more = true;
    this.#announcing.later();
  }

  #unannouncedOf(projectId: number): Gathered {
    const unannounced = this.#unannounced.get(projectId) ?? gathering();
    this.#unannounced.set(projectId, unannounced);
    return unannounced;
  }

  /** Announces the pending changes now. */
  announce(): void {
    this.#announcing.now();
  }

  /** Announces the gathered changes. An empty list means that anything may have changed. */
  #announce(): void {
    const entries = [...this.#unannounced].flatMap(([projectId, gathered]): Entry[] => {
      const { keys, more } = bounded(gathered);
      const keysBy = Map.groupBy(keys.keys(), (key) => keys.get(key) ?? "");
      if (keysBy.size === 0) keysBy.set("", []);
      return [...keysBy].map(([by, ofPerson]) => [projectId, ofPerson, more, by]);
    });
    this.#unannounced = new Map();
    const lists = listsToAnnounce(entries);
    for (const list of lists.slice(0, announcementsAtOnce)) this.#announcements.announce(subject, list);
    if (lists.length > announcementsAtOnce) this.#announcements.announce(subject, "[]");
  }

  /**
   * Yields the changed errors of a project until the signal aborts: from now on, or from an earlier time in
   * milliseconds since 1970. Each value gathers the changes of a second, and names 100 errors at most.
   */
  async *of(projectId: number, signal: AbortSignal, since = Infinity): AsyncGenerator<Changed> {
    let gathered = gathering(this.#recent.since(projectId, since));
    let wake: (() => void) | undefined;
    const listen = ({ keys, more }: Changed) => {
      for (const key of keys) add(gathered, key);
      gathered.more ||= more;
      wake?.();
    };
    this.#emitter.on(String(projectId), listen);
    signal.addEventListener("abort", () => wake?.(), { once: true });
    try {
      while (!signal.aborted) {
        if (gathered.keys.size === 0 && !gathered.more) await new Promise<void>((resolve) => (wake = resolve));
        wake = undefined;
        if (signal.aborted) return;
        await new Promise((resolve) => setTimeout(resolve, gatherMs));
        const changed = bounded(gathered);
        gathered = gathering();
        yield changed;
      }
    } finally {
      this.#emitter.off(String(projectId), listen);
    }
  }

  #emit(projectId: number, changed: Changed): void {
    this.#recent.note(projectId, changed, this.#clock.now());
    this.#emitter.emit(String(projectId), changed);
  }

  /** Tells all watches to read their errors again. */
  #anyChanged(): void {
    this.#recent.forget(this.#clock.now());
    for (const projectId of this.#emitter.eventNames()) this.#emitter.emit(projectId, { keys: new Map(), more: true });
  }
}

const gathering = ({ keys, more }: Changed = { keys: new Map(), more: false }): Gathered => ({
  keys: new Map(keys),
  more,
});

function changedBy(keys: Iterable<string>, by = ""): Map<string, string> {
  const changed = new Map<string, string>();
  for (const key of keys) changed.set(key, by);
  return changed;
}

/** A later event keeps the name of the person who made the change. */
function add({ keys }: Gathered, [key, by]: readonly [string, string]): void {
  keys.set(key, by || (keys.get(key) ?? ""));
}

/** Limits the names to `keysAtOnce`, and notes that more errors changed. */
const bounded = ({ keys, more }: Changed): Changed =>
  keys.size <= keysAtOnce ? { keys, more } : { keys: new Map([...keys].slice(0, keysAtOnce)), more: true };

/** Errors of a project that changed. */
interface Changed {
  /** The named errors, each with the user name of the person who set its status, or an empty text. */
  readonly keys: ReadonlyMap<string, string>;
  /** Whether other errors changed too, or may have changed. */
  readonly more: boolean;
}

/** The most errors kept, of all projects together: about 1 MB. */
const errorsAtMost = 5_000;

/** Keeps the latest changes for watches that begin some time after the caller has read a list. */
export class RecentChanges {
  /** The latest change of each error by project and key, oldest first. */
  readonly #changes = new BoundedMap<string, Change>(errorsAtMost, ({ at }) => {
    this.#unknownUntil = Math.max(this.#unknownUntil, at);
  });
  /** Some changes before this time are unknown. */
  #unknownUntil: number;

  constructor(startedAt: number) {
    this.#unknownUntil = startedAt;
  }

  note(projectId: number, { keys, more }: Changed, at: number): void {
    for (const [key, by] of keys) {
      const error = errorOf(projectId, key);
      this.#changes.set(error, { at, by: by || (this.#changes.get(error)?.by ?? "") });
    }
    if (more) this.#changes.set(errorOf(projectId, unnamed), { at, by: "" });
  }

  /** Records that anything may have changed. */
  forget(at: number): void {
    this.#changes.clear();
    this.#unknownUntil = at;
  }

  /** The changes at or after a time. */
  since(projectId: number, time: number): Changed {
    const prefix = errorOf(projectId, "");
    const keys = new Map<string, string>();
    for (const [error, { at, by }] of this.#changes) {
      if (at >= time && error.startsWith(prefix)) keys.set(error.slice(prefix.length), by);
    }
    const more = keys.delete(unnamed);
    return { keys, more: more || this.#unknownUntil >= time };
  }
}

interface Change {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** See Changed.keys. */
  readonly by: string;
}

/** The key for all errors that were not named. */
const unnamed = "";

const errorOf = (projectId: number, key: string) => `${projectId} ${key}`;

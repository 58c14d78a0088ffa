import { EventEmitter } from "node:events";
import { listsToAnnounce, type Announcements, type Clock } from "@faultline/plugin";
import type { Changes } from "../storing/batch.ts";
import { type Changed, RecentChanges } from "./recent-changes.ts";

const gatherMs = 1000;

const subject = "changed errors";

/** Other processes are told what changed within so many milliseconds, in so many announcements. */
const tellMs = 250;
const announcementsAtOnce = 4;

/** Errors of a project that are told at once; that more changed is told without their names. */
export const errorsTold = 100;

/** A project's changed groups, as they are announced. */
type Entry = readonly [projectId: number, hashes: readonly string[], more: boolean];

/** What the other processes are not told yet of a project. */
interface Untold {
  readonly hashes: Set<string>;
  more: boolean;
}

/** Tells watchers which groups of a project changed, here and in other processes. */
export class ErrorChanges {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #announcements: Announcements;
  readonly #clock: Clock;
  readonly #recent: RecentChanges;
  #untold = new Map<number, Untold>();
  #timer: NodeJS.Timeout | undefined;

  constructor(announcements: Announcements, clock: Clock) {
    this.#announcements = announcements;
    this.#clock = clock;
    this.#recent = new RecentChanges(clock.now());
    announcements.subscribe(subject, (text) => {
      const entries = JSON.parse(text) as Entry[];
      for (const [projectId, hashes, more] of entries) this.#emit(projectId, { hashes: new Set(hashes), more });
      if (entries.length === 0) this.#anyChanged();
    });
    announcements.onMissed(() => this.#anyChanged());
  }

  announce(changes: Changes): void {
    for (const [projectId, hashes] of changes) {
      this.#emit(projectId, { hashes, more: false });
      const untold = this.#untoldOf(projectId);
      for (const hash of hashes) if (untold.hashes.size <= errorsTold) untold.hashes.add(hash);
    }
    if (changes.size > 0) this.#tellSoon();
  }

  /** Has the watchers of a project read their lists again: errors went that no hash names any more, or came back. */
  announceUnnamed(projectId: number): void {
    this.#emit(projectId, { hashes: new Set(), more: true });
    this.#untoldOf(projectId).more = true;
    this.#tellSoon();
  }

  #untoldOf(projectId: number): Untold {
    const untold = this.#untold.get(projectId) ?? { hashes: new Set(), more: false };
    this.#untold.set(projectId, untold);
    return untold;
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => this.tell(), tellMs).unref();
  }

  /** Tells the other processes what they were not told yet; an empty list says that anything may have changed. */
  tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = Array.from(this.#untold, ([projectId, { hashes, more }]): Entry => [
      projectId,
      [...hashes].slice(0, errorsTold),
      more || hashes.size > errorsTold,
    ]);
    this.#untold = new Map();
    const lists = listsToAnnounce(entries);
    for (const list of lists.slice(0, announcementsAtOnce)) this.#announcements.announce(subject, list);
    if (lists.length > announcementsAtOnce) this.#announcements.announce(subject, "[]");
  }

  /** The changed groups, gathered for a second each time, until the signal aborts; from now on, or from a time before. */
  async *of(projectId: number, signal: AbortSignal, since = Infinity): AsyncGenerator<Changed> {
    let gathered = gathering(this.#recent.since(projectId, since));
    let wake: (() => void) | undefined;
    const listen = ({ hashes, more }: Changed) => {
      for (const hash of hashes) gathered.hashes.add(hash);
      gathered.more ||= more;
      wake?.();
    };
    this.#emitter.on(String(projectId), listen);
    signal.addEventListener("abort", () => wake?.(), { once: true });
    try {
      while (!signal.aborted) {
        if (gathered.hashes.size === 0 && !gathered.more) await new Promise<void>((resolve) => (wake = resolve));
        wake = undefined;
        if (signal.aborted) return;
        await new Promise((resolve) => setTimeout(resolve, gatherMs));
        const told = gathered;
        gathered = gathering();
        yield told;
      }
    } finally {
      this.#emitter.off(String(projectId), listen);
    }
  }

  #emit(projectId: number, changed: Changed): void {
    this.#recent.note(projectId, changed, this.#clock.now());
    this.#emitter.emit(String(projectId), changed);
  }

  /** Watchers read again what they see. */
  #anyChanged(): void {
    this.#recent.forget(this.#clock.now());
    for (const projectId of this.#emitter.eventNames())
      this.#emitter.emit(projectId, { hashes: new Set(), more: true });
  }
}

const gathering = ({ hashes, more }: Changed = { hashes: new Set(), more: false }) => ({
  hashes: new Set(hashes),
  more,
});

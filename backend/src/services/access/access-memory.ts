import type { Announcements } from "@faultline/plugin";

/** Far more than the callers of an hour; beyond it all is forgotten and asked for again. */
const entriesKept = 10_000;

const subject = "access";

/**
 * Remembers who tokens belong to, what users may do and which backend serves a project, so that a call costs no query. Any
 * code that changes a user, token, session, member, role, project or its settings reports it here, and all is forgotten at
 * once: a revocation holds from the next call on, and in other processes as soon as they hear of it.
 */
export class AccessMemory {
  readonly #announcements: Announcements;
  readonly #entries = new Map<string, Promise<unknown>>();

  constructor(announcements: Announcements) {
    this.#announcements = announcements;
    announcements.subscribe(subject, () => this.forget());
    announcements.onMissed(() => this.forget());
  }

  /** The answer of `find`, which is asked once until something changes. Refusals are not remembered. */
  remembered<T>(key: string, find: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known) return known as Promise<T>; // put there under the same key, below
    if (this.#entries.size >= entriesKept) this.#entries.clear();
    const found = find();
    this.#entries.set(key, found);
    found.catch(() => {
      if (this.#entries.get(key) === found) this.#entries.delete(key);
    });
    return found;
  }

  /** To be called after the change was committed. */
  changed(): void {
    this.forget();
    this.#announcements.announce(subject, "");
  }

  /** All is asked for again. */
  forget(): void {
    this.#entries.clear();
  }
}

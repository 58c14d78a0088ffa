import type { Announcements } from "@faultline/plugin";

/** Far more than the callers of an hour. When it is full, the whole cache is cleared. */
const entriesKept = 10_000;

const subject = "access";

/**
 * Caches the owners of tokens, the rights of users and the backends of projects, so that a call costs no query. Any
 * code that changes a user, token, session, member, role, project or its settings reports the change here, which
 * immediately clears the whole cache. A revocation applies to the next call, and in other processes as soon as they are
 * notified.
 */
export class AccessMemory {
  readonly #announcements: Announcements;
  readonly #entries = new Map<string, Promise<unknown>>();

  constructor(announcements: Announcements) {
    this.#announcements = announcements;
    announcements.subscribe(subject, () => this.forget());
    announcements.onMissed(() => this.forget());
  }

  /** The result of `find`, which is called once until something changes. Refusals are not cached. */
  remembered<T>(key: string, find: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known) return known as Promise<T>; // stored under the same key, below
    if (this.#entries.size >= entriesKept) this.#entries.clear();
    const found = find();
    this.#entries.set(key, found);
    found.catch(() => {
      if (this.#entries.get(key) === found) this.#entries.delete(key);
    });
    return found;
  }

  /** Call it after the change is committed. */
  changed(): void {
    this.forget();
    this.#announcements.announce(subject, "");
  }

  /** Clears the cache. */
  forget(): void {
    this.#entries.clear();
  }
}

/** Errors of a project that changed. */
export interface Changed {
  /** The errors that are named. */
  readonly keys: ReadonlySet<string>;
  /** Whether others changed too, or may have. */
  readonly more: boolean;
}

/** Errors that are kept, of all projects together: about 1 MB. */
const errorsAtMost = 5_000;

/** Keeps the latest changes for a watch that begins some time after its caller has read a list. */
export class RecentChanges {
  /** The time of each change by project and key, the oldest first, in milliseconds since 1970. */
  readonly #changedAt = new Map<string, number>();
  /** Until this time some changes are unknown. */
  #unknownUntil: number;

  constructor(startedAt: number) {
    this.#unknownUntil = startedAt;
  }

  note(projectId: number, { keys, more }: Changed, at: number): void {
    for (const key of more ? [...keys, unnamed] : keys) {
      const error = errorOf(projectId, key);
      this.#changedAt.delete(error);
      this.#changedAt.set(error, at);
    }
    for (const [error, changedAt] of this.#changedAt) {
      if (this.#changedAt.size <= errorsAtMost) return;
      this.#changedAt.delete(error);
      this.#unknownUntil = Math.max(this.#unknownUntil, changedAt);
    }
  }

  /** Records that anything may have changed. */
  forget(at: number): void {
    this.#changedAt.clear();
    this.#unknownUntil = at;
  }

  /** The changes at or after a time. */
  since(projectId: number, time: number): Changed {
    const prefix = errorOf(projectId, "");
    const keys = new Set<string>();
    for (const [error, changedAt] of this.#changedAt) {
      if (changedAt >= time && error.startsWith(prefix)) keys.add(error.slice(prefix.length));
    }
    const more = keys.delete(unnamed);
    return { keys, more: more || this.#unknownUntil >= time };
  }
}

/** Stands for errors that were not named. */
const unnamed = "";

const errorOf = (projectId: number, key: string) => `${projectId} ${key}`;

import { BoundedMap } from "@faultline/plugin/flow";

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
  readonly #changedAt = new BoundedMap<string, number>(errorsAtMost, (changedAt) => {
    this.#unknownUntil = Math.max(this.#unknownUntil, changedAt);
  });
  /** Until this time some changes are unknown. */
  #unknownUntil: number;

  constructor(startedAt: number) {
    this.#unknownUntil = startedAt;
  }

  note(projectId: number, { keys, more }: Changed, at: number): void {
    for (const key of more ? [...keys, unnamed] : keys) this.#changedAt.set(errorOf(projectId, key), at);
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

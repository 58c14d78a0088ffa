import { BoundedMap } from "@faultline/plugin/flow";

/** Errors of a project that changed. */
export interface Changed {
  /** The errors that are named, each with the user name of the person who set its status, or an empty text. */
  readonly keys: ReadonlyMap<string, string>;
  /** Whether others changed too, or may have. */
  readonly more: boolean;
}

/** Errors that are kept, of all projects together: about 1 MB. */
const errorsAtMost = 5_000;

/** Keeps the latest changes for a watch that begins some time after its caller has read a list. */
export class RecentChanges {
  /** The latest change of each error by project and key, the oldest first. */
  readonly #changes = new BoundedMap<string, Change>(errorsAtMost, ({ at }) => {
    this.#unknownUntil = Math.max(this.#unknownUntil, at);
  });
  /** Until this time some changes are unknown. */
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
  /** In milliseconds since 1970. */
  readonly at: number;
  /** See Changed.keys. */
  readonly by: string;
}

/** Stands for errors that were not named. */
const unnamed = "";

const errorOf = (projectId: number, key: string) => `${projectId} ${key}`;

/** Groups of a project that changed. */
export interface Changed {
  readonly hashes: ReadonlySet<string>;
  /** Others changed too, or may have. */
  readonly more: boolean;
}

/** Groups that are remembered, of all projects together: about 1 MB. */
const groupsAtMost = 5_000;

/** What changed last, for a watch that begins after its caller has read a list: in between, nobody told it. */
export class RecentChanges {
  /** By project and group, the oldest first: when it changed, in milliseconds since 1970. */
  readonly #changedAt = new Map<string, number>();
  /** What changed until then is not all known. */
  #unknownUntil: number;

  constructor(startedAt: number) {
    this.#unknownUntil = startedAt;
  }

  note(projectId: number, { hashes, more }: Changed, at: number): void {
    for (const hash of more ? [...hashes, unnamed] : hashes) {
      const key = keyOf(projectId, hash);
      this.#changedAt.delete(key);
      this.#changedAt.set(key, at);
    }
    for (const [key, changedAt] of this.#changedAt) {
      if (this.#changedAt.size <= groupsAtMost) return;
      this.#changedAt.delete(key);
      this.#unknownUntil = Math.max(this.#unknownUntil, changedAt);
    }
  }

  /** Anything may have changed. */
  forget(at: number): void {
    this.#changedAt.clear();
    this.#unknownUntil = at;
  }

  /** What changed then or later. */
  since(projectId: number, time: number): Changed {
    const prefix = keyOf(projectId, "");
    const hashes = new Set<string>();
    for (const [key, changedAt] of this.#changedAt) {
      if (changedAt >= time && key.startsWith(prefix)) hashes.add(key.slice(prefix.length));
    }
    const more = hashes.delete(unnamed);
    return { hashes, more: more || this.#unknownUntil >= time };
  }
}

/** Stands for groups whose names were not told. */
const unnamed = "";

const keyOf = (projectId: number, hash: string) => `${projectId} ${hash}`;

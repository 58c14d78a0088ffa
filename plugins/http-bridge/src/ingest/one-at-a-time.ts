/** Does the work of each project one after the other; that of several projects goes on side by side. */
export class OneAtATime {
  readonly #last = new Map<number, Promise<unknown>>();

  /** Begins when all work of the project that came before has ended, well or not. */
  async run<T>(projectId: number, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(projectId);
    const done = before ? before.then(work, work) : work();
    this.#last.set(projectId, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(projectId) === done) this.#last.delete(projectId);
    }
  }
}

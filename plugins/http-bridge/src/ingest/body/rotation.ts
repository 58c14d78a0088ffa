/** Waiting entries by project. Projects are served in rotation, one entry each; a project's entries stay in order. */
export class Rotation<T> {
  /** The first project is served next. */
  readonly #waiting = new Map<number, T[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  push(projectId: number, one: T): void {
    const ofProject = this.#waiting.get(projectId);
    if (ofProject) ofProject.push(one);
    else this.#waiting.set(projectId, [one]);
  }

  /** Removes and returns the next entry. */
  shift(): T | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [projectId, ofProject] = first;
    const one = ofProject.shift();
    const isLast = ofProject.length === 0;
    if (!isLast && this.#waiting.size === 1) return one; // no other project precedes it
    this.#waiting.delete(projectId);
    if (!isLast) this.#waiting.set(projectId, ofProject);
    return one;
  }
}

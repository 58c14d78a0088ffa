import { listsToAnnounce, type Announcements } from "@faultline/plugin";

const subject = "notifier-inbox";

/** Wakes watchers of inboxes, in all processes of the installation. */
export class InboxChanges {
  readonly #watching = new Map<number, Set<() => void>>();
  #announcements: Announcements | undefined;

  /** Starts to listen to the other processes. */
  open(announcements: Announcements): void {
    this.#announcements = announcements;
    announcements.subscribe(subject, (text) => this.#wake(JSON.parse(text) as number[]));
    announcements.onMissed(() => this.#wake(this.#watching.keys()));
  }

  /** To be called after the commit: the inboxes of these people changed. */
  changed(userIds: Iterable<number>): void {
    const ids = [...userIds];
    this.#wake(ids);
    for (const list of listsToAnnounce(ids)) this.#announcements?.announce(subject, list);
  }

  /** The people who watch in this process. */
  get watching(): readonly number[] {
    return [...this.#watching.keys()];
  }

  /** Wakes watchers in this process, because entries that quiet hours held back are due. */
  wakeHere(userIds: Iterable<number>): void {
    this.#wake(userIds);
  }

  /**
   * Yields the person's id immediately, and after changes. Changes that come while the caller is busy are combined.
   * Ends with the signal.
   */
  async *of(userId: number, signal: AbortSignal): AsyncGenerator<number> {
    let isChanged = true;
    let wake = (): void => undefined;
    const listener = () => {
      isChanged = true;
      wake();
    };
    const listeners = this.#watching.get(userId) ?? new Set();
    this.#watching.set(userId, listeners.add(listener));
    signal.addEventListener("abort", listener);
    try {
      while (!signal.aborted) {
        if (isChanged) {
          isChanged = false;
          yield userId;
        } else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal.removeEventListener("abort", listener);
      listeners.delete(listener);
      if (listeners.size === 0 && this.#watching.get(userId) === listeners) this.#watching.delete(userId);
    }
  }

  #wake(userIds: Iterable<number>): void {
    for (const userId of userIds) for (const listener of this.#watching.get(userId) ?? []) listener();
  }
}

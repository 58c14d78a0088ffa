import { listsToAnnounce, type Announcements } from "@faultline/plugin";

const subject = "notifier-inbox";

/** Wakes those who watch an inbox, in all processes of the installation. */
export class InboxChanges {
  readonly #watching = new Map<number, Set<() => void>>();
  #announcements: Announcements | undefined;

  /** Hears the other processes. */
  open(announcements: Announcements): void {
    this.#announcements = announcements;
    announcements.subscribe(subject, (text) => this.#wake(JSON.parse(text) as number[]));
    announcements.onMissed(() => this.#wake(this.#watching.keys()));
  }

  /** After the commit: the inboxes of these people changed. */
  changed(userIds: Iterable<number>): void {
    const ids = [...userIds];
    this.#wake(ids);
    for (const list of listsToAnnounce(ids)) this.#announcements?.announce(subject, list);
  }

  /** The people who watch here. */
  get watching(): readonly number[] {
    return [...this.#watching.keys()];
  }

  /** Wakes those who watch here: what quiet hours held back is due. */
  wakeHere(userIds: Iterable<number>): void {
    this.#wake(userIds);
  }

  /** Yields the person's id at once, and after changes; those that come while the caller is busy are one. Ends with the signal. */
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

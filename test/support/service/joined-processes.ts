import type { Announcements } from "@faultline/plugin";

/**
 * Processes that receive each other's announcements when `deliver` is called. Processes that share a database receive
 * them after some milliseconds.
 */
export interface JoinedProcesses {
  readonly processes: readonly Announcements[];
  /** Delivers the pending announcements; returns their number. */
  deliver(): number;
  /** Loses the pending announcements, as if all connections had been lost for a while. */
  lose(): void;
}

export function joinedProcesses(count: number): JoinedProcesses {
  const heard = Array.from({ length: count }, () => new Map<string, ((text: string) => void)[]>());
  const missed: (() => void)[] = [];
  let waiting: { readonly from: number; readonly subject: string; readonly text: string }[] = [];
  const processes = heard.map((handlers, from): Announcements => ({
    announce: (subject, text) => void waiting.push({ from, subject, text }),
    subscribe: (subject, handler) => void handlers.set(subject, [...(handlers.get(subject) ?? []), handler]),
    onMissed: (handler) => void missed.push(handler),
  }));
  return {
    processes,
    deliver() {
      const delivered = waiting;
      waiting = [];
      for (const { from, subject, text } of delivered) {
        for (const [to, handlers] of heard.entries()) {
          if (to !== from) for (const handler of handlers.get(subject) ?? []) handler(text);
        }
      }
      return delivered.length;
    },
    lose() {
      waiting = [];
      for (const handler of missed) handler();
    },
  };
}

/** A single process without others. */
export const nobodyElse: Announcements = {
  announce: () => undefined,
  subscribe: () => undefined,
  onMissed: () => undefined,
};

import type { Announcements } from "@faultline/plugin";

/** Processes that hear each other as soon as `deliver` is called, as those that share a database do after some milliseconds. */
export interface JoinedProcesses {
  readonly processes: readonly Announcements[];
  /** Delivers the pending announcements; returns their number. */
  deliver(): number;
  /** As when the connections of all were lost for a while, and with them the announcements. */
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

/** One process, which nobody hears. */
export const nobodyElse: Announcements = {
  announce: () => undefined,
  subscribe: () => undefined,
  onMissed: () => undefined,
};

import { readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in hundredths of a second (USER_HZ, proc_pid_stat(5)). */
const ticksOfSecond = 100;

/** Processor time that processes and their children have taken so far, in seconds. Needs Linux. */
export function cpuSeconds(pids: readonly number[]): number {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
  const counted = all.filter(({ pid, parent }) => pids.includes(pid) || pids.includes(parent));
  const ticks = counted.map(({ pid, own, ofEnded }) => own + (pids.includes(pid) ? ofEnded : 0));
  return ticks.reduce((sum, one) => sum + one, 0) / ticksOfSecond;
}

/** A process, with its ticks and the ticks of its ended children. */
interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly own: number;
  readonly ofEnded: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const numbers = text.slice(text.lastIndexOf(")") + 2).split(" "); // from the third field on: the second may hold spaces
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map((n) =>
      Number(numbers[n]),
    );
    return { pid, parent, own: user + system, ofEnded: endedUser + endedSystem };
  } catch {
    return undefined; // it has ended meanwhile
  }
}

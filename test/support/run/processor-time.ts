import { readFileSync, readdirSync } from "node:fs";

/** The kernel's ticks per second: 100 on all current Linux (sysconf(_SC_CLK_TCK)). */
const ticksPerSecond = 100;

/**
 * The seconds of a core that a process and its descendants took so far, including children that ended, unless their
 * parent never asked for their exit code. 0 without /proc.
 */
export function processorSeconds(pid: number): number {
  const processes = allProcesses();
  const below = (parent: number): number =>
    (processes.get(parent)?.ticks ?? 0) +
    [...processes].reduce((sum, [child, { parentPid }]) => (parentPid === parent ? sum + below(child) : sum), 0);
  return below(pid) / ticksPerSecond;
}

function allProcesses(): Map<number, { readonly parentPid: number; readonly ticks: number }> {
  const processes = new Map<number, { readonly parentPid: number; readonly ticks: number }>();
  for (const name of listed()) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      // proc_pid_stat(5): after the command in brackets come state and ppid, and from the twelfth field on utime,
      // stime, cutime and cstime.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      processes.set(Number(name), { parentPid: Number(fields[1]), ticks });
    } catch {
      // it has just ended
    }
  }
  return processes;
}

function listed(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

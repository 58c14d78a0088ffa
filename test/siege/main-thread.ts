import { readFileSync } from "node:fs";

/** How a process's first thread, which runs the event loop, spent its life so far; NaN where Linux does not say. */
export interface MainThread {
  readonly ranSeconds: number;
  /** It could have run and no core was free: what other programs cost it. */
  readonly waitedSeconds: number;
}

/** Reads it from the kernel's scheduler (Documentation/scheduler/sched-stats.rst). */
export function mainThread(pid: number): MainThread {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
    return { ranSeconds: Number(ran) / 1e9, waitedSeconds: Number(waited) / 1e9 };
  } catch {
    return { ranSeconds: Number.NaN, waitedSeconds: Number.NaN }; // it has ended, or this kernel does not count
  }
}

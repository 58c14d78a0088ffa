import { readFileSync, writeFileSync } from "node:fs";

/** Resident memory of a process in MiB, now or at most since it started or `forgetPeak`; Linux only. */
export function residentMiB(pid: number, when: "now" | "at most"): number {
  const name = when === "now" ? "VmRSS" : "VmHWM";
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024);
}

/** Resets the peak of a process to what it needs now (proc_pid_clear_refs(5)). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

import { existsSync, readFileSync } from "node:fs";

/** The resident memory of a process, VmRSS of /proc; undefined on systems without /proc. */
export function residentBytes(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, "utf8"))?.[1]) * 1024;
}

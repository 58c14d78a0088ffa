import { existsSync, readFileSync } from "node:fs";

/** The memory a process holds, VmRSS of /proc; undefined on systems without it. */
export function residentBytes(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, "utf8"))?.[1]) * 1024;
}

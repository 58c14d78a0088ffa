/**
 * The work of a process of an installation. Each holds the whole core on the same database, so that no call travels
 * between processes; the role says which doors it opens and which work it takes:
 *
 * - `bridge`: SDK ingestion, REST and the web API
 * - `core`: gRPC for other programs
 * - `worker`: takes from the queue and stores, and does the work for the whole installation, such as retention
 * - `console`: the pages
 * - `all`: everything, as one machine does
 *
 * Health, readiness and metrics are answered by every process. There may be any number of each.
 */
export const roles = ["all", "bridge", "core", "worker", "console"] as const;

export type Role = (typeof roles)[number];

/** Whether a process with the role does a part of the work. */
export function does(role: Role, part: Exclude<Role, "all">): boolean {
  return role === "all" || role === part;
}

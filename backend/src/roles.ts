/**
 * The work of a process of an installation. Each process has the whole core on the same database, so that no call
 * travels between processes. The role selects its doors and its work:
 *
 * - `bridge`: SDK ingestion, REST and the web API
 * - `core`: gRPC for other programs
 * - `worker`: stores items from the queue, and does the work for the whole installation, such as retention
 * - `console`: the pages
 * - `all`: everything, on one machine
 *
 * Every process answers health, readiness and metrics. Each role may have any number of processes.
 */
export const roles = ["all", "bridge", "core", "worker", "console"] as const;

export type Role = (typeof roles)[number];

/** Whether a process with the role does a part of the work. */
export function does(role: Role, part: Exclude<Role, "all">): boolean {
  return role === "all" || role === part;
}

import { inBackground } from "@faultline/plugin/flow";
import { hourMs, type Host, dayMs } from "@faultline/plugin";
import { hidden } from "../tables.ts";
import { retentionCutoff } from "../retention/retention.ts";
import type { Storage } from "../storage.ts";
import { otherErrorsHash } from "../event/summary.ts";
import type { Aliases } from "./aliases.ts";
import type { Claims } from "./claims.ts";
import { groupHash, groupingVersion } from "./group-events.ts";
import { newestEvents } from "./regroup.ts";
import { groupingVersion as formerVersion } from "./version-1/grouping.ts";

/**
 * How often the work is looked for, and how long after a start it begins, because a service that just started is busy.
 */
const everyMs = 60_000;
const afterStartMs = 600_000;

/** How long before errors without a stored event are looked for again. */
const againMs = 24 * hourMs;

/** Errors that are read at a time. */
const errorsAtOnce = 100;

interface Parts {
  readonly storage: Storage;
  readonly host: Host;
  readonly aliases: Aliases;
  readonly claims: Claims;
}

/**
 * Lets the errors of version 1 claim their groups by their newest stored event. Errors that now belong together are
 * found before an event shows it, and storing soon need not look up version 1 anymore.
 */
export function scheduleUpgrade(parts: Parts): void {
  const { host, claims } = parts;
  const startedAt = host.clock.now();
  host.scheduler.every(everyMs, "read which projects have errors of version 1", () => claims.load());
  const upgrade = async (signal: AbortSignal) => {
    if (host.clock.now() - startedAt >= afterStartMs) await upgradeProjects(parts, signal);
  };
  host.scheduler.every(everyMs, "group errors of version 1", upgrade, { alone: true });
}

async function upgradeProjects(parts: Parts, signal: AbortSignal): Promise<void> {
  const now = parts.host.clock.now();
  const due = await parts.storage.read
    .selectFrom("integrated_version_1")
    .selectAll()
    .where(({ eb, or }) => or([eb("examined_at", "<=", now - againMs), eb("examined_id", ">", 0)]))
    .orderBy("project_id")
    .execute();
  for (const { project_id, examined_id } of due) {
    const projectId = Number(project_id);
    if (await upgradeErrors(parts, { projectId, after: Number(examined_id), signal }))
      await settleProject(parts, projectId);
    if (signal.aborted) return;
  }
}

/** Walks the errors of a project. Returns false if interrupted; the next run continues. */
async function upgradeErrors(
  parts: Parts,
  { projectId, after, signal }: { projectId: number; after: number; signal: AbortSignal },
): Promise<boolean> {
  const { storage } = parts;
  for (let last = after; ;) {
    const errors = await storage.read
      .selectFrom("integrated_error as error")
      .select(["error.id", "error.group_hash"])
      .where("error.project_id", "=", projectId)
      .where("error.id", ">", last)
      .where("error.grouping_version", "=", formerVersion)
      .where("error.status", "<>", hidden)
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom("integrated_claim as claim")
              .select("claim.error_id")
              .whereRef("claim.project_id", "=", "error.project_id")
              .whereRef("claim.joined_error_id", "=", "error.id"),
          ),
        ),
      )
      .orderBy("error.id")
      .limit(errorsAtOnce)
      .execute();
    for (const { id, group_hash } of errors) {
      if (signal.aborted) return false;
      await inBackground(() => upgradeError(parts, { projectId, errorId: id, formerHash: group_hash.toString("hex") }));
      last = id;
    }
    if (errors.length < errorsAtOnce) return true;
    await storage.write
      .updateTable("integrated_version_1")
      .set({ examined_id: last })
      .where("project_id", "=", projectId)
      .execute();
  }
}

async function upgradeError(
  { storage, host, aliases, claims }: Parts,
  { projectId, errorId, formerHash }: { projectId: number; errorId: number; formerHash: string },
): Promise<void> {
  const [newest] = await host.readHeads(await newestEvents(storage, { projectId, errorId, limit: 1 }));
  const hash = newest ? aliases.groupOf(projectId, groupHash(newest)) : formerHash;
  if (hash !== formerHash) await claims.settle({ projectId, hash, formerHash });
  // "Other errors" has the same hash in all versions, and a discarded group keeps the hash by which it is discarded.
  else if (newest || formerHash === otherErrorsHash) await stayAsItIs(storage, projectId, errorId);
}

async function stayAsItIs({ write }: Storage, projectId: number, errorId: number): Promise<void> {
  await write
    .updateTable("integrated_error")
    .set({ grouping_version: groupingVersion })
    .where("project_id", "=", projectId)
    .where("id", "=", errorId)
    .execute();
}

/**
 * Ends the work for a project 90 days after its last error got its group. Until then an event may arrive with an error
 * that version 1 would have known.
 */
async function settleProject({ storage, host, claims }: Parts, projectId: number): Promise<void> {
  const now = host.clock.now();
  const { numDeletedRows } = await storage.write
    .deleteFrom("integrated_version_1")
    .where("project_id", "=", projectId)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom("integrated_error as error")
            .select("error.id")
            .where("error.project_id", "=", projectId)
            .where("error.grouping_version", "=", formerVersion)
            .where(({ exists: hasAny, not: no, selectFrom: from }) =>
              no(
                hasAny(
                  from("integrated_claim as claim")
                    .select("claim.error_id")
                    .whereRef("claim.project_id", "=", "error.project_id")
                    .whereRef("claim.joined_error_id", "=", "error.id"),
                ),
              ),
            ),
        ),
      ),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom("integrated_claim as claim")
            .select("claim.error_id")
            .where("claim.project_id", "=", projectId)
            .where("claim.claimed_at", ">=", retentionCutoff(now)),
        ),
      ),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom("integrated_discard as discard")
            .select("discard.id")
            .where("discard.project_id", "=", projectId)
            .where("discard.grouping_version", "=", formerVersion)
            .where("discard.ended_at", "is", null),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  if (numDeletedRows > 0n) return claims.changed();
  await storage.write
    .updateTable("integrated_version_1")
    .set({ examined_id: 0, examined_at: now })
    .where("project_id", "=", projectId)
    .execute();
  // Marks of groups that never got an error, such as groups beyond the limit of new errors.
  await storage.write
    .deleteFrom("integrated_split")
    .where("project_id", "=", projectId)
    .where("error_id", "is", null)
    .where("split_at", "<", now - dayMs)
    .execute();
}

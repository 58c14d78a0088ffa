import type { Clock, ErrorBackend, Log } from "@faultline/plugin";
import type { MikroORM } from "@mikro-orm/sql";
import { ProjectEntity, restorableMs } from "../tables/project.ts";

/** The deletion time of a project to remove for good now: long ago by any clock. */
export const longAgo = 0;

/** The condition that a deleted project can still be restored: it ends exactly when the final removal begins. */
export function restorable(now: number) {
  return { deletedAt: { $gt: now - restorableMs } };
}

/**
 * Removes for good the projects that were deleted seven days ago: first their data, holder by holder, in slices so that
 * ingestion never waits long for the writer, then their row with settings, client keys, members and invitations. After
 * an interruption, the next run continues.
 */
export async function removeDeletedProjects(parts: {
  orm: MikroORM;
  clock: Clock;
  log: Log;
  holders: readonly Pick<ErrorBackend, "deleteProject">[];
  signal: AbortSignal;
}): Promise<void> {
  const { orm, clock, log, holders, signal } = parts;
  const em = orm.em.fork();
  const due = await em.find(ProjectEntity, { deletedAt: { $lte: clock.now() - restorableMs } });
  for (const { id } of due) {
    for (const holder of holders) {
      for (let isGone = false; !isGone;) {
        if (signal.aborted) return;
        isGone = (await holder.deleteProject?.(id)) ?? true;
      }
    }
    await em.nativeDelete(ProjectEntity, { id });
    log.info({ projectId: id }, "permanently removed a deleted project");
  }
}

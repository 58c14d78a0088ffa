import type { Clock, ErrorBackend, Log } from "@faultline/plugin";
import type { MikroORM } from "@mikro-orm/sql";
import { ProjectEntity, restorableMs } from "./project.ts";

/** When a project was deleted that goes for good now, by whichever clock. */
export const longAgo = 0;

/** Finds deleted projects that can be restored; at once no longer when the others begin to go for good. */
export function restorable(now: number) {
  return { deletedAt: { $gt: now - restorableMs } };
}

/**
 * Deletes for good what was deleted seven days ago: first what the holders have of a project, slice by slice so that
 * ingestion never waits long for the writer, then its row and with it settings, client keys, members and invitations.
 * What a stop interrupts is taken up by the next run.
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
    log.info({ projectId: id }, "removed a deleted project for good");
  }
}

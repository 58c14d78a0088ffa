import type { EntityManager } from "@mikro-orm/sql";
import { ProjectEntity, type ProjectRow } from "./project.ts";
import { projectNotFound } from "./project-not-found.ts";

/** The row of a project that is not deleted, or a refusal. */
export async function projectRow(em: EntityManager, id: number): Promise<ProjectRow> {
  const row = await em.findOne(ProjectEntity, { id, deletedAt: null });
  if (!row) throw projectNotFound();
  return row;
}

import { ServiceError } from "@faultline/plugin";
import { ErrorReason, Permission } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { Grant, Grants } from "../access/grants.ts";
import { ProjectEntity } from "../projects/project.ts";
import { SettingsEntity, type SettingsRow } from "../settings/settings.ts";
import type { UserRow } from "../users/user.ts";
import { rolesWith, visibleProjects } from "../projects/visible-projects.ts";

/** The most projects of one call: all their answers are in memory while they are merged. */
const mostAsked = 100;

/** A project whose errors are to be listed. */
export interface Asked {
  readonly grant: Grant;
  readonly settings: SettingsRow;
}

/** The projects whose errors a user may read and whose error tracking works, ordered by path. */
export async function askedProjects(
  user: UserRow,
  text: string,
  { orm, grants }: { orm: MikroORM; grants: Grants },
): Promise<{ asked: Asked[]; leftOut: number }> {
  const em = orm.em.fork();
  const readers = await rolesWith(em, Permission.READ_ERROR_TRACKING);
  const active = em.createQueryBuilder(SettingsEntity).select("id").where({ active: true });
  const [rows, count] = await em.findAndCount(
    ProjectEntity,
    {
      monitorEnabled: true,
      $and: [visibleProjects(em, user, { text, roles: readers }), { id: { $in: active.toRaw() } }],
    },
    { orderBy: { path: "asc" }, limit: mostAsked },
  );
  const settings = await em.find(SettingsEntity, { id: { $in: rows.map(({ id }) => id) } });
  const settingsOf = new Map(settings.map((row) => [row.id, row]));
  const asked = await Promise.all(
    rows.map(async ({ id }) => {
      const grant = await grants.of(user, id).catch(unlessGone);
      const known = settingsOf.get(id);
      return grant?.permissions.has(Permission.READ_ERROR_TRACKING) && known ? [{ grant, settings: known }] : [];
    }),
  );
  return { asked: asked.flat(), leftOut: count - rows.length };
}

/** A project may be deleted while it is being looked up. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.reason === ErrorReason.PROJECT_NOT_FOUND)) throw error;
}

import type { Clock } from "@faultline/plugin";
import type { MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import type { Grant, Grants } from "../access/grants.ts";
import type { ClientKeys } from "../client-keys/client-keys.ts";
import type { SettingsRow } from "../settings/settings.ts";
import type { UserRow } from "../users/user.ts";
import { mayInvite, type Delegated } from "../instance/delegation.ts";
import { projectToProto } from "./project.ts";
import type { ProjectDirectory } from "./project-directory.ts";

/** The dependencies of the methods of projects. */
export interface ProjectParts {
  readonly orm: MikroORM;
  readonly clock: Clock;
  readonly projects: ProjectDirectory;
  readonly clientKeys: ClientKeys;
  readonly grants: Grants;
  readonly memory: AccessMemory;
  readonly delegated: Delegated;
}

/** The message of a project as a user sees it, from settings that were already read. */
export function shownProject(
  { projects, delegated }: ProjectParts,
  settings: SettingsRow | null,
  { grant, user }: { readonly grant: Grant; readonly user: UserRow },
) {
  const capabilities = projects.capabilities(grant, settings);
  const { adminMembers } = capabilities;
  const invite = adminMembers?.allowed ? mayInvite(delegated, user) : adminMembers;
  const seesBackend = capabilities.adminErrorTracking?.allowed === true;
  return {
    ...projectToProto(grant, { ...capabilities, ...(invite && { invite }) }),
    ...(seesBackend && settings && { backend: settings.backend }),
  };
}

/** The same for a project by its id, or for one that the guard found. */
export async function readProject(parts: ProjectParts, user: UserRow, found: number | Grant) {
  const grant = typeof found === "number" ? await parts.grants.of(user, found) : found;
  return shownProject(parts, await parts.projects.settings(grant.project.id), { grant, user });
}

/** To be called after a change of a project was committed. */
export function projectChanged({ clientKeys, memory }: ProjectParts): void {
  clientKeys.projectChanged();
  memory.changed();
}

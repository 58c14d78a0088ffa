import { Backend } from "@faultline/proto";
import type { EntityManager } from "@mikro-orm/sql";
import { ProjectEntity } from "../projects/project.ts";
import { SettingsEntity, type SettingsRow } from "./settings.ts";

/**
 * Whether another project of this installation is linked to the external project of these settings (specification 5: a
 * separate external project for every project). Deleted projects and those with the integrated backend hold none. Call
 * it within the transaction that saves: writers take turns, so of two concurrent saves the second sees the first.
 */
export async function isLinkedElsewhere(em: EntityManager, settings: SettingsRow): Promise<boolean> {
  const { id, backend, externalApiUrl } = settings;
  if (backend !== Backend.EXTERNAL || externalApiUrl === "" || settings.externalProjectSlug === "") return false;
  const existing = em.createQueryBuilder(ProjectEntity).select("id").where({ deletedAt: null });
  const others = await em.find(SettingsEntity, { id: { $ne: id, $in: existing.toRaw() }, backend, externalApiUrl });
  return others.some((other) => isSameProject(other, settings));
}

/** Compares ids and slugs, as a row may have only one of them; slugs ignore case. */
function isSameProject(one: SettingsRow, other: SettingsRow): boolean {
  if (one.externalProjectSlug === "") return false;
  if (one.externalProjectId !== "" && one.externalProjectId === other.externalProjectId) return true;
  return slugs(one) === slugs(other);
}

const slugs = ({ externalOrganizationSlug, externalProjectSlug }: SettingsRow) =>
  `${externalOrganizationSlug}/${externalProjectSlug}`.toLowerCase();

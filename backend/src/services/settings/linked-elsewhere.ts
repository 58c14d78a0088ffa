import { Backend } from "@faultline/proto";
import type { EntityManager } from "@mikro-orm/sql";
import { ProjectEntity } from "../projects/project.ts";
import { withoutApiPath } from "./external-api-url.ts";
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
  const host = { $like: `%//${URL.parse(externalApiUrl)?.hostname}%` };
  const near = { id: { $ne: id, $in: existing.toRaw() }, backend, externalApiUrl: host };
  const others = await em.find(SettingsEntity, near);
  return others.some((other) => systemOf(other) === systemOf(settings) && isSameProject(other, settings));
}

/**
 * Which system an address leads to: host, port and base path. A system answers by http and by https, so neither the scheme
 * nor the port that stands for it tells two of them apart. Earlier releases also stored `/api/0` behind the base path.
 */
function systemOf({ externalApiUrl: address }: SettingsRow): string {
  const { hostname = "", port = "", pathname = "" } = URL.parse(withoutApiPath(address)) ?? {};
  const isUsual = port === "" || port === "80" || port === "443";
  return `${hostname}${isUsual ? "" : `:${port}`}${pathname.replace(/\/+$/, "")}`;
}

/** Compares ids and slugs, as a row may have only one of them; slugs ignore case. */
function isSameProject(one: SettingsRow, other: SettingsRow): boolean {
  if (one.externalProjectSlug === "") return false;
  if (one.externalProjectId !== "" && one.externalProjectId === other.externalProjectId) return true;
  return slugs(one) === slugs(other);
}

const slugs = ({ externalOrganizationSlug, externalProjectSlug }: SettingsRow) =>
  `${externalOrganizationSlug}/${externalProjectSlug}`.toLowerCase();

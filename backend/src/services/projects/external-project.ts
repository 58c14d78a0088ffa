import { invalidField, ServiceError, type ExternalLink } from "@faultline/plugin";
import { type ExternalProject, ErrorReason, Backend } from "@faultline/proto";
import type { EntityManager } from "@mikro-orm/sql";
import { externalTokenPlace } from "../../storage/secrets/encrypted-columns.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { ProjectEntity } from "../tables/project.ts";
import { type SettingsRow, SettingsEntity } from "../tables/settings.ts";

/** The columns that link an external project. */
export type ExternalProjectColumns = Pick<
  SettingsRow,
  | "externalProjectId"
  | "externalProjectSlug"
  | "externalProjectName"
  | "externalOrganizationSlug"
  | "externalOrganizationName"
>;

export const noExternalProject: ExternalProjectColumns = {
  externalProjectId: "",
  externalProjectSlug: "",
  externalProjectName: "",
  externalOrganizationSlug: "",
  externalOrganizationName: "",
};

/**
 * The external project in its stored form; without id and slugs there is none. Id and slugs become parts of request
 * addresses, so values that could lead elsewhere are refused with INVALID_FIELD.
 */
export function externalProjectColumns(project: ExternalProject): ExternalProjectColumns {
  const { id, slug, name, organizationSlug, organizationName } = project;
  if (id === "" && slug === "" && organizationSlug === "") return noExternalProject;
  if (!/^\d{0,20}$/.test(id)) refuse("The id of an external project has at most 20 digits.");
  for (const text of [slug, organizationSlug]) {
    if (!/^[\w.~-]{1,255}$/.test(text) || text === "." || text === "..") {
      refuse("The slugs of an external project and its organization have 1 to 255 letters, digits, -, _, . and ~.");
    }
  }
  for (const text of [name, organizationName]) {
    // oxlint-disable-next-line no-control-regex -- the pattern looks for them
    if (text.length > 255 || /[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(text)) {
      refuse("Names of an external project have at most 255 characters on one line.");
    }
  }
  return {
    externalProjectId: id,
    externalProjectSlug: slug,
    externalProjectName: name,
    externalOrganizationSlug: organizationSlug,
    externalOrganizationName: organizationName,
  };
}

function refuse(message: string): never {
  throw invalidField("external_project", message);
}

/** Scheme, host name or address, port, and a base path of plain parts. ASCII only: look-alike letters are refused. */
const plainUrl = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:\/[a-z0-9._~-]+)*$/i;

/**
 * The External API URL in its stored form: scheme and host of the external system (specification 2.1), with an optional
 * base path; host in lower case, no default port, no `/` and no `/api/0` at the end. The raw text is checked before it
 * is parsed because URL parsing silently drops tabs and newlines and reads `\` as `/`. Whether an address may be
 * connected to is decided when connecting, not here: names resolve differently tomorrow, and the operator's rules
 * change.
 */
export function externalApiUrl(text: string): string {
  const isShort = text.length <= 255; // checked first: the next pattern takes quadratic time on a long run
  const raw = isShort ? text.trim().replace(/\/+$/, "") : "";
  if (isShort && raw === "") return "";
  const url = plainUrl.test(raw) && !/\/\.\.?(\/|$)/.test(raw) ? URL.parse(raw) : null;
  if (!url) {
    throw invalidField(
      "external_api_url",
      "Enter the host name of the external system with its scheme, such as https://errors.example.com.",
    );
  }
  url.hostname = url.hostname.replace(/\.$/, ""); // a trailing dot does not change a name
  return withoutApiPath(url.origin + url.pathname.replace(/\/+$/, ""));
}

/** The address of a system, from an address of its API that somebody may have pasted. */
export const withoutApiPath = (url: string): string => url.replace(/\/api\/0(?:\/.*)?$/s, "");

/** The external project that settings link to, with the token to read it. */
export function externalLink(settings: SettingsRow, keyRing: KeyRing): ExternalLink {
  const { id, externalApiUrl: apiUrl, externalAuthToken, revision } = settings;
  if (externalAuthToken == null) {
    throw new ServiceError(
      ErrorReason.EXTERNAL_SETTINGS_INCOMPLETE,
      "The auth token for the external system is missing. A maintainer can enter it in Settings > Monitor > Error Tracking.",
    );
  }
  return {
    apiUrl,
    token: keyRing.decrypt(externalTokenPlace(id), externalAuthToken),
    project: {
      id: settings.externalProjectId,
      slug: settings.externalProjectSlug,
      organizationSlug: settings.externalOrganizationSlug,
    },
    revision,
  };
}

/**
 * Whether another project of this installation is linked to the external project of these settings (specification 5: a
 * separate external project for every project). Deleted projects and projects with the integrated backend have no link.
 * Call it within the transaction that saves: writers take turns, so the second of two concurrent saves sees the first.
 */
export async function isLinkedElsewhere(em: EntityManager, settings: SettingsRow): Promise<boolean> {
  const { id, backend, externalApiUrl: address } = settings;
  if (backend !== Backend.EXTERNAL || address === "" || settings.externalProjectSlug === "") return false;
  const existing = em.createQueryBuilder(ProjectEntity).select("id").where({ deletedAt: null });
  const host = { $like: `%//${URL.parse(address)?.hostname}%` };
  const near = { id: { $ne: id, $in: existing.toRaw() }, backend, externalApiUrl: host };
  const others = await em.find(SettingsEntity, near);
  return others.some((other) => systemOf(other) === systemOf(settings) && isSameProject(other, settings));
}

/**
 * The system that an address leads to: host, port and base path. A system answers by http and by https, so neither the
 * scheme nor its default port distinguishes systems. Earlier releases also stored `/api/0` after the base path.
 */
function systemOf({ externalApiUrl: address }: SettingsRow): string {
  const { hostname = "", port = "", pathname = "" } = URL.parse(withoutApiPath(address)) ?? {};
  const isUsual = port === "" || port === "80" || port === "443";
  return `${hostname}${isUsual ? "" : `:${port}`}${pathname.replace(/\/+$/, "")}`;
}

/** Compares ids and slugs because a row may have only one of them; slugs ignore case. */
function isSameProject(one: SettingsRow, other: SettingsRow): boolean {
  if (one.externalProjectSlug === "") return false;
  if (one.externalProjectId !== "" && one.externalProjectId === other.externalProjectId) return true;
  return slugs(one) === slugs(other);
}

const slugs = ({ externalOrganizationSlug, externalProjectSlug }: SettingsRow) =>
  `${externalOrganizationSlug}/${externalProjectSlug}`.toLowerCase();

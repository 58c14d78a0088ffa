import { createHash } from "node:crypto";

/**
 * Sentry identifies a project by two slugs; our paths have one to five parts. The first part is the organization; the
 * other parts, joined by `~`, are the project: `acme/team/web` is `acme` and `team~web`. A path with one part is a
 * project of the organization `-`. No part of a path can begin with `-` or contain `~`, so each path has exactly one
 * pair of slugs.
 */
export interface Slugs {
  readonly organization: string;
  readonly project: string;
}

const noOrganization = "-";

export function slugsOf(path: string): Slugs {
  const [first = "", ...others] = path.split("/");
  return others.length === 0
    ? { organization: noOrganization, project: first }
    : { organization: first, project: others.join("~") };
}

/** The path of two slugs; undefined if no path can have them. */
export function pathOf({ organization, project }: Slugs): string | undefined {
  const isSlug = (text: string) => text !== "" && !text.includes("/");
  if (!isSlug(organization) || !isSlug(project)) return undefined;
  if (organization === noOrganization) return project.includes("~") ? undefined : project;
  return `${organization}/${project.replaceAll("~", "/")}`;
}

/**
 * The id of an organization, which is only a name here. It is decimal, because clients expect that, and constant: 40
 * bits of a digest of the slug.
 */
export function organizationId(slug: string): string {
  return String(createHash("sha256").update(slug.toLowerCase()).digest().readUIntBE(0, 5));
}

/** Whether a project belongs to an organization; paths are case-insensitive. */
export function isOf(organization: string, path: string): boolean {
  return slugsOf(path).organization.toLowerCase() === organization.toLowerCase();
}

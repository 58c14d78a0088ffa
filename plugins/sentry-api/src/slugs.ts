import { createHash } from "node:crypto";

/**
 * Sentry names a project by two slugs; a path of ours has one to five parts. The first part is the organization, the
 * others, joined by `~`, are the project: `acme/team/web` is `acme` and `team~web`. A path of one part is a project of the
 * organization `-`. Neither sign can begin or join parts in a path, so that each path has one pair.
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

/** The path that two slugs name; undefined when no path has them. */
export function pathOf({ organization, project }: Slugs): string | undefined {
  const isSlug = (text: string) => text !== "" && !text.includes("/");
  if (!isSlug(organization) || !isSlug(project)) return undefined;
  if (organization === noOrganization) return project.includes("~") ? undefined : project;
  return `${organization}/${project.replaceAll("~", "/")}`;
}

/**
 * An id of an organization, which is a name and no more here: decimal, as clients read it, the same for ever, and 40 bits
 * of a digest of the slug.
 */
export function organizationId(slug: string): string {
  return String(createHash("sha256").update(slug.toLowerCase()).digest().readUIntBE(0, 5));
}

/** Whether a project is of an organization; paths know no case. */
export function isOf(organization: string, path: string): boolean {
  return slugsOf(path).organization.toLowerCase() === organization.toLowerCase();
}

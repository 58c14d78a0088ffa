/** The navigation as one table: a feature with a page adds its page and one line here. Pure. */

import type { IconName } from "../components/icons.ts";
import type { Capability, Project, User } from "../messages.ts";
import { route } from "./route.ts";

/** The sections in their order, with who sees each: project, where a page of a project is shown. */
const sections = [
  { name: "Monitor", seenBy: "project" },
  { name: "Settings", seenBy: "project" },
  { name: "You", seenBy: "everyone" },
  { name: "Administration", seenBy: "administrators" },
] as const;

/** A page that the navigation leads to. */
export interface Entry {
  readonly section: (typeof sections)[number]["name"];
  readonly label: string;
  readonly icon: IconName;
  /** The page's address. `projectPath` is empty in sections that belong to no project. */
  readonly address: (projectPath: string) => string;
  /** The capability that the page needs; where it is not allowed, the link stays in its place and gives the reason. Absent: none. */
  readonly needs?: (capabilities: Project["capabilities"]) => Capability | undefined;
}

export const entries: readonly Entry[] = [
  { section: "Monitor", label: "Error Tracking", icon: "errors", address: route.errors },
  { section: "Monitor", label: "Releases", icon: "release", address: route.releases, needs: releasesOffered },
  { section: "Monitor", label: "Ingestion", icon: "download", address: route.ingestion },
  { section: "Monitor", label: "Deletions", icon: "trash", address: route.deletions },
  { section: "Monitor", label: "Get started", icon: "start", address: route.getStarted },

  { section: "Settings", label: "Monitor", icon: "settings", address: route.monitorSettings },
  { section: "Settings", label: "General", icon: "project", address: route.generalSettings },
  { section: "Settings", label: "Members", icon: "user", address: route.projectMembers },

  { section: "You", label: "All errors", icon: "errors", address: () => route.allErrors() },
  { section: "You", label: "Projects", icon: "project", address: route.projects },
  { section: "You", label: "Account", icon: "user", address: route.account },
  { section: "You", label: "Preferences", icon: "settings", address: route.preferences },
  { section: "You", label: "Access tokens", icon: "key", address: route.accessTokens },
  { section: "You", label: "Deprecations", icon: "release", address: () => route.deprecations() },

  { section: "Administration", label: "Health", icon: "start", address: route.adminHealth },
  { section: "Administration", label: "Projects", icon: "project", address: () => route.adminProjects() },
  { section: "Administration", label: "Users", icon: "user", address: () => route.adminUsers() },
  { section: "Administration", label: "Roles", icon: "key", address: route.adminRoles },
  { section: "Administration", label: "Storage", icon: "download", address: route.adminStorage },
  { section: "Administration", label: "Audit log", icon: "search", address: () => route.adminAudit() },
  { section: "Administration", label: "Error reporting", icon: "errors", address: route.adminErrorReporting },
];

/** People who may read no errors at all get the reason on the page. */
function releasesOffered(capabilities: Project["capabilities"]): Capability | undefined {
  return capabilities?.read?.allowed === false ? undefined : capabilities?.releases;
}

type Visitor = Pick<User, "isAdmin">;
type ShownProject = Pick<Project, "path" | "capabilities">;

/** The sections that a person sees, with their links. */
export function sectionsFor(user: Visitor, project: ShownProject | undefined) {
  const isSeen = { project: project !== undefined, everyone: true, administrators: user.isAdmin };
  return sections
    .filter(({ seenBy }) => isSeen[seenBy])
    .map(({ name }) => ({
      name,
      links: entries
        .filter(({ section }) => section === name)
        .map(({ label, icon, address, needs }) => ({
          label,
          icon,
          href: address(project?.path ?? ""),
          needs: needs?.(project?.capabilities),
        })),
    }));
}

/** The address whose page is shown, or holds the one that is: the longest that the page's path begins with. */
export function currentAddress(addresses: readonly string[], pagePath: string): string | undefined {
  return addresses
    .filter((address) => `${pagePath}/`.startsWith(`${address}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** The navigation as a table: each page of the product has one line here; plugins add their own entries. Pure. */

import type { IconName } from "../components/icons.ts";
import type { Capability, Project, User } from "../messages.ts";
import type { NavigationEntry } from "../plugins/part.ts";
import { route } from "./route.ts";

/** A page that the navigation leads to. */
interface Entry {
  readonly label: string;
  readonly icon: IconName;
  /** The page's address. `projectPath` is empty in sections outside projects. */
  readonly address: (projectPath: string) => string;
  /** The capability that the page needs. Without it, the link keeps its place and gives the reason. */
  readonly needs?: (capabilities: Project["capabilities"]) => Capability | undefined;
}

interface Section {
  readonly name: string;
  /** `project` is for everyone, while a page of a project is shown. Sections for administrators are folded at first. */
  readonly seenBy: "project" | "everyone" | "administrators";
  readonly entries: readonly Entry[];
}

export const sections: readonly Section[] = [
  {
    name: "Monitor",
    seenBy: "project",
    entries: [
      { label: "Error Tracking", icon: "errors", address: route.errors },
      { label: "Feedback", icon: "speech", address: (path) => route.feedback(path), needs: offered("feedback") },
      { label: "Releases", icon: "release", address: route.releases, needs: offered("releases") },
      { label: "Ingestion", icon: "download", address: route.ingestion },
      { label: "Deletions", icon: "trash", address: route.deletions },
      { label: "Get started", icon: "start", address: route.getStarted },
    ],
  },
  {
    name: "Settings",
    seenBy: "project",
    entries: [
      { label: "Monitor", icon: "settings", address: route.monitorSettings },
      { label: "Notifications", icon: "announce", address: (path) => route.notifications(path) },
      { label: "General", icon: "pencil", address: route.generalSettings },
      { label: "Members", icon: "people", address: route.projectMembers },
    ],
  },
  {
    name: "All projects",
    seenBy: "everyone",
    entries: [
      { label: "All errors", icon: "stack", address: () => route.allErrors() },
      { label: "Projects", icon: "project", address: route.projects },
    ],
  },
  {
    name: "You",
    seenBy: "everyone",
    entries: [
      { label: "Account", icon: "user", address: route.account },
      { label: "Preferences", icon: "display", address: route.preferences },
      { label: "Inbox", icon: "bell", address: () => route.inbox() },
      { label: "Access tokens", icon: "key", address: route.accessTokens },
    ],
  },
  {
    name: "Administration",
    seenBy: "administrators",
    entries: [
      { label: "Health", icon: "pulse", address: route.adminHealth },
      { label: "Projects", icon: "project", address: () => route.adminProjects() },
      { label: "Users", icon: "people", address: () => route.adminUsers() },
      { label: "Roles", icon: "shield", address: route.adminRoles },
      { label: "Storage", icon: "storage", address: route.adminStorage },
      { label: "Audit log", icon: "list", address: () => route.adminAudit() },
      { label: "Error reporting", icon: "send", address: route.adminErrorReporting },
      { label: "Deprecations", icon: "clock", address: () => route.deprecations() },
    ],
  },
];

/** People who may not read errors see the reason on the page. */
function offered(name: "feedback" | "releases"): NonNullable<Entry["needs"]> {
  return (capabilities) => (capabilities?.read?.allowed === false ? undefined : capabilities?.[name]);
}

type Visitor = Pick<User, "isAdmin">;
type ShownProject = Pick<Project, "path" | "capabilities">;

/** The sections that a person sees, with their links. `added` are the entries of plugins. */
export function sectionsFor(user: Visitor, project: ShownProject | undefined, added: readonly NavigationEntry[] = []) {
  const isSeen = { project: project !== undefined, everyone: true, administrators: user.isAdmin };
  return sections
    .filter(({ seenBy }) => isSeen[seenBy])
    .map(({ name, seenBy, entries }) => ({
      name,
      isFolded: seenBy === "administrators",
      links: withAdded(
        entries,
        added.filter(({ section }) => section === name),
      ).map(({ label, icon, address, needs }) => ({
        label,
        icon,
        href: address(project?.path ?? ""),
        needs: needs?.(project?.capabilities),
      })),
    }));
}

function withAdded(entries: readonly Entry[], added: readonly NavigationEntry[]): readonly Entry[] {
  return added.reduce<readonly Entry[]>((all, { label, icon, section, page, after }) => {
    const address = (path: string) =>
      section === "Settings" ? route.settingsPage(path, page) : route.projectPage(path, page);
    const above = all.findIndex((entry) => entry.label === after);
    return all.toSpliced(above < 0 ? all.length : above + 1, 0, { label, icon, address });
  }, entries);
}

/** The address of the shown page or of the page above it: the longest address that begins the page's path. */
export function currentAddress(addresses: readonly string[], pagePath: string): string | undefined {
  return addresses
    .filter((address) => `${pagePath}/`.startsWith(`${address}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

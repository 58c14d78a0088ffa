/** Every address of the console. Query keys with default values are left out. */

import type { SortKey, StatusTab } from "../errors/list-choices.ts";

type QueryValue = string | undefined;

function withQuery(path: string, query: Record<string, QueryValue>): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`;
}

/**
 * Paths and ids of the service need no escaping, but typed addresses may. Empty parts are left out, because an address
 * that begins with two slashes names another site.
 */
const inProject = (projectPath: string) =>
  ["", ...projectPath.split("/").filter((part) => part !== ""), "-"].map(encodeURIComponent).join("/");
const ofError = (projectPath: string, errorId: string) =>
  `${inProject(projectPath)}/error_tracking/${encodeURIComponent(errorId)}`;

const errorsQuery = ({ q, status, sort, perPage }: ErrorListQuery) => ({
  q,
  per_page: perPage === 50 ? undefined : perPage?.toString(),
  status: status === "unresolved" ? undefined : status,
  sort: sort === "last_seen" ? undefined : sort,
});

/** The selectable numbers of errors per page; the first number is the default. */
export const pageSizes = [50, 25, 100] as const;
export type PageSize = (typeof pageSizes)[number];

/** The query of the errors list. */
export interface ErrorListQuery {
  readonly status?: StatusTab | undefined;
  readonly sort?: SortKey | undefined;
  readonly q?: string | undefined;
  readonly perPage?: PageSize | undefined;
  readonly cursor?: string | undefined;
  /** The number of the first error on the page, from 1, for people. Only the cursor selects the page. */
  readonly from?: number | undefined;
}

/** The query of the errors of all projects. */
export interface AllErrorsQuery extends Omit<ErrorListQuery, "cursor" | "from" | "perPage"> {
  /** A part of project paths or names. Empty for all projects. */
  readonly project?: string | undefined;
}

/** The query of an error's details. */
export interface ErrorDetailsQuery {
  /** The search that the steps through events follow. */
  readonly q?: string | undefined;
  /** An event id, `latest` or `oldest`. */
  readonly event?: string | undefined;
  readonly period?: string | undefined;
}

/** The query of an error's events. `from` is an ISO time, `hours` the number of hours from it. */
export interface EventListQuery {
  readonly q?: string | undefined;
  readonly from?: string | undefined;
  readonly hours?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The query of the releases. */
export interface ReleaseListQuery {
  readonly period?: string | undefined;
  /** An environment, or `noEnvironment`. Empty for all environments. */
  readonly environment?: string | undefined;
  /** The release of the sessions in the chart. Empty for all releases. */
  readonly release?: string | undefined;
  readonly cursor?: string | undefined;
}

/** The query of a searched list. */
export interface SearchQuery {
  readonly q?: string | undefined;
  readonly cursor?: string | undefined;
}

/** The query of a list of the administration. */
export interface AdminListQuery extends SearchQuery {
  /** The id of the thing to confirm for deletion. */
  readonly remove?: number | undefined;
  /** The id of the deleted project to confirm for immediate erasure. */
  readonly erase?: number | undefined;
}

/** The query of the audit log. It holds ids, because names change hands. */
export interface AuditQuery {
  readonly userId?: number | undefined;
  readonly projectId?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The query of the deprecations. */
export interface DeprecationQuery {
  /** Limits the list to notices announced or removed in this release. */
  readonly release?: string | undefined;
  readonly area?: string | undefined;
  readonly state?: string | undefined;
}

/** The errors to delete: by their ids, or all matching errors if there are no ids. */
export interface DeletionTarget {
  readonly errors: readonly string[];
  readonly q: string;
  readonly status: StatusTab;
}

/** Means sessions without an environment in an address. Names of environments contain no slash. */
export const noEnvironment = "/none";

export const route = {
  home: () => "/",
  signIn: (returnTo?: string) => withQuery("/-/sign_in", { return_to: returnTo }),
  signOut: () => "/-/sign_out",
  /** `page` is the route of the failed page. */
  scriptFailures: (page: string | null) => withQuery("/-/script_failures", { route: page ?? undefined }),
  projects: () => "/-/projects",
  allErrors: ({ status, sort, q, project }: AllErrorsQuery = {}) =>
    withQuery("/-/errors", { ...errorsQuery({ status, sort, q }), project }),
  preferences: () => "/-/profile",
  account: () => "/-/profile/account",
  sessions: () => "/-/profile/account/sessions",
  notificationPreferences: ({ cursor }: { cursor?: string } = {}) => withQuery("/-/profile/notifications", { cursor }),
  inbox: ({ unread = false, cursor }: { unread?: boolean; cursor?: string } = {}) =>
    withQuery("/-/inbox", { unread: unread ? "1" : undefined, cursor }),
  accessTokens: () => "/-/profile/personal_access_tokens",
  invitation: (token: string) => `/-/invitations/${encodeURIComponent(token)}`,
  passwordReset: (token: string) => `/-/password_resets/${encodeURIComponent(token)}`,
  unsubscribe: (token: string) => `/-/unsubscribe/${encodeURIComponent(token)}`,
  confirmEmail: (token: string) => `/-/confirm_email/${encodeURIComponent(token)}`,
  deprecations: ({ release, area, state }: DeprecationQuery = {}) =>
    withQuery("/-/deprecations", { release, area, state }),
  trpc: () => "/-/trpc",

  admin: () => "/admin",
  adminHealth: () => "/admin/health",
  adminUsers: ({ q, cursor, remove }: AdminListQuery = {}) =>
    withQuery("/admin/users", { q, cursor, remove: remove?.toString() }),
  adminUser: (userId: number) => `/admin/users/${userId}`,
  adminProjects: ({ q, cursor, remove, erase }: AdminListQuery = {}) =>
    withQuery("/admin/projects", { q, cursor, remove: remove?.toString(), erase: erase?.toString() }),
  adminRoles: () => "/admin/roles",
  adminAudit: ({ userId, projectId, cursor }: AuditQuery = {}) =>
    withQuery("/admin/audit", { user_id: userId?.toString(), project_id: projectId?.toString(), cursor }),
  adminStorage: () => "/admin/storage",
  adminErrorReporting: () => "/admin/error_reporting",

  errors: (projectPath: string, { cursor, from, ...query }: ErrorListQuery = {}) =>
    withQuery(`${inProject(projectPath)}/error_tracking`, {
      ...errorsQuery(query),
      cursor,
      from: from === undefined || from <= 1 ? undefined : String(from),
    }),
  errorDetails: (projectPath: string, errorId: string, { event, period, q }: ErrorDetailsQuery = {}) =>
    withQuery(`${ofError(projectPath, errorId)}/details`, {
      q,
      event,
      period: period === "24h" ? undefined : period,
    }),
  errorEvents: (projectPath: string, errorId: string, { q, from, hours, cursor }: EventListQuery = {}) =>
    withQuery(`${ofError(projectPath, errorId)}/events`, {
      q,
      from,
      hours: hours === undefined || hours === 1 ? undefined : String(hours),
      cursor,
    }),
  errorUsers: (projectPath: string, errorId: string) => `${ofError(projectPath, errorId)}/users`,
  errorIssue: (projectPath: string, errorId: string) => `${ofError(projectPath, errorId)}/issue`,
  rawEvent: (projectPath: string, errorId: string, eventId: string) =>
    `${ofError(projectPath, errorId)}/events/${encodeURIComponent(eventId)}.json`,
  /** `made` is a new deletion that can be undone. */
  deletions: (projectPath: string, { cursor, made }: { cursor?: string; made?: number | undefined } = {}) =>
    withQuery(`${inProject(projectPath)}/error_tracking/deletions`, { cursor, made: made?.toString() }),
  newDeletion: (projectPath: string, { errors = [], q, status }: Partial<DeletionTarget>) =>
    withQuery(`${inProject(projectPath)}/error_tracking/deletions/new`, {
      errors: errors.join(","),
      ...(errors.length === 0 && { q, status: status === "unresolved" ? undefined : status }),
    }),
  bulkUpdate: (projectPath: string, bulkUpdateId: number) =>
    `${inProject(projectPath)}/error_tracking/bulk_updates/${bulkUpdateId}`,
  releases: (projectPath: string, { period, environment, release, cursor }: ReleaseListQuery = {}) =>
    withQuery(`${inProject(projectPath)}/error_tracking/releases`, {
      period: period === "7d" ? undefined : period,
      environment,
      release,
      cursor,
    }),
  sourceMaps: (projectPath: string, { release, cursor }: { release?: string; cursor?: string } = {}) =>
    withQuery(`${inProject(projectPath)}/error_tracking/source_maps`, { release, cursor }),
  feedback: (projectPath: string, { cursor }: { cursor?: string } = {}) =>
    withQuery(`${inProject(projectPath)}/error_tracking/feedback`, { cursor }),
  ingestion: (projectPath: string, period?: string) =>
    withQuery(`${inProject(projectPath)}/error_tracking/ingestion`, { period: period === "24h" ? undefined : period }),
  getStarted: (projectPath: string, language?: string) =>
    withQuery(`${inProject(projectPath)}/error_tracking/get_started`, { lang: language }),
  /** A page that a plugin adds to a project, to its settings or to an error. */
  projectPage: (projectPath: string, page: string) =>
    `${inProject(projectPath)}/error_tracking/${encodeURIComponent(page)}`,
  settingsPage: (projectPath: string, page: string) => `${inProject(projectPath)}/settings/${encodeURIComponent(page)}`,
  errorTab: (projectPath: string, errorId: string, tab: string) =>
    `${ofError(projectPath, errorId)}/${encodeURIComponent(tab)}`,
  projectMembers: (projectPath: string, { q, cursor }: SearchQuery = {}) =>
    withQuery(`${inProject(projectPath)}/project_members`, { q, cursor }),
  monitorSettings: (projectPath: string) => `${inProject(projectPath)}/settings/monitor`,
  clientKey: (projectPath: string, keyId: number, period?: string) =>
    withQuery(`${inProject(projectPath)}/settings/monitor/client_keys/${keyId}`, {
      period: period === "24h" ? undefined : period,
    }),
  /** `part` is the id of a filter on the page. */
  inboundFilters: (projectPath: string, part?: string) =>
    `${inProject(projectPath)}/settings/monitor/inbound_filters${part === undefined ? "" : `#${part}`}`,
  grouping: (projectPath: string) => `${inProject(projectPath)}/settings/monitor/grouping`,
  /**
   * `add` is the kind of the channel in the form; `change` and `rule` are the ids of a channel and a rule in the form.
   */
  notifications: (projectPath: string, { add, change, rule }: { add?: string; change?: number; rule?: number } = {}) =>
    withQuery(`${inProject(projectPath)}/settings/notifications`, {
      add,
      change: change?.toString(),
      rule: rule?.toString(),
    }),
  /** `add` is the kind of the tracker in the form. */
  trackers: (projectPath: string, { add, change }: { add?: string; change?: number } = {}) =>
    withQuery(`${inProject(projectPath)}/settings/trackers`, { add, change: change?.toString() }),
  generalSettings: (projectPath: string) => `${inProject(projectPath)}/settings/general`,
};

/**
 * The path to return to after signing in: a path of this site only, otherwise the start page. Browsers drop tabs and
 * line ends from addresses, so `/<tab>/host` would name another site.
 */
export function returnPath(value: string | null): string {
  return value !== null && /^\/(?![/\\])\P{Cc}*$/u.test(value) ? value : route.home();
}

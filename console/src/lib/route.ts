/** Every address of the console. Query keys that have their default value are left out. */

import type { ErrorSort, ErrorStatus } from "./messages.ts";

type QueryValue = string | undefined;

function withQuery(path: string, query: Record<string, QueryValue>): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`;
}

/**
 * Paths and ids of the service need no escaping; those typed into an address may. Empty parts are left out: an address
 * that begins with two slashes names another site.
 */
const inProject = (projectPath: string) =>
  ["", ...projectPath.split("/").filter((part) => part !== ""), "-"].map(encodeURIComponent).join("/");
const ofError = (projectPath: string, errorId: string) =>
  `${inProject(projectPath)}/error_tracking/${encodeURIComponent(errorId)}`;

export type StatusTab = "unresolved" | "ignored" | "resolved" | "all";
export type SortKey = "last_seen" | "first_seen" | "events";

export const statusTabs: Record<StatusTab, ErrorStatus> = {
  unresolved: "ERROR_STATUS_UNRESOLVED",
  ignored: "ERROR_STATUS_IGNORED",
  resolved: "ERROR_STATUS_RESOLVED",
  all: "ERROR_STATUS_UNSPECIFIED",
};

export const sortKeys: Record<SortKey, ErrorSort> = {
  last_seen: "ERROR_SORT_LAST_SEEN",
  first_seen: "ERROR_SORT_FIRST_SEEN",
  events: "ERROR_SORT_EVENT_COUNT",
};

/** What the address of the errors list holds. */
export interface ErrorListQuery {
  readonly status?: StatusTab | undefined;
  readonly sort?: SortKey | undefined;
  readonly q?: string | undefined;
  readonly cursor?: string | undefined;
}

/** What the address of an error's details holds. */
export interface ErrorDetailsQuery {
  /** An event id, `latest` or `oldest`. */
  readonly event?: string | undefined;
  readonly period?: string | undefined;
}

/** What the address of an error's events holds. `from` is an ISO time, `hours` the number of hours from it. */
export interface EventListQuery {
  readonly from?: string | undefined;
  readonly hours?: number | undefined;
  readonly cursor?: string | undefined;
}

export const route = {
  home: () => "/",
  signIn: (returnTo?: string) => withQuery("/-/sign_in", { return_to: returnTo }),
  signOut: () => "/-/sign_out",
  projects: () => "/-/projects",
  preferences: () => "/-/profile",
  accessTokens: () => "/-/profile/personal_access_tokens",
  trpc: () => "/-/trpc",

  errors: (projectPath: string, { status, sort, q, cursor }: ErrorListQuery = {}) =>
    withQuery(`${inProject(projectPath)}/error_tracking`, {
      q,
      status: status === "unresolved" ? undefined : status,
      sort: sort === "last_seen" ? undefined : sort,
      cursor,
    }),
  errorDetails: (projectPath: string, errorId: string, { event, period }: ErrorDetailsQuery = {}) =>
    withQuery(`${ofError(projectPath, errorId)}/details`, {
      event,
      period: period === "24h" ? undefined : period,
    }),
  errorEvents: (projectPath: string, errorId: string, { from, hours, cursor }: EventListQuery = {}) =>
    withQuery(`${ofError(projectPath, errorId)}/events`, {
      from,
      hours: hours === undefined || hours === 1 ? undefined : String(hours),
      cursor,
    }),
  rawEvent: (projectPath: string, errorId: string, eventId: string) =>
    `${ofError(projectPath, errorId)}/events/${encodeURIComponent(eventId)}.json`,
  getStarted: (projectPath: string, language?: string) =>
    withQuery(`${inProject(projectPath)}/error_tracking/get_started`, { lang: language }),
  monitorSettings: (projectPath: string) => `${inProject(projectPath)}/settings/monitor`,
  generalSettings: (projectPath: string) => `${inProject(projectPath)}/settings/general`,
};

/**
 * The path to return to after signing in: a path of this site only, else the start page. Browsers drop tabs and line
 * ends from addresses, so that `/<tab>/host` would name another site.
 */
export function returnPath(value: string | null): string {
  return value !== null && /^\/(?![/\\])\P{Cc}*$/u.test(value) ? value : route.home();
}

import type { FakeData, FakeEvent, FakeIssue, FakeStatus } from "./data.ts";
import { wireEvent, wireEventSummary, wireIssueTags, wireIssueUsers } from "./wire-event.ts";
import { series, wireIssue, wireIssueDetails, wireOrganization, wireProject } from "./wire.ts";

/** The Sentry web API over the data of a test: one function for each address and method. */

export interface WebApi {
  readonly data: FakeData;
  readonly scopes: readonly string[];
  readonly version: string;
  now(): number;
  /** The address of the system with the base path, such as `http://127.0.0.1:4711`. */
  origin(): string;
}

export interface WebCall {
  readonly api: WebApi;
  /** The groups of the address pattern. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  /** The address that the call asked for. */
  readonly url: URL;
}

export interface WebAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body; undefined if there is none. */
  readonly json?: unknown;
}

interface WebRoute {
  readonly path: RegExp;
  readonly method: "GET" | "PUT";
  /** Parameters that the address knows. */
  readonly parameters: readonly string[];
  /** The token must have one of these scopes. An empty list needs no token. */
  readonly scopes: readonly string[];
  answer(call: WebCall): WebAnswer;
}

const readsProjects = ["project:read", "project:write", "project:admin"];
const readsEvents = ["event:read", "event:write", "event:admin"];
const writesEvents = ["event:write", "event:admin"];
const paged = ["cursor", "per_page"];
const statuses: readonly unknown[] = ["unresolved", "resolved", "ignored"];

const notFound: WebAnswer = { status: 404, json: { detail: "The requested resource does not exist" } };

export const webRoutes: readonly WebRoute[] = [
  {
    path: /^\/api\/0\/$/,
    method: "GET",
    parameters: [],
    scopes: [],
    answer: ({ api }) => ({ json: { version: "0", auth: { scopes: api.scopes }, user: { id: "1", name: "root" } } }),
  },
  {
    path: /^\/api\/client-config\/$/,
    method: "GET",
    parameters: [],
    scopes: [],
    answer({ api: { version } }) {
      return { json: { version: { current: version, latest: version, build: version, upgradeAvailable: false } } };
    },
  },
  {
    path: /^\/api\/0\/organizations\/$/,
    method: "GET",
    parameters: [...paged, "query"],
    scopes: ["org:read", "org:write", "org:admin"],
    answer: (call) => page(call, call.api.data.organizations.map(wireOrganization)),
  },
  {
    path: /^\/api\/0\/organizations\/([^/]+)\/projects\/$/,
    method: "GET",
    parameters: [...paged, "query"],
    scopes: ["org:read", "org:write", "org:admin"],
    answer(call) {
      const projects = call.api.data.projects.filter(({ organization }) => organization === call.parts[0]);
      return page(
        call,
        projects.map((project) => wireProject(project, call.api.data)),
      );
    },
  },
  {
    path: /^\/api\/0\/organizations\/([^/]+)\/issues\/$/,
    method: "GET",
    parameters: ["project", "group", "query", "limit"],
    scopes: readsEvents,
    answer({ api, parts, query }) {
      const projects = api.data.projects.filter(({ id, organization }) => {
        return organization === parts[0] && query.getAll("project").includes(id);
      });
      const issues = api.data.issues.filter(({ id, project }) => {
        return query.getAll("group").includes(id) && projects.some((one) => one.id === project);
      });
      return { json: issues.map((issue) => wireIssue(issue, api.data, { now: api.now(), origin: api.origin() })) };
    },
  },
  {
    path: /^\/api\/0\/projects\/$/,
    method: "GET",
    parameters: [...paged, "query"],
    scopes: readsProjects,
    answer: (call) =>
      page(
        call,
        call.api.data.projects.map((project) => wireProject(project, call.api.data)),
      ),
  },
  {
    path: /^\/api\/0\/projects\/([^/]+)\/([^/]+)\/$/,
    method: "GET",
    parameters: [],
    scopes: readsProjects,
    answer(call) {
      const project = projectOf(call);
      return project ? { json: wireProject(project, call.api.data) } : notFound;
    },
  },
  {
    path: /^\/api\/0\/projects\/([^/]+)\/([^/]+)\/issues\/$/,
    method: "GET",
    parameters: ["query", "sort", "cursor", "limit", "statsPeriod", "shortIdLookup"],
    scopes: readsEvents,
    answer: listIssues,
  },
  {
    path: /^\/api\/0\/projects\/([^/]+)\/([^/]+)\/issues\/$/,
    method: "PUT",
    parameters: ["id", "status"],
    scopes: writesEvents,
    answer: updateIssues,
  },
  {
    path: /^\/api\/0\/projects\/([^/]+)\/([^/]+)\/events\/([^/]+)\/$/,
    method: "GET",
    parameters: [],
    scopes: readsEvents,
    answer(call) {
      const { id } = projectOf(call) ?? {};
      const issue = call.api.data.issues.find(
        ({ project, events }) => project === id && events.some((event) => event.id === call.parts[2]),
      );
      const event = issue?.events.find((one) => one.id === call.parts[2]);
      return issue && event ? { json: wireEvent(event, issue) } : notFound;
    },
  },
  {
    path: /^\/api\/0\/issues\/([^/]+)\/$/,
    method: "GET",
    parameters: [],
    scopes: readsEvents,
    answer: (call) => withIssue(call, (issue) => ({ json: wireIssueDetails(issue, call.api.data, at(call)) })),
  },
  {
    path: /^\/api\/0\/issues\/([^/]+)\/$/,
    method: "PUT",
    parameters: [],
    scopes: writesEvents,
    answer: (call) =>
      withIssue(call, (issue) => {
        if (!isStatus(call.body["status"])) return invalidStatus;
        issue.status = call.body["status"];
        return { json: wireIssue(issue, call.api.data, at(call)) };
      }),
  },
  {
    path: /^\/api\/0\/issues\/([^/]+)\/events\/$/,
    method: "GET",
    parameters: [...paged, "full", "query", "start", "end"],
    scopes: readsEvents,
    answer: (call) =>
      withIssue(call, (issue) => {
        const [start, end] = [call.query.get("start"), call.query.get("end")];
        if ((start === null) !== (end === null)) {
          return { status: 400, json: { detail: "start and end are both required" } };
        }
        const isWithin = ({ occurredAt }: FakeEvent) =>
          start === null || end === null || (occurredAt >= Date.parse(start) && occurredAt < Date.parse(end));
        const shown = call.query.get("full") ? wireEvent : wireEventSummary;
        return page(
          call,
          issue.events.filter(isWithin).map((event) => shown(event, issue)),
        );
      }),
  },
  {
    path: /^\/api\/0\/issues\/([^/]+)\/events\/([^/]+)\/$/,
    method: "GET",
    parameters: [],
    scopes: readsEvents,
    answer: (call) =>
      withIssue(call, (issue) => {
        const { events } = issue;
        const wanted = call.parts[1];
        const event =
          wanted === "latest"
            ? events[0]
            : wanted === "oldest"
              ? events.at(-1)
              : events.find(({ id }) => id === wanted);
        return event ? { json: wireEvent(event, issue) } : { status: 404, json: { detail: "Event not found" } };
      }),
  },
  {
    path: /^\/api\/0\/issues\/([^/]+)\/stats\/$/,
    method: "GET",
    parameters: ["since", "until", "resolution"],
    scopes: readsEvents,
    answer: (call) =>
      withIssue(call, (issue) => {
        const until = Number(call.query.get("until") ?? call.api.now() / 1000);
        const since = Number(call.query.get("since") ?? until - 86_400);
        if ((call.query.get("resolution") ?? "1h") !== "1h")
          return { status: 400, json: { detail: "no such resolution" } };
        const hours = Math.floor(until / 3_600) - Math.floor(since / 3_600) + 1;
        return { json: series(issue, { until, hours }) };
      }),
  },
  {
    path: /^\/api\/0\/issues\/([^/]+)\/tags\/$/,
    method: "GET",
    parameters: [],
    scopes: readsEvents,
    answer: (call) => withIssue(call, (issue) => ({ json: wireIssueTags(issue) })),
  },
  {
    path: /^\/api\/0\/issues\/([^/]+)\/tags\/user\/values\/$/,
    method: "GET",
    parameters: ["sort", "cursor"],
    scopes: readsEvents,
    answer: (call) => withIssue(call, (issue) => ({ json: wireIssueUsers(issue) })),
  },
];

const invalidStatus: WebAnswer = { status: 400, json: { status: ["Status is not valid."] } };
const isStatus = (status: unknown): status is FakeStatus => statuses.includes(status);
const at = ({ api }: WebCall) => ({ now: api.now(), origin: api.origin() });

function projectOf({ api, parts: [organization, slug] }: WebCall) {
  return api.data.projects.find((one) => one.organization === organization && (one.slug === slug || one.id === slug));
}

function withIssue({ api, parts }: WebCall, answer: (issue: FakeIssue) => WebAnswer): WebAnswer {
  const issue = api.data.issues.find(({ id }) => id === parts[0]);
  return issue ? answer(issue) : notFound;
}

function listIssues(call: WebCall): WebAnswer {
  const { api, query } = call;
  const project = projectOf(call);
  if (!project) return notFound;
  const period = query.get("statsPeriod");
  if (period !== null && !["", "24h", "14d"].includes(period)) {
    return { status: 400, json: { detail: "Invalid stats_period. Valid choices are '', '24h', and '14d'" } };
  }
  const search = query.get("query") ?? "is:unresolved";
  const hit = api.data.issues.find((issue) => isNamed(issue, call));
  if (hit) return { headers: { "X-Sentry-Direct-Hit": "1" }, json: [wireIssue(hit, api.data, at(call))] };
  const found = api.data.issues.filter((issue) => issue.project === project.id && matches(issue, search));
  const inOrder = sorted(found, query.get("sort") ?? "date");
  if (!inOrder) return { status: 400, json: { detail: "no such sort" } };
  const { headers = {}, json } = page(call, inOrder, Number(query.get("limit") ?? 100));
  const issues = (json as FakeIssue[]).map((issue) => wireIssue(issue, api.data, at(call)));
  return {
    headers: { ...headers, "X-Hits": `${Math.min(found.length, 1_000)}`, "X-Max-Hits": "1000" },
    json: issues.map((issue) => (period === "" ? { ...issue, stats: undefined } : issue)),
  };
}

/**
 * Whether the complete search names an issue: by the id of an event in this project, or by its short id in any project.
 */
function isNamed(issue: FakeIssue, call: WebCall): boolean {
  const named = call.query.get("query") ?? "";
  if (issue.project === projectOf(call)?.id && issue.events.some(({ id }) => id === named)) return true;
  return (
    call.query.get("shortIdLookup") === "1" && wireIssue(issue, call.api.data, at(call)).shortId === named.toUpperCase()
  );
}

function updateIssues(call: WebCall): WebAnswer {
  const project = projectOf(call);
  if (!project) return notFound;
  const { status } = call.body;
  if (!isStatus(status)) return invalidStatus;
  const ids = call.query.getAll("id");
  const issues = call.api.data.issues.filter((issue) => issue.project === project.id && ids.includes(issue.id));
  if (issues.length === 0) return { status: 204 };
  for (const issue of issues) issue.status = status;
  return { json: { status, statusDetails: {} } };
}

/** A page of a list, with the header that leads to its neighbours. Cursors are `<size>:<page>:<1 if backwards>`. */
function page(call: WebCall, all: readonly unknown[], size = Number(call.query.get("per_page") ?? 100)): WebAnswer {
  if (!(size >= 1 && size <= 100))
    return { status: 400, json: { detail: "Invalid per_page value. Cannot exceed 100." } };
  const cursor = call.query.get("cursor");
  const [, given = `${size}`, number = "0"] = /^(\d+):(\d+):[01]$/.exec(cursor ?? "") ?? [];
  if (cursor !== null && !/^\d+:\d+:[01]$/.test(cursor))
    return { status: 400, json: { detail: "Invalid cursor parameter." } };
  const current = Number(number);
  const start = current * Number(given);
  const link = (rel: string, to: number, backwards: 0 | 1, results: boolean) => {
    const url = new URL(call.url);
    url.searchParams.set("cursor", `${given}:${to}:${backwards}`);
    return `<${url.href}>; rel="${rel}"; results="${results}"; cursor="${given}:${to}:${backwards}"`;
  };
  return {
    headers: {
      Link: [
        link("previous", current - 1, 1, current > 0),
        link("next", current + 1, 0, start + size < all.length),
      ].join(", "),
    },
    json: all.slice(start, start + size),
  };
}

/** Whether a search finds an issue: `is:<status>`, `key:value` of a tag, and words; all must match. */
function matches(issue: FakeIssue, search: string): boolean {
  const terms = search.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  return terms.every((term) => {
    const [, key, quoted = ""] = /^([\w.]+):(.+)$/.exec(term) ?? [];
    const value = (key ? quoted : term).replaceAll('"', "");
    if (key === "is") return issue.status === (value === "archived" ? "ignored" : value);
    if (key) return valuesOf(issue, key).includes(value);
    return [issue.title, issue.value, issue.culprit].some((text) => text.toLowerCase().includes(value.toLowerCase()));
  });
}

function valuesOf(issue: FakeIssue, key: string): readonly unknown[] {
  if (key === "level") return [issue.level];
  if (key === "error.type") return [issue.type];
  if (key === "release") return [issue.firstRelease, issue.lastRelease];
  return [issue.tags[key]];
}

/** The issues in descending order of a sort of the API; undefined if the sort does not exist. */
function sorted(issues: readonly FakeIssue[], sort: string): FakeIssue[] | undefined {
  const by: Readonly<Record<string, (issue: FakeIssue) => number>> = {
    date: ({ lastSeen }) => lastSeen,
    new: ({ firstSeen }) => firstSeen,
    freq: ({ count }) => count,
    user: ({ userCount }) => userCount,
  };
  const key = by[sort];
  return key && issues.toSorted((one, other) => key(other) - key(one) || Number(other.id) - Number(one.id));
}

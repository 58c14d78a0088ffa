import type { HttpApiRoute, HttpCall } from "@faultline/plugin";
import type { Resource } from "./call.ts";
import { detail } from "./refusal.ts";
import { listIssueEvents, readIssueEvent, readProjectEvent, readProjectEventPayload } from "./resources/events.ts";
import { listIssueHashes, readGroupingInfo } from "./resources/grouping.ts";
import { readIssue, readIssueStats, updateIssue } from "./resources/issue.ts";
import { listIssueTags, listIssueUsers } from "./resources/issue-tags.ts";
import { listOrganizationIssues, updateOrganizationIssues } from "./resources/organization-issues.ts";
import { listOrganizations, readOrganization } from "./resources/organizations.ts";
import { listProjectIssues, updateProjectIssues } from "./resources/project-issues.ts";
import { listOrganizationProjects, listProjects, readProject } from "./resources/projects.ts";
import { readRoot } from "./resources/root.ts";

/** A resource by method, with the parameters that it understands. */
type Methods = Readonly<Record<string, readonly [resource: Resource, takes: readonly string[]]>>;

const pages = ["cursor", "limit", "per_page"];
const issues = [...pages, "query", "sort", "environment", "statsPeriod", "start", "end"];
const organizationIssues = [...issues, "groupStatsPeriod", "project", "group"];
const events = [...pages, "query", "environment", "statsPeriod", "start", "end", "full"];

/** Every address of the API. `now` returns the time. */
export function routes(now: () => number): HttpApiRoute[] {
  const route = (path: string, methods: Methods, needsToken = true): HttpApiRoute => ({
    path,
    takes: Object.fromEntries(Object.entries(methods).map(([method, [, takes]]) => [method, takes])),
    methods: Object.fromEntries(
      Object.entries(methods).map(([method, [resource]]) => [
        method,
        async (call: HttpCall) => {
          if (needsToken && call.token === undefined) return noToken;
          return resource({ ...call, address: addressOf(path, call), now: now() });
        },
      ]),
    ),
  });
  const issue: Methods = { GET: [readIssue, []], PUT: [updateIssue, []] };
  return [
    route("/api/0", { GET: [readRoot, []] }, false),
    route("/api/0/organizations", { GET: [listOrganizations, [...pages, "query"]] }),
    route("/api/0/organizations/:organization", { GET: [readOrganization, []] }),
    route("/api/0/organizations/:organization/projects", { GET: [listOrganizationProjects, [...pages, "query"]] }),
    route("/api/0/projects", { GET: [listProjects, [...pages, "query"]] }),
    route("/api/0/projects/:organization/:project", { GET: [readProject, []] }),
    route("/api/0/projects/:organization/:project/issues", {
      GET: [listProjectIssues, issues],
      PUT: [updateProjectIssues, ["id"]],
    }),
    route("/api/0/organizations/:organization/issues", {
      GET: [listOrganizationIssues, organizationIssues],
      PUT: [updateOrganizationIssues, ["id"]],
    }),
    // The original has both forms of an issue's address, and `groups` as the old name.
    ...["/api/0", "/api/0/organizations/:organization"].flatMap((prefix) =>
      ["issues", "groups"].flatMap((name) => [
        route(`${prefix}/${name}/:issue`, issue),
        route(`${prefix}/${name}/:issue/stats`, { GET: [readIssueStats, ["since", "until", "resolution"]] }),
        route(`${prefix}/${name}/:issue/tags`, { GET: [listIssueTags, []] }),
        route(`${prefix}/${name}/:issue/tags/user/values`, { GET: [listIssueUsers, ["sort"]] }),
        route(`${prefix}/${name}/:issue/hashes`, { GET: [listIssueHashes, ["full"]] }),
        route(`${prefix}/${name}/:issue/events`, { GET: [listIssueEvents, events] }),
        route(`${prefix}/${name}/:issue/events/:event`, { GET: [readIssueEvent, []] }),
      ]),
    ),
    route("/api/0/projects/:organization/:project/events/:event", { GET: [readProjectEvent, []] }),
    route("/api/0/projects/:organization/:project/events/:event/grouping-info", { GET: [readGroupingInfo, []] }),
    route("/api/0/projects/:organization/:project/events/:event/json", { GET: [readProjectEventPayload, []] }),
  ];
}

/** A route that refuses calls without a token. */
export const needsToken = ({ methods, ...route }: HttpApiRoute): HttpApiRoute => ({
  ...route,
  methods: Object.fromEntries(
    Object.entries(methods).map(([method, run]) => [
      method,
      async (call: HttpCall) => (call.token === undefined ? noToken : run(call)),
    ]),
  ),
});

const noToken = detail(401, "Authentication credentials were not provided.");

function addressOf(path: string, { origin, path: parts }: HttpCall): string {
  return `${origin}${path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parts[name] ?? ""))}/`;
}

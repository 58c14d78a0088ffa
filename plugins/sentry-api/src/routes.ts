import type { HttpApiRoute, HttpCall, HttpAnswer, ServiceError } from "@faultline/plugin";
import { answerTo, ErrorReason, ReasonAnswer_Code as Code } from "@faultline/proto";
import { reasonName } from "@faultline/proto/grpc";
import type { Resource } from "./call.ts";
import { listIssueEvents, readIssueEvent, readProjectEvent, readProjectEventPayload } from "./resources/events.ts";
import { listIssueHashes, readGroupingInfo } from "./resources/grouping.ts";
import { readIssue, readIssueStats, updateIssue } from "./resources/issue.ts";
import { listIssueTags, listIssueUsers } from "./resources/issue-tags.ts";
import { listOrganizationIssues, updateOrganizationIssues } from "./resources/organization-issues.ts";
import { listOrganizations, readOrganization } from "./resources/organizations.ts";
import { listProjectIssues, updateProjectIssues } from "./resources/project-issues.ts";
import { listOrganizationProjects, listProjects, readProject } from "./resources/projects.ts";
import { readRoot } from "./resources/root.ts";

/** An error answer in the form of the original: `{"detail": "..."}`. */
export function detail(status: number, text: string): HttpAnswer {
  return { status, body: { detail: text } };
}

/** The answer to a refusal from the core or this API. */
export function refusal(error: ServiceError): HttpAnswer {
  const { code, httpStatus, retryAfterSeconds } = answerTo(error.reason);
  if (isHidden(error.reason)) return detail(404, missing);
  const answer = detail(...(said[error.reason]?.(error) ?? [httpStatus, fixed[code] ?? error.message]));
  if (httpStatus !== 429 && httpStatus !== 503) return answer;
  return { ...answer, headers: { "Retry-After": String(error.retryAfterSeconds || retryAfterSeconds || 1) } };
}

const missing = "The requested resource does not exist";

/** Projects with an external backend are not served, so a newly linked project looks like a missing project. */
const isHidden = (reason: ErrorReason) =>
  reasonName(reason).startsWith("EXTERNAL_") || reason === ErrorReason.INTEGRATED_NOT_OFFERED;

/** The original's texts, which hide the cause. For all other codes the core's sentence says what to do. */
const fixed: Partial<Record<Code, string>> = {
  [Code.INTERNAL]: "Internal Error",
  [Code.UNAUTHENTICATED]: "Invalid token", // calls without a token are refused earlier
  [Code.PERMISSION_DENIED]: "You do not have permission to perform this action.",
  [Code.NOT_FOUND]: missing,
};

/** The reasons with a different text or status in the original. */
const said: Partial<Record<ErrorReason, (error: ServiceError) => readonly [status: number, text: string]>> = {
  [ErrorReason.INVALID_PAGE_TOKEN]: () => [400, "Invalid cursor parameter."],
  [ErrorReason.TOKEN_EXPIRED]: () => [401, "Token expired"],
  [ErrorReason.EVENT_NOT_FOUND]: () => [404, "Event not found"],
  // The caller may see the project, so the cause may be named.
  [ErrorReason.ERROR_TRACKING_DISABLED]: ({ message }) => [404, message],
};

/** A resource by method, with its known parameters. */
type Methods = Readonly<Record<string, readonly [resource: Resource, takes: readonly string[]]>>;

const pages = ["cursor", "limit", "per_page"];
const issues = [...pages, "query", "sort", "environment", "statsPeriod", "start", "end"];
const organizationIssues = [...issues, "groupStatsPeriod", "project", "group"];
const events = [...pages, "query", "environment", "statsPeriod", "start", "end", "full"];

/** Every address of the API. `now` returns the time in milliseconds since 1970. */
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
    // The original has both forms of an issue's address, and `groups` as an older name.
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

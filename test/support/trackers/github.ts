import { createHmac } from "node:crypto";
import type { Answered, Asked, Issues, Manner, PlayedIssue } from "./played-tracker.ts";

const token = "github_pat_of_the_team_and_secret";
const base = "/api/v3/repos/acme/shop";

/** GitHub Enterprise's issues by https://docs.github.com/rest/issues, and their states by GraphQL. */
export const githubManner: Manner = {
  kind: "github",
  token,
  fields: (url) => ({ url, repository: "acme/shop", token }),
  isAuthorised: ({ headers }) => headers.authorization === `Bearer ${token}`,
  answer,
  pageOf: (number, url) => `${url}/acme/shop/issues/${number}`,
  hook(issue, secret) {
    const body = JSON.stringify({ action: issue.isOpen ? "reopened" : "closed", issue: { number: issue.number } });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    return { headers: { "x-github-event": "issues", "x-hub-signature-256": `sha256=${signature}` }, body };
  },
};

function answer(asked: Asked, issues: Issues): Answered | undefined {
  const { method, path, query, body, headers } = asked;
  const wire = (issue: PlayedIssue) => ({
    id: 1000 + issue.number,
    number: issue.number,
    title: issue.title,
    body: issue.body,
    state: issue.isOpen ? "open" : "closed",
    created_at: issue.createdAt,
    url: `${issues.url}${base}/issues/${issue.number}`,
    html_url: `${issues.url}/acme/shop/issues/${issue.number}`,
  });
  if (headers.accept !== "application/vnd.github+json") return undefined;
  if (`${method} ${path}` === "POST /api/graphql") return graph(asked, issues);
  if (!path.startsWith(base)) return { status: 404, body: { message: "Not Found" } };
  const one = issues.at(/\/issues\/(\d+)/.exec(path)?.[1]);
  switch (`${method} ${path.slice(base.length).replace(/\d+/, ":number")}`) {
    case "GET ":
      return { status: 200, body: { id: 7, full_name: "acme/shop", has_issues: true } };
    case "POST /issues": {
      const { title, body: text } = body;
      if (typeof title !== "string" || title.length > 256 || typeof text !== "string" || text.length > 65_536) {
        return { status: 422, body: { message: "Validation Failed" } };
      }
      return { status: 201, body: wire(issues.add({ title, body: text })) };
    }
    case "GET /issues": {
      if (query.get("state") !== "all" || query.get("direction") !== "desc") return undefined;
      const from = (Number(query.get("page")) - 1) * 100;
      return {
        status: 200,
        body: issues.all
          .toReversed()
          .slice(from, from + 100)
          .map(wire),
      };
    }
    case "PATCH /issues/:number":
      if (!one) return { status: 404 };
      if (body["state"] !== "open" && body["state"] !== "closed") return undefined;
      one.isOpen = body["state"] === "open";
      return { status: 200, body: wire(one) };
    case "POST /issues/:number/comments":
      if (!one) return { status: 404 };
      one.comments.push(String(body["body"]));
      return { status: 201, body: { id: one.comments.length, body: body["body"] } };
    case "GET /issues/:number/comments":
      return { status: 200, body: (one?.comments ?? []).map((text, id) => ({ id, body: text })) };
    default:
      return undefined;
  }
}

/**
 * Answers `i12: issue(number: 12) { number state url }`. An issue that does not exist is null, and `errors` has an
 * error.
 */
function graph({ body }: Asked, issues: Issues): Answered | undefined {
  const { query, variables } = body as { query?: string; variables?: { owner?: string; name?: string } };
  if (variables?.owner !== "acme" || variables.name !== "shop")
    return { status: 200, body: { data: { repository: null } } };
  const asked = [...(query ?? "").matchAll(/(i\d+): issue\(number: (\d+)\) \{ number state url \}/g)];
  if (asked.length === 0) return undefined;
  const found = asked.map(([, alias = "", number]) => {
    const issue = issues.at(number);
    const url = `${issues.url}/acme/shop/issues/${number}`;
    return [alias, issue ? { number: issue.number, state: issue.isOpen ? "OPEN" : "CLOSED", url } : null] as const;
  });
  const missing = found.filter(([, issue]) => issue === null);
  const errors = missing.map(([alias]) => ({ type: "NOT_FOUND", path: ["repository", alias] }));
  return {
    status: 200,
    body: { data: { repository: Object.fromEntries(found) }, ...(errors.length > 0 && { errors }) },
  };
}

import { createHmac } from "node:crypto";
import type { Answered, Asked, Issues, Manner, PlayedIssue } from "./played-tracker.ts";

const token = "glpat-of-the-project-and-secret";
const base = "/api/v4/projects/acme%2Fshop";

/** GitLab's issues by https://docs.gitlab.com/api/issues and /api/notes. */
export const gitlabManner: Manner = {
  kind: "gitlab",
  token,
  fields: (url) => ({ url, project: "acme/shop", token }),
  isAuthorised: ({ headers }) => headers["private-token"] === token,
  answer,
  pageOf: (number, url) => `${url}/acme/shop/-/issues/${number}`,
  hook: ({ number, isOpen }, secret) => ({
    headers: { "x-gitlab-event": "Issue Hook", "x-gitlab-token": secret },
    body: JSON.stringify({
      object_kind: "issue",
      event_type: "issue",
      project: { id: 5, path_with_namespace: "acme/shop" },
      object_attributes: { id: 1000 + number, iid: number, action: isOpen ? "reopen" : "close" },
    }),
  }),
};

/** The headers of a webhook with a signing token, by Standard Webhooks. */
export function signedHook(secret: string, { at, body }: { at: number; body: string }): Record<string, string> {
  const [id, timestamp] = ["msg_1", String(Math.floor(at / 1000))];
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

function answer(asked: Asked, issues: Issues): Answered | undefined {
  const { method, path, query, body } = asked;
  const wire = (issue: PlayedIssue) => ({
    id: 1000 + issue.number,
    iid: issue.number,
    project_id: 5,
    title: issue.title,
    description: issue.body,
    state: issue.isOpen ? "opened" : "closed",
    confidential: issue.confidential,
    created_at: issue.createdAt,
    web_url: `${issues.url}/acme/shop/-/issues/${issue.number}`,
  });
  if (!path.startsWith(base)) return { status: 404, body: { message: "404 Project Not Found" } };
  const [, iid, rest] = /^\/issues(?:\/(\d+)(\/notes)?)?$/.exec(path.slice(base.length)) ?? [];
  const one = issues.at(iid);
  switch (`${method} ${path.slice(base.length).replace(/\d+/, ":iid")}`) {
    case "GET ":
      return { status: 200, body: { id: 5, path_with_namespace: "acme/shop", issues_enabled: true } };
    case "POST /issues": {
      const { title, description, confidential = false } = body;
      if (typeof title !== "string" || title.length > 255 || typeof description !== "string") {
        return { status: 400, body: { message: { title: ["is too long (maximum is 255 characters)"] } } };
      }
      return { status: 201, body: wire(issues.add({ title, body: description, confidential: confidential === true })) };
    }
    case "GET /issues": {
      const searched = query.get("search");
      const iids = query.getAll("iids[]");
      if (query.get("scope") !== "all") return undefined;
      if (searched !== null && query.get("in") !== "description") return undefined;
      const found = issues.all.filter(
        (issue) =>
          (searched === null || issue.body.includes(searched)) &&
          (iids.length === 0 || iids.includes(`${issue.number}`)),
      );
      return { status: 200, body: found.map(wire) };
    }
    case "PUT /issues/:iid": {
      if (!one) return { status: 404 };
      if (body["state_event"] !== "reopen" && body["state_event"] !== "close") return undefined;
      one.isOpen = body["state_event"] === "reopen";
      return { status: 200, body: wire(one) };
    }
    case "POST /issues/:iid/notes":
      if (!one || rest === undefined) return { status: 404 };
      one.comments.push(String(body["body"]));
      return { status: 201, body: { id: one.comments.length, body: body["body"] } };
    case "GET /issues/:iid/notes":
      return { status: 200, body: (one?.comments ?? []).toReversed().map((text, id) => ({ id, body: text })) };
    default:
      return undefined;
  }
}

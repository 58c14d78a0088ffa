import { createHmac } from "node:crypto";
import type { Answered, Asked, Issues, Manner, PlayedIssue } from "./played-tracker.ts";

const token = "ATATT-of-the-robot-and-secret";
const base = "/rest/api/3";

/** Jira Cloud's issues by https://developer.atlassian.com/cloud/jira/platform/rest/v3. */
export const jiraManner: Manner = {
  kind: "jira",
  token,
  fields: (url) => ({ url, email: "robot@acme.example", token, project: "SHOP", issue_type: "Bug" }),
  isAuthorised: ({ headers }) =>
    headers.authorization === `Basic ${Buffer.from(`robot@acme.example:${token}`).toString("base64")}`,
  answer,
  pageOf: (number, url) => `${url}/browse/SHOP-${number}`,
  hook(issue, secret) {
    const body = JSON.stringify({ webhookEvent: "jira:issue_updated", issue: { key: `SHOP-${issue.number}` } });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    return { headers: { "x-hub-signature": `sha256=${signature}` }, body };
  },
};

const statusOf = (isOpen: boolean) =>
  isOpen ? { name: "To Do", statusCategory: { key: "new" } } : { name: "Erledigt", statusCategory: { key: "done" } };

function answer({ method, path, body }: Asked, issues: Issues): Answered | undefined {
  const wire = (issue: PlayedIssue) => ({
    id: `${1000 + issue.number}`,
    key: `SHOP-${issue.number}`,
    fields: { status: statusOf(issue.isOpen), description: JSON.parse(issue.body) as unknown },
  });
  const numberOf = (key: unknown) => /^SHOP-(\d+)$/.exec(String(key))?.[1];
  const one = issues.at(/\/issue\/SHOP-(\d+)/.exec(path)?.[1]);
  switch (`${method} ${path.slice(base.length).replace(/SHOP-\d+/, ":key")}`) {
    case "GET /project/SHOP":
      return { status: 200, body: { id: "1", key: "SHOP", issueTypes: [{ name: "Task" }, { name: "Bug" }] } };
    case "POST /issue": {
      const { project, issuetype, summary, description } = (body["fields"] ?? {}) as Record<string, unknown>;
      const isFine =
        (project as { key?: string }).key === "SHOP" &&
        (issuetype as { name?: string }).name === "Bug" &&
        typeof summary === "string" &&
        summary.length <= 255 &&
        !summary.includes("\n") &&
        isDocument(description);
      if (!isFine) return { status: 400, body: { errorMessages: [], errors: { summary: "is invalid" } } };
      const made = issues.add({ title: summary, body: JSON.stringify(description) });
      return { status: 201, body: { id: `${1000 + made.number}`, key: `SHOP-${made.number}` } };
    }
    case "POST /search/jql": {
      const mark = /^project = "SHOP" AND description ~ "(\w+)"$/.exec(String(body["jql"]))?.[1];
      if (mark === undefined) return { status: 400, body: { errorMessages: ["the JQL is invalid"] } };
      return { status: 200, body: { issues: issues.all.filter((issue) => issue.body.includes(mark)).map(wire) } };
    }
    case "POST /issue/bulkfetch": {
      const keys = body["issueIdsOrKeys"] as string[];
      const found = keys.flatMap((key) => issues.at(numberOf(key)) ?? []);
      return { status: 200, body: { issues: found.map(wire), issueErrors: [] } };
    }
    case "POST /issue/:key/comment":
      if (!one || !isDocument(body["body"])) return { status: 404 };
      one.comments.push(JSON.stringify(body["body"]));
      return { status: 201, body: { id: `${one.comments.length}` } };
    case "GET /issue/:key/comment":
      return { status: 200, body: { comments: (one?.comments ?? []).map((text) => ({ body: JSON.parse(text) })) } };
    case "GET /issue/:key/transitions":
      return {
        status: 200,
        body: { transitions: [true, false].map((to) => ({ id: to ? "11" : "31", to: statusOf(to) })) },
      };
    case "POST /issue/:key/transitions": {
      const { id } = (body["transition"] ?? {}) as { id?: string };
      if (!one || (id !== "11" && id !== "31")) return { status: 400 };
      one.isOpen = id === "11";
      return { status: 204 };
    }
    default:
      return undefined;
  }
}

/** Whether a value is a document in Atlassian's format with text in its text nodes. */
function isDocument(value: unknown): boolean {
  const { type, version, content } = (value ?? {}) as { type?: string; version?: number; content?: unknown[] };
  const hasText = !/"type":"text","text":""/.test(JSON.stringify(value));
  return type === "doc" && version === 1 && Array.isArray(content) && hasText;
}

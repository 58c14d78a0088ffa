import { inertTitle } from "@faultline/plugin/text";
import { ErrorReason } from "@faultline/proto";
import { plain, secret } from "@faultline/plugin/fields";
import { addressField, baseOf } from "../address-field.ts";
import { hasHexSignature } from "../hook-signature.ts";
import { listOf, numberTextOf, objectOf, pageOf, textOf } from "../json.ts";
import { commentMarkdown, issueMarkdown } from "../markdown.ts";
import { TrackerFailure } from "../tracker-failure.ts";
import type { Issue, TrackerFields, TrackerKind } from "../tracker-kind.ts";

/** GitHub's limit of an issue's title. */
const longestTitle = 256;

/** Pages of 100 issues searched for a mark: its issue is among the newest. */
const searchedPages = 10;

const dayMs = 86_400_000;

/** GitHub, github.com or Enterprise: https://docs.github.com/rest/issues. */
export const github: TrackerKind = {
  kind: "github",
  name: "GitHub",
  fields: [
    addressField("https://github.com, or the address of your GitHub Enterprise"),
    plain("repository", "Repository", {
      hint: "Such as acme/shop",
      check: (value) =>
        /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(value) ? undefined : "Enter an owner and a name, such as acme/shop.",
    }),
    secret("token", "Access token", { hint: "Fine-grained, with permission to read and write issues" }),
  ],
  projectField: "repository",
  offersConfidential: false,
  headers: ({ token = "" }) => ({
    accept: "application/vnd.github+json",
    authorization: `Bearer ${token}`,
    "x-github-api-version": "2022-11-28",
  }),

  async check({ fields, send }) {
    const repository = objectOf(await send({ method: "GET", url: repositoryUrl(fields) }));
    if (repository["has_issues"] === false) {
      throw new TrackerFailure(ErrorReason.TRACKER_REFUSED, "Issues are turned off in this repository of GitHub.");
    }
    if (numberTextOf(repository["id"]) === "") throw invalidAnswer();
  },

  async create({ fields, send }, text) {
    const body = { title: inertTitle(text.title, longestTitle), body: issueMarkdown(text) };
    const issue = issueOf(await send({ method: "POST", url: `${repositoryUrl(fields)}/issues`, body }));
    if (!issue) throw invalidAnswer();
    return issue;
  },

  // The search is not used: its index is minutes late.
  async find({ fields, send }, mark, since) {
    for (let page = 1; page <= searchedPages; page++) {
      const query = `state=all&sort=created&direction=desc&per_page=100&page=${page}`;
      const newest = listOf(await send({ method: "GET", url: `${repositoryUrl(fields)}/issues?${query}` }));
      const found = newest.find((one) => textOf(objectOf(one)["body"]).includes(mark));
      if (found !== undefined) return issueOf(found);
      const oldest = Date.parse(textOf(objectOf(newest.at(-1))["created_at"]));
      if (newest.length < 100 || oldest < since - dayMs) return undefined;
    }
    throw new TrackerFailure(
      ErrorReason.TRACKER_UNUSABLE,
      "GitHub has too many new issues to find out whether this issue was created. If it exists there, link it.",
    );
  },

  // One GraphQL request for all issues: REST needs a request for each.
  async read({ fields, send }, keys) {
    const [owner, name] = (fields["repository"] ?? "").split("/");
    const issues = keys.map((key) => `i${key}: issue(number: ${Number(key)}) { number state url }`).join(" ");
    const query = `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${issues} } }`;
    const body = { query, variables: { owner, name } };
    const { data } = objectOf(await send({ method: "POST", url: graphUrl(fields), body }));
    const { repository } = objectOf(data);
    if (typeof repository !== "object" || repository === null) {
      throw new TrackerFailure(
        ErrorReason.TRACKER_REFUSED,
        "GitHub has no such repository, or the token cannot see it.",
      );
    }
    const found = Object.values(repository).flatMap((one) => issueOf(one) ?? []);
    return new Map(found.map((issue) => [issue.key, issue]));
  },

  async comment({ fields, send }, key, comment) {
    await send({ method: "POST", url: `${issueUrl(fields, key)}/comments`, body: { body: commentMarkdown(comment) } });
  },

  newestComments: ({ fields, send }, key, since) =>
    send({
      method: "GET",
      url: `${issueUrl(fields, key)}/comments?per_page=100&since=${new Date(since - dayMs).toISOString()}`,
    }),

  async setOpen({ fields, send }, key, isOpen) {
    const body = isOpen ? { state: "open", state_reason: "reopened" } : { state: "closed", state_reason: "completed" };
    await send({ method: "PATCH", url: issueUrl(fields, key), body });
  },

  keyIn(address, { url, repository = "" }) {
    const page = `${address.origin}${address.pathname}`.toLowerCase();
    const issues = `${baseOf(url)}/${repository}/issues/`.toLowerCase();
    return page.startsWith(issues) ? /^(\d{1,15})\/?$/.exec(page.slice(issues.length))?.[1] : undefined;
  },

  isSigned: (hook, hookSecret) => hasHexSignature(hook, "x-hub-signature-256", hookSecret),

  keyOfHook: (body) => numberTextOf(objectOf(objectOf(body)["issue"])["number"]) || undefined,
};

const repositoryUrl = (fields: TrackerFields) => `${apiUrl(fields)}/repos/${fields["repository"] ?? ""}`;

const issueUrl = (fields: TrackerFields, key: string) => `${repositoryUrl(fields)}/issues/${key}`;

/** github.com and servers with data residency have a host for the API, Enterprise Server has a path. */
function apiUrl({ url }: TrackerFields): string {
  const host = hostedApi(url);
  return host ?? `${baseOf(url)}/api/v3`;
}

const graphUrl = (fields: TrackerFields): string =>
  `${hostedApi(fields["url"]) ?? `${baseOf(fields["url"])}/api`}/graphql`;

function hostedApi(url: string | undefined): string | undefined {
  const host = URL.parse(url ?? "")?.hostname ?? "";
  return host === "github.com" || host.endsWith(".ghe.com") ? `https://api.${host}` : undefined;
}

/** An issue as REST or GraphQL sends it. */
function issueOf(sent: unknown): Issue | undefined {
  const { number, html_url: page, url, state } = objectOf(sent);
  const isOpen = textOf(state).toLowerCase() !== "closed";
  const issue = { key: numberTextOf(number), url: pageOf(page ?? url), isOpen };
  return issue.key === "" || issue.url === "" ? undefined : issue;
}

const invalidAnswer = () =>
  new TrackerFailure(ErrorReason.TRACKER_UNUSABLE, "The address does not answer like GitHub. Check the address.", {
    isUnknown: true,
  });

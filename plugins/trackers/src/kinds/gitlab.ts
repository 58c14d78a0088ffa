import { inertTitle } from "@faultline/plugin/text";
import { ErrorReason } from "@faultline/proto";
import { plain, secret } from "@faultline/plugin/fields";
import { addressField, baseOf } from "../address-field.ts";
import { hasSecret, hasStandardSignature } from "../hook-signature.ts";
import { listOf, numberTextOf, objectOf, pageOf, textOf } from "../json.ts";
import { commentMarkdown, issueMarkdown } from "../markdown.ts";
import { TrackerFailure } from "../tracker-failure.ts";
import type { Issue, TrackerFields, TrackerKind } from "../tracker-kind.ts";

/** GitLab's limit of an issue's title. */
const longestTitle = 255;

/** GitLab, gitlab.com or self-managed: https://docs.gitlab.com/api/issues. */
export const gitlab: TrackerKind = {
  kind: "gitlab",
  name: "GitLab",
  fields: [
    addressField("https://gitlab.com, or the address of your GitLab"),
    plain("project", "Project", {
      hint: "Its path, such as group/shop, or its id",
      check: (value) => (/^[\w.\-/]{1,255}$/.test(value) ? undefined : "Enter a path such as group/shop, or a number."),
    }),
    secret("token", "Access token", { hint: "Of the project, with the scope api and at least the role Reporter" }),
  ],
  projectField: "project",
  offersConfidential: true,
  headers: ({ token = "" }) => ({ "private-token": token }),

  async check({ fields, send }) {
    const project = objectOf(await send({ method: "GET", url: projectUrl(fields) }));
    if (project["issues_enabled"] === false) {
      throw new TrackerFailure(ErrorReason.TRACKER_REFUSED, "Issues are turned off in this project of GitLab.");
    }
    if (numberTextOf(project["id"]) === "") throw invalidAnswer();
  },

  async create({ fields, send }, text, { isConfidential }) {
    const body = {
      title: inertTitle(text.title, longestTitle),
      description: issueMarkdown(text),
      ...(isConfidential && { confidential: true }),
    };
    const issue = issueOf(await send({ method: "POST", url: `${projectUrl(fields)}/issues`, body }));
    if (!issue) throw invalidAnswer();
    return issue;
  },

  async find({ fields, send }, mark) {
    const query = new URLSearchParams({ search: mark, in: "description", scope: "all", per_page: "20" });
    const found = listOf(await send({ method: "GET", url: `${projectUrl(fields)}/issues?${query}` }));
    return issueOf(found.find((one) => textOf(objectOf(one)["description"]).includes(mark)));
  },

  async read({ fields, send }, keys) {
    const query = new URLSearchParams({ scope: "all", per_page: "100" });
    for (const key of keys) query.append("iids[]", key);
    const found = listOf(await send({ method: "GET", url: `${projectUrl(fields)}/issues?${query}` }));
    return new Map(found.flatMap((one) => issueOf(one) ?? []).map((issue) => [issue.key, issue]));
  },

  async comment({ fields, send }, key, comment) {
    await send({ method: "POST", url: `${issueUrl(fields, key)}/notes`, body: { body: commentMarkdown(comment) } });
  },

  newestComments: ({ fields, send }, key) =>
    send({ method: "GET", url: `${issueUrl(fields, key)}/notes?sort=desc&order_by=created_at&per_page=100` }),

  async setOpen({ fields, send }, key, isOpen) {
    await send({ method: "PUT", url: issueUrl(fields, key), body: { state_event: isOpen ? "reopen" : "close" } });
  },

  keyIn(address, { url }) {
    if (!address.href.startsWith(`${baseOf(url)}/`)) return undefined;
    return /\/-\/(?:issues|work_items)\/(\d{1,15})\/?$/.exec(address.pathname)?.[1];
  },

  isSigned: (hook, hookSecret, now) =>
    hasSecret(hook, "x-gitlab-token", hookSecret) || hasStandardSignature(hook, hookSecret, now),

  keyOfHook(body) {
    const { object_kind: kind, object_attributes: attributes } = objectOf(body);
    return kind === "issue" || kind === "work_item"
      ? numberTextOf(objectOf(attributes)["iid"]) || undefined
      : undefined;
  },
};

const projectUrl = ({ url, project = "" }: TrackerFields) =>
  `${baseOf(url)}/api/v4/projects/${encodeURIComponent(project)}`;

const issueUrl = (fields: TrackerFields, key: string) => `${projectUrl(fields)}/issues/${key}`;

function issueOf(sent: unknown): Issue | undefined {
  const { iid, web_url: page, state } = objectOf(sent);
  const issue = { key: numberTextOf(iid), url: pageOf(page), isOpen: state !== "closed" };
  return issue.key === "" || issue.url === "" ? undefined : issue;
}

const invalidAnswer = () =>
  new TrackerFailure(ErrorReason.TRACKER_UNUSABLE, "The address does not answer like GitLab. Check the address.", {
    isUnknown: true,
  });

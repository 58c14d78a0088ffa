import { ErrorReason } from "@faultline/proto";
import { plain, secret } from "@faultline/plugin/fields";
import { cut } from "@faultline/plugin/text";
import { addressField, baseOf } from "../address-field.ts";
import { hasHexSignature } from "../hook-signature.ts";
import { listOf, objectOf, textOf } from "../json.ts";
import { TrackerFailure } from "../tracker-failure.ts";
import type { Issue, TrackerFields, TrackerKind } from "../tracker-kind.ts";
import type { IssueComment, IssueText } from "../issue-text.ts";
import { markLabel } from "../markdown.ts";

/** Jira's documents (Atlassian Document Format): nodes without markup, so that foreign text stays text. */

type Node = { readonly type: string; readonly [field: string]: unknown };

const issueDocument = ({ facts, foreign, url, mark }: IssueText): Node =>
  documentOf(
    paragraph(text("Faultline error: "), link(url)),
    { type: "bulletList", content: facts.map((fact) => ({ type: "listItem", content: [paragraph(text(fact))] })) },
    code(foreign),
    paragraph(text(`${markLabel}: ${mark}`)),
  );

const commentDocument = ({ sentence, foreign, url, mark }: IssueComment): Node =>
  documentOf(
    paragraph(text(`${sentence} `), link(url)),
    ...(foreign.length === 0 ? [] : [code(foreign)]),
    paragraph(text(`${markLabel}: ${mark}`)),
  );

const documentOf = (...content: Node[]): Node => ({ type: "doc", version: 1, content });
const paragraph = (...content: Node[]): Node => ({ type: "paragraph", content });
const text = (content: string): Node => ({ type: "text", text: content });
const link = (href: string): Node => ({ type: "text", text: href, marks: [{ type: "link", attrs: { href } }] });
const code = (lines: readonly string[]): Node => ({ type: "codeBlock", content: [text(lines.join("\n") || " ")] });

/** Jira's limit of a summary. */
const longestSummary = 255;

const keyForm = /^[A-Z][A-Z\d_]{1,49}-\d{1,15}$/;

/** Jira Cloud: https://developer.atlassian.com/cloud/jira/platform/rest/v3. */
export const jira: TrackerKind = {
  kind: "jira",
  name: "Jira",
  fields: [
    addressField("Such as https://acme.atlassian.net"),
    plain("email", "E-mail address", { hint: "Of the account that the token belongs to" }),
    secret("token", "API token"),
    plain("project", "Project key", {
      hint: "Such as SHOP",
      check: (value) =>
        /^[A-Z][A-Z\d_]{1,49}$/.test(value) ? undefined : "Enter capital letters and digits, such as SHOP.",
    }),
    plain("issue_type", "Issue type", { hint: "Such as Bug or Task" }),
  ],
  projectField: "project",
  offersConfidential: false,
  headers: ({ email = "", token = "" }) => ({
    authorization: `Basic ${Buffer.from(`${email}:${token}`).toString("base64")}`,
  }),

  async check({ fields, send }) {
    const { project = "", issue_type: type = "" } = fields;
    const { key, issueTypes } = objectOf(await send({ method: "GET", url: `${api(fields)}/project/${project}` }));
    if (key !== project) throw invalidAnswer();
    const names = listOf(issueTypes).map((one) => textOf(objectOf(one)["name"]));
    if (names.includes(type)) return;
    const words = `This project in Jira has no issue type ${type}. It has ${names.slice(0, 20).join(", ") || "none"}.`;
    throw new TrackerFailure(ErrorReason.TRACKER_REFUSED, cut(words, 400));
  },

  async create({ fields, send }, issueText) {
    const { project: key, issue_type: name } = fields;
    const issue = {
      project: { key },
      issuetype: { name },
      summary: cut(issueText.title, longestSummary),
      description: issueDocument(issueText),
    };
    const made = objectOf(await send({ method: "POST", url: `${api(fields)}/issue`, body: { fields: issue } }));
    if (!keyForm.test(textOf(made["key"]))) throw invalidAnswer();
    return { key: textOf(made["key"]), url: pageOf(fields, textOf(made["key"])), isOpen: true };
  },

  async find({ fields, send }, mark) {
    const jql = `project = "${fields["project"] ?? ""}" AND description ~ "${mark}"`;
    const body = { jql, fields: ["description", "status"], maxResults: 20 };
    const { issues } = objectOf(await send({ method: "POST", url: `${api(fields)}/search/jql`, body }));
    return issueOf(
      listOf(issues).find((one) => JSON.stringify(one).includes(mark)),
      fields,
    );
  },

  async read({ fields, send }, keys) {
    const body = { issueIdsOrKeys: keys, fields: ["status"] };
    const { issues } = objectOf(await send({ method: "POST", url: `${api(fields)}/issue/bulkfetch`, body }));
    const found = listOf(issues).flatMap((one) => issueOf(one, fields) ?? []);
    return new Map(found.map((issue) => [issue.key, issue]));
  },

  async comment({ fields, send }, key, comment) {
    const body = { body: commentDocument(comment) };
    await send({ method: "POST", url: `${api(fields)}/issue/${key}/comment`, body });
  },

  newestComments: ({ fields, send }, key) =>
    send({ method: "GET", url: `${api(fields)}/issue/${key}/comment?orderBy=-created&maxResults=100` }),

  async setOpen({ fields, send }, key, isOpen) {
    const url = `${api(fields)}/issue/${key}/transitions`;
    const { transitions } = objectOf(await send({ method: "GET", url }));
    const way = listOf(transitions).find((one) => isDone(objectOf(one)["to"]) !== isOpen);
    if (way === undefined) {
      const words = `The workflow of ${key} leads to no status that is ${isOpen ? "open" : "done"}.`;
      throw new TrackerFailure(ErrorReason.TRACKER_REFUSED, words);
    }
    await send({ method: "POST", url, body: { transition: { id: textOf(objectOf(way)["id"]) } } });
  },

  keyIn(address, { url, project }) {
    if (!address.href.startsWith(`${baseOf(url)}/`)) return undefined;
    const key = /\/browse\/([A-Z\d_]+-\d{1,15})\/?$/.exec(address.pathname)?.[1];
    return key?.startsWith(`${project}-`) === true ? key : undefined;
  },

  isSigned: (hook, hookSecret) => hasHexSignature(hook, "x-hub-signature", hookSecret),

  keyOfHook(body) {
    const key = textOf(objectOf(objectOf(body)["issue"])["key"]);
    return keyForm.test(key) ? key : undefined;
  },
};

const api = ({ url }: TrackerFields) => `${baseOf(url)}/rest/api/3`;

const pageOf = ({ url }: TrackerFields, key: string) => `${baseOf(url)}/browse/${key}`;

/** Whether a status counts as done, regardless of its name. */
const isDone = (status: unknown): boolean => objectOf(objectOf(status)["statusCategory"])["key"] === "done";

function issueOf(sent: unknown, fields: TrackerFields): Issue | undefined {
  const issue = objectOf(sent);
  const key = textOf(issue["key"]);
  if (!keyForm.test(key)) return undefined;
  return { key, url: pageOf(fields, key), isOpen: !isDone(objectOf(issue["fields"])["status"]) };
}

const invalidAnswer = () =>
  new TrackerFailure(ErrorReason.TRACKER_UNUSABLE, "The address does not answer like Jira. Check the address.", {
    isUnknown: true,
  });

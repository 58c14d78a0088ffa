/** Texts of strangers in the issues of every tracker: nothing of them acts, and each request stays within the limits. */
import { create } from "@bufbuild/protobuf";
import { ErrorSchema, EventSchema } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { issueText } from "../../../plugins/trackers/src/issue-text.ts";
import { trackerKinds } from "../../../plugins/trackers/src/kinds/tracker-kinds.ts";
import { inertTitle } from "../../../plugins/plugin/src/text.ts";
import type { TrackerKind, TrackerRequest } from "../../../plugins/trackers/src/tracker-kind.ts";
import { hostileTexts } from "../../support/notifications/hostile-texts.ts";

const url = "https://faultline.example.com/acme/shop/-/error_tracking";
const mark = `fl${"0".repeat(32)}`;
const fields = {
  url: "https://tracker.example.com",
  project: "SHOP",
  repository: "acme/shop",
  email: "robot@acme.example",
  token: "abcdefghijklmnop",
  issue_type: "Bug",
};

function textOf(text: string) {
  const frame = { filename: text, function: text, contextLine: text, lineno: 3, inApp: true };
  const event = create(EventSchema, { exceptions: [{ type: text, value: text, frames: [frame, frame] }] });
  const error = create(ErrorSchema, {
    errorId: "17",
    title: text,
    type: text,
    value: text,
    culprit: text,
    level: text,
    firstRelease: text,
    lastRelease: text,
  });
  return issueText(error, event, { project: { path: "acme/shop", url }, mark });
}

/** The bodies of the requests that create and comment an issue about a text. */
async function bodiesOf(kind: TrackerKind, text: string): Promise<[created: unknown, commented: unknown]> {
  const sent: TrackerRequest[] = [];
  const send = async (request: TrackerRequest) => {
    sent.push(request);
    return { iid: 1, number: 1, key: "SHOP-1", web_url: "https://x.example/1", html_url: "https://x.example/1" };
  };
  const issue = textOf(text);
  await kind.create({ fields, send }, issue, { isConfidential: false });
  await kind.comment({ fields, send }, "1", { ...issue, sentence: "It came back." });
  assert.is(sent.length, 2);
  return [sent[0]?.body, sent[1]?.body];
}

/** Whether all of a Markdown text that is not ours is within one fence, which ends at its end. */
function isFenced(markdown: string): boolean {
  const lines = markdown.split("\n");
  const begin = lines.findIndex((line) => /^`{3,}$/.test(line));
  const fence = lines[begin] ?? "";
  const end = lines.indexOf(fence, begin + 1);
  const ours =
    /^(?:### Error details|It came back\.|https:\/\/faultline\.example\.com\S*|- (?:Faultline error|Events|Users): .*|Faultline reference: fl0+|)$/;
  const outside = [...lines.slice(0, begin), ...lines.slice(end + 1)];
  const inside = lines.slice(begin + 1, end);
  return (
    begin > 0 && end > begin && outside.every((line) => ours.test(line)) && !inside.some((line) => line.includes(fence))
  );
}

/** Every text in a document of Jira, with the type of the node that holds it. */
function textsIn(node: unknown, parent = ""): [parent: string, text: string, marks: unknown][] {
  const {
    type = "",
    text,
    content = [],
    marks,
  } = node as { type?: string; text?: string; content?: []; marks?: unknown };
  return [
    ...(text === undefined ? [] : [[parent, text, marks] as [string, string, unknown]]),
    ...content.flatMap((one) => textsIn(one, type)),
  ];
}

for (const kind of trackerKinds) {
  test(`${hostileTexts.length} hostile texts neither act in issues of ${kind.name} nor leave its limits`, async () => {
    for (const text of hostileTexts) {
      for (const body of await bodiesOf(kind, text)) {
        const json = JSON.stringify(body);
        assert.ok(json.length <= 32_000, `${json.length}`);
        assert.ok(json.isWellFormed());
        assert.not.match(json, /\\u00[01]|[\u202a-\u202e\u2066-\u2069]/); // JSON writes control characters so
        if (kind.kind === "jira") checkJira(body);
        else checkMarkdown(body, text, kind.kind === "github" ? 256 : 255);
      }
    }
  });
}

function checkMarkdown(body: unknown, text: string, longestTitle: number): void {
  const { title, description, body: markdown = description } = body as Record<string, string | undefined>;
  assert.ok(isFenced(markdown ?? ""), `${text.slice(0, 80)}\n${markdown?.slice(0, 500)}`);
  if (title === undefined) return;
  assert.ok(title.length <= longestTitle && !title.includes("\n"), title);
  assert.not.match(title, /[@#!$%&~^*[\]`\\](?!\u200b|…)|:\/\/|\b[A-Z][A-Z\d_]*-\d/, title.slice(0, 200));
}

function checkJira(body: unknown): void {
  const { fields: issue, body: comment } = body as {
    fields?: { summary: string; description: unknown };
    body?: unknown;
  };
  if (issue) assert.ok(issue.summary.length <= 255 && issue.summary !== "" && !issue.summary.includes("\n"));
  const texts = textsIn(issue?.description ?? comment);
  const ours =
    /^(?:Faultline error: |Events: \d+|Users: \d+|Faultline reference: fl0+|It came back\. |https:\/\/faultline\.example\.com\/\S*)$/;
  for (const [parent, text, marks] of texts) {
    assert.ok(text !== "");
    if (parent !== "codeBlock") assert.match(text, ours);
    if (marks !== undefined)
      assert.match(JSON.stringify(marks), "https://faultline.example.com/acme/shop/-/error_tracking/17/details");
  }
}

test("a title keeps its words, and what would refer to something is cut by an invisible space", () => {
  const titles: [text: string, title: string][] = [
    ["TypeError: x is undefined", "TypeError: x is undefined"],
    ["@root sees #1 and !2", "@\u200broot sees #\u200b1 and !\u200b2"],
    ["commit deadbeefcafe", "commit dea\u200bdbeefcafe"],
    ["SHOP-12 at https://x.example", "SHOP-\u200b12 at https:\u200b//x.example"],
  ];
  for (const [text, title] of titles) assert.is(inertTitle(text, 255), title);
  assert.is(inertTitle("x".repeat(300), 255).length, 255);
});

test.run();

/** The requests of a webhook: the usual body by the published schema, a body by a template, and custom headers. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { webhookBody } from "../../../plugins/notifier/src/channels/webhook/body.ts";
import { messageKinds as kinds, typeOf } from "../../../plugins/notifier/src/kinds.ts";
import { extraHeaders, headersFault } from "../../../plugins/notifier/src/channels/webhook/extra-headers.ts";
import {
  filledTemplate,
  templateFault,
  templatePaths,
} from "../../../plugins/notifier/src/channels/webhook/template.ts";
import { webhook } from "../../../plugins/notifier/src/channels/kinds/webhook.ts";
import type { Message } from "../../../plugins/notifier/src/messages/message.ts";
import { schemaFaults, type Schema } from "../../support/rest/schema-faults.ts";

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../docs/schemas/webhook-1.json"), "utf8"),
) as Schema;

const messageOf = (kind: Message["kind"], title = "TypeError: x is undefined"): Message => ({
  kind,
  headline: "New error",
  project: "acme/shop",
  errorId: kind === "digest" || kind === "test" ? "" : "17",
  title,
  place: "checkout",
  level: "error",
  facts: [{ label: "Events", value: "1" }],
  lines: kind === "digest" ? [{ headline: "New error", title, url: "https://errors.example.com/1" }] : [],
  url: "https://errors.example.com/acme/shop",
  rule: "Production",
  note: "",
  at: Date.UTC(2026, 10, 25),
  thread: "1.17",
});

const noReference = (reference: string): Schema => {
  throw new Error(`the schema refers to ${reference}`);
};

test("the body of every kind of message has the published form and nothing that it does not describe", () => {
  for (const kind of kinds) {
    const body: unknown = JSON.parse(JSON.stringify(webhookBody(messageOf(kind))));
    assert.equal(schemaFaults(body, schema, noReference), [], kind);
  }
  const type = schema.properties?.["type"] as { examples?: readonly string[] } | undefined;
  assert.equal(type?.examples, [...new Set(kinds.map(typeOf))]);
});

test("the published form has a description of each field", () => {
  const walk = (one: Schema & { description?: string }, place: string): string[] => [
    ...(one.description === undefined && place !== "" && !place.endsWith("[]") && place !== ".data" ? [place] : []),
    ...Object.entries(one.properties ?? {}).flatMap(([name, inner]) => walk(inner, `${place}.${name}`)),
    ...(one.items ? walk(one.items, `${place}[]`) : []),
  ];
  assert.equal(walk(schema, ""), []);
});

const hostile = ['"},{"x":"', "{{note}}", "\\", "\n", "\u2028", "</script>", "__proto__", "$&", "$1"];

test("a template stays the JSON that it is, whatever the texts are, and what fills it is not read again", () => {
  const template = `{"text": "{{headline}}: {{ error.title }}", "list": [1, null, true, "{{note}}"], "__proto__": {"a": "{{error.id}}"}}`;
  assert.is(templateFault(template), undefined);
  for (const title of hostile) {
    const filled = JSON.parse(filledTemplate(template, { ...messageOf("created", title), note: "the note" })) as object;
    assert.equal(Object.entries(filled), [
      ["text", `New error: ${title}`],
      ["list", [1, null, true, "the note"]],
      ["__proto__", { a: "17" }],
    ]);
  }
});

test("every path of a template gives a text for every kind of message", () => {
  for (const kind of kinds) {
    const template = JSON.stringify(Object.fromEntries(templatePaths.map((path) => [path, `{{${path}}}`])));
    assert.is(templateFault(template), undefined);
    const filled = JSON.parse(filledTemplate(template, messageOf(kind))) as Record<string, string>;
    assert.is(filled["type"], typeOf(kind));
    assert.not.match(JSON.stringify(filled), /\{\{/);
  }
});

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const refusedTemplates: readonly (readonly [template: string, fault: RegExp])[] = [
  ["hello", /Enter valid JSON/],
  [`{"a": }`, /Enter valid JSON/],
  [`"{{error.title}}"`, /a JSON object or list/],
  ["1", /a JSON object or list/],
  ["null", /a JSON object or list/],
  [`{"a": "{{error.secret}}"}`, /There is no \{\{error\.secret\}\}/],
  [`{"a": "{{constructor}}"}`, /There is no \{\{constructor\}\}/],
  [`{"a": "{{}}"}`, /There is no \{\{\}\}/],
  [`{"a": "{{error.title"}`, /has no matching \}\}/],
  [nested(9), /8 levels/],
  [JSON.stringify(Array.from({ length: 21 }, () => "{{note}}")), /20 placeholders/],
  [JSON.stringify(["x".repeat(4_000)]), /4,000 characters/],
];
for (const [template, fault] of refusedTemplates) {
  test(`the template ${template.slice(0, 40)} is refused in words`, () => {
    assert.match(templateFault(template) ?? "", fault);
  });
}
test("a template of eight levels, 20 places and 4,000 characters can be used", () => {
  assert.is(templateFault(nested(8)), undefined);
  assert.is(templateFault(JSON.stringify(Array.from({ length: 20 }, () => "{{note}}"))), undefined);
  assert.is(templateFault(JSON.stringify(["x".repeat(3_996)])), undefined);
});

test("custom headers are sent, in addition to the headers that sign the body", () => {
  const fields = {
    url: "https://a.example",
    headers: "Authorization: Bearer abc\r\n\nX-One:  1 ",
    template: `{"a":1}`,
  };
  const { headers, body } = webhook.request(messageOf("created"), { fields }, { uid: "msg_1", at: 0 });
  assert.equal([headers["authorization"], headers["x-one"], headers["webhook-id"]], ["Bearer abc", "1", "msg_1"]);
  assert.is(headers["content-type"], "application/json");
  assert.is(body, `{"a":1}`);
});

const refusedHeaders = [
  "no colon",
  ": no name",
  "a b: c",
  "a\u0000: c",
  "X-Empty:",
  "X: ä",
  "X: a\u0000b",
  "X: a\rY: b",
  `X: ${"x".repeat(1_001)}`,
  "X: 1\nx: 2",
  ...[
    "Host",
    "Connection",
    "Transfer-Encoding",
    "Content-Type",
    "content-length",
    "webhook-id",
    "WEBHOOK-SIGNATURE",
  ].map((name) => `${name}: x`),
  Array.from({ length: 11 }, (_, n) => `X-${n}: x`).join("\n"),
];
for (const lines of refusedHeaders) {
  test(`the headers ${JSON.stringify(lines).slice(0, 40)} are refused`, () => {
    assert.type(headersFault(lines), "string");
  });
}

test("ten headers can be used", () => {
  const lines = Array.from({ length: 10 }, (_, n) => `X-${n}: x`).join("\n");
  assert.is(headersFault(lines), undefined);
  assert.is(Object.keys(extraHeaders(lines)).length, 10);
});

test.run();

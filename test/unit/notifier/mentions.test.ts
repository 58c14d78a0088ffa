/** A title of a stranger notifies nobody: no channel, no group, no person. */
import { create } from "@bufbuild/protobuf";
import { ErrorSchema, ErrorStatus, NotificationTrigger } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { errorMessage } from "../../../plugins/notifier/src/messages/message-of-change.ts";
import { errorLetter } from "../../../plugins/notifier/src/mail/letters.ts";
import { channelKinds } from "../../../plugins/notifier/src/channels/channel.ts";

const titles = [
  "@channel",
  "<!channel>",
  "<!subteam^S1|@group>",
  "@everyone",
  "@here @all",
  "@group",
  "@acme/leads",
  "<@U123> <@&1>",
  "<users/all>",
  "<at>everyone</at>",
  "[x](mention://group)",
];

type Json = Readonly<Record<string, unknown>>;

const mentionsOutsideFence = (text: string) => /[@<](?!\u200b)/.test(text.replace(/^(`{3,})\n[^]*\n\1$/, ""));
const attachmentsOf = (body: Json) =>
  (body["attachments"] as Json[]).some(({ title, fallback = "", text }) =>
    [title, fallback, text].some((one) => mentionsOutsideFence(String(one))),
  );

/** Whether a message would notify somebody, by the documentation of each service. */
const notifies: Readonly<Record<string, (body: Json, text: string) => boolean>> = {
  // A `<...>` in `text`, names in it if they are resolved, and separate elements in rich text.
  slack: (body, text) =>
    /[<>]/.test(String(body["text"])) ||
    "link_names" in body ||
    "parse" in body ||
    /"type":"(?:broadcast|user|usergroup|channel)"/.test(text),
  discord: (body) => JSON.stringify(body["allowed_mentions"]) !== '{"parse":[]}' || "content" in body,
  teams: (_body, text) => text.includes('"entities"') || text.includes('"TextBlock"'),
  "google-chat": (body) => "text" in body || "fallbackText" in body,
  mattermost: attachmentsOf,
  "rocket-chat": attachmentsOf,
  telegram(body) {
    const entities = body["entities"] as { type: string; offset: number; length: number }[];
    const code = entities.find(({ type }) => type === "code") ?? { offset: 0, length: 0 };
    const text = String(body["text"]);
    return /@/.test(text.slice(0, code.offset)) || code.length !== text.length - code.offset || "parse_mode" in body;
  },
  "gitlab-alert": (body) =>
    /[@&](?!\u200b)/.test(String(body["title"])) || mentionsOutsideFence(String(body["description"])),
  // They know no mentions, or are programs.
  ntfy: (body) => "markdown" in body,
  gotify: (_body, text) => !text.includes('"contentType":"text/plain"'),
  pagerduty: () => false,
  webhook: () => false,
};

const config = {
  fields: { url: "https://chat.example.com/hooks/x", token: "123456:abc", chat_id: "-1", topic: "t", routing_key: "k" },
};

function messageOf(title: string) {
  const at = 1_790_000_000_000;
  const { UNRESOLVED } = ErrorStatus;
  const error = create(ErrorSchema, { errorId: "17", projectId: 1, title, culprit: title, status: UNRESOLVED });
  const change = { id: 1, project_id: 1, error_id: "17", notification_trigger: NotificationTrigger.CREATED };
  const signal = { ...change, status: UNRESOLVED, happened_at: at, done_at: null, made_by: "", rule_id: 0, detail: "" };
  const project = { path: "acme/shop", url: "https://faultline.example.com/acme/shop/-/error_tracking" };
  return errorMessage(signal, { error, rule: { name: title, note: title }, project });
}

test("each kind of channel has a row", () =>
  assert.equal(Object.keys(notifies).toSorted(), channelKinds.map(({ kind }) => kind).toSorted()));

for (const kind of channelKinds) {
  for (const title of titles) {
    test(`an error with the title ${title} notifies nobody in ${kind.name}`, () => {
      const { body } = kind.request(messageOf(title), config, { uid: "msg_1", at: 0 });
      assert.is(notifies[kind.kind]?.(JSON.parse(body) as Json, body), false, body);
    });
  }
}

test("a title is in the subject of a mail, which has one recipient whatever the title says", () => {
  for (const title of titles) {
    const { subject } = errorLetter(messageOf(title), { zone: "UTC", unsubscribeUrl: "https://x.example/1" });
    assert.not.match(subject, /[\r\n]/);
    assert.ok(subject.includes(title));
  }
});

test.run();

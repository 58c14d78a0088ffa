/** Texts of strangers in every channel: nothing of them acts, and each message stays within the limits of its channel. */
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { ChannelConfig, ChannelKind } from "../../../plugins/notifier/src/channels/channel-kind.ts";
import { cleanLine } from "../../../plugins/plugin/src/text.ts";
import { errorMessage } from "../../../plugins/notifier/src/messages/message-of-change.ts";
import type { Message } from "../../../plugins/notifier/src/messages/message.ts";
import { composeMail, listHeaders } from "../../../plugins/notifier/src/mail/compose.ts";
import { errorLetter } from "../../../plugins/notifier/src/mail/letters.ts";
import { create } from "@bufbuild/protobuf";
import { ErrorSchema, ErrorStatus, NotificationTrigger } from "@faultline/proto";
import { hostileTexts as texts } from "../../support/notifications/hostile-texts.ts";
import { channelKinds } from "../../../plugins/notifier/src/channels/channel.ts";

const config: ChannelConfig = {
  fields: {
    url: "https://chat.example.com/hooks/secret",
    token: "123456:abcdefghijklmnopqrstuvwxyz",
    chat_id: "-1001",
    topic: "errors",
    routing_key: "a".repeat(32),
  },
  signing: { current: `whsec_${Buffer.alloc(32, 7).toString("base64")}` },
};
const delivery = { uid: "msg_1", at: 1_790_000_000_000 };

function messageOf(text: string): Message {
  const error = create(ErrorSchema, {
    errorId: "17",
    projectId: 1,
    title: text,
    culprit: text,
    level: text,
    lastRelease: text,
    firstRelease: `${text}1`,
    eventCount: 4,
    status: ErrorStatus.UNRESOLVED,
  });
  const signal = {
    id: 1,
    project_id: 1,
    error_id: "17",
    notification_trigger: NotificationTrigger.CREATED,
    status: ErrorStatus.UNRESOLVED,
    happened_at: delivery.at,
    done_at: null,
    made_by: "",
    rule_id: 0,
    detail: JSON.stringify({ release: text }),
  };
  const rule = {
    id: 1,
    project_id: 1,
    name: text,
    is_enabled: 1,
    triggers: "[]",
    filter: "",
    channel_ids: "[]",
    note: text,
    created_at: 0,
    created_by: "",
    spike: "",
  };
  const project = { path: "acme/shop", url: "https://faultline.example.com/acme/shop/-/error_tracking" };
  const message = errorMessage(signal, { error, rule, project });
  return {
    ...message,
    lines: Array.from({ length: 10 }, () => ({ headline: "New error", title: message.title, url: message.url })),
  };
}

/** Every text in a body, with its path. */
function leaves(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => leaves(one, `${path}.${key}`));
}

/** Texts that would have an effect in a channel that reads markup. */
const acting: Readonly<Record<string, (path: string, text: string) => boolean>> = {
  slack: (path, text) => path === ".text" && /[<>]/.test(text),
  discord: (path, text) =>
    !/\.(?:url|footer\.text|timestamp)$/.test(path) && /(?<!\\)[<@[\]*_~`|]/.test(text.replace(/\\\\/g, "")),
  teams: (path, text) => text.includes("{{") || (/^(?:TextBlock|FactSet)$/.test(text) && path.endsWith(".type")),
  "google-chat": (path, text) => path.endsWith(".text") && /[<>]/.test(text),
  mattermost: (path, text) => isOutsideFence(path, text),
  "rocket-chat": (path, text) => isOutsideFence(path, text),
  "gitlab-alert": (path, text) =>
    (path === ".description" && isOutsideFence(".text", text)) ||
    (path === ".title" && /[@#!$%&~^*[\]`\\](?![\u200b…])/.test(text)),
};

/** Whether a text that is no code block has marks that act, or a code block ends before its end. */
function isOutsideFence(path: string, text: string): boolean {
  if (path.endsWith("title_link") || path.endsWith("color")) return false;
  if (!path.endsWith(".text")) return /(?<!\\)[<[\]*_`]|@(?!\u200b)/.test(text);
  const fence = /^`{3,}/.exec(text)?.[0] ?? "";
  return fence === "" || text.slice(fence.length, -fence.length).includes(fence) || !text.endsWith(`\n${fence}`);
}

/** The longest body of a channel, in bytes; see reference to each service in its file. */
const longest: Readonly<Record<string, number>> = {
  slack: 40_000,
  discord: 30_000,
  teams: 28_000,
  "google-chat": 32_000,
  mattermost: 65_000,
  "rocket-chat": 20_000,
  telegram: 40_000,
  ntfy: 8_000,
  gotify: 40_000,
  pagerduty: 512_000,
  "gitlab-alert": 20_000,
  webhook: 20_000,
};

for (const kind of channelKinds) {
  test(`${texts.length} hostile texts neither act in ${kind.name} nor leave its limits`, () => check(kind));
}

function check(kind: ChannelKind): void {
  for (const text of texts) {
    const message = messageOf(text);
    const { url, headers, body } = kind.request(message, config, delivery);
    assert.ok(URL.canParse(url), url);
    assert.ok(Buffer.byteLength(body) <= (longest[kind.kind] ?? 0), `${kind.kind}: ${Buffer.byteLength(body)} bytes`);
    for (const [name, value] of Object.entries(headers)) assert.match(`${name}: ${value}`, /^[\x20-\x7e]*$/);
    const all = leaves(JSON.parse(body));
    for (const [path, leaf] of all) {
      assert.ok(leaf.isWellFormed(), `${kind.kind}${path}`);
      // oxlint-disable-next-line no-control-regex -- control characters are what must not come through
      assert.not.match(leaf, /[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/u, `${kind.kind}${path}`);
      assert.not.ok(acting[kind.kind]?.(path, leaf), `${kind.kind}${path}: ${leaf.slice(0, 200)}`);
      if (/(?:^|[._])(?:url|href|link|title_link|click|client_url|faultline_url)$/.test(path)) {
        assert.match(leaf, /^https:\/\/faultline\.example\.com\//, `${kind.kind}${path}`);
      }
    }
  }
}

test("Discord is asked to mention nobody, and its embed has less than 6,000 characters", () => {
  const discord = channelKinds.find(({ kind }) => kind === "discord");
  for (const text of texts) {
    const body = JSON.parse(discord?.request(messageOf(text), config, delivery).body ?? "{}");
    assert.equal(body.allowed_mentions, { parse: [] });
    const [embed] = body.embeds;
    const counted = [
      embed.title,
      embed.description,
      embed.footer?.text ?? "",
      ...embed.fields.flatMap((field: { name: string; value: string }) => [field.name, field.value]),
    ];
    assert.ok(counted.join("").length <= 6_000, String(counted.join("").length));
    assert.ok(
      embed.title.length <= 256 && embed.fields.every((field: { value: string }) => field.value.length <= 1_024),
    );
  }
});

test("Telegram's message has at most 4,096 units, and its entities lie within it", () => {
  const telegram = channelKinds.find(({ kind }) => kind === "telegram");
  for (const text of texts) {
    const body = JSON.parse(telegram?.request(messageOf(text), config, delivery).body ?? "{}");
    assert.ok(body.text.length <= 4_096);
    assert.not.ok("parse_mode" in body);
    for (const { offset, length } of body.entities) assert.ok(length > 0 && offset + length <= body.text.length);
  }
});

test(`${texts.length} hostile texts are inert in mail: no tag, address or link but ours, and lines of 78 columns`, () => {
  const host = "faultline.example.com";
  const unsubscribeUrl = `https://${host}/-/unsubscribe/1.1.x`;
  for (const text of texts) {
    const message = { ...messageOf(text), errorId: text.slice(0, 300), thread: `1.${text.slice(0, 300)}` };
    const headers = listHeaders({ ...message, project: text.slice(0, 300) }, { projectId: 1, host, unsubscribeUrl });
    const letter = errorLetter(message, { zone: text.slice(0, 100), unsubscribeUrl });
    const mail = composeMail(letter, { to: "ann@example.com", uid: "msg_1", host, at: delivery.at, headers });
    for (const [name, value] of Object.entries(mail.headers)) assert.match(`${name}: ${value}`, /^[\x20-\x7e]{1,900}$/);
    // oxlint-disable-next-line no-control-regex -- control characters are what must not come through
    assert.not.match(mail.subject, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u);
    assert.ok(mail.subject.isWellFormed() && mail.html.isWellFormed() && mail.text.isWellFormed());
    for (const line of mail.text.split("\n")) {
      assert.ok([...line].length <= 78 || /^(?: {2})?https:\/\/faultline\.example\.com\//.test(line), line);
    }
    const tags = [...mail.html.matchAll(/<([^>]*)>/g)].map(([, inner = ""]) => inner);
    const allowed = /^(?:!doctype|\/?(?:html|head|body|meta|title|style|table|tr|td|p|a|br))\b/;
    assert.equal(
      tags.filter((tag) => !allowed.test(tag)),
      [],
    );
    for (const tag of tags.filter((one) => one.startsWith("a "))) {
      assert.match(tag, /^a href="https:\/\/faultline\.example\.com\/[^"<>]*" (?:class="soft" )?style="[^"<>]*"$/);
    }
    assert.equal(
      tags.filter((tag) => /\s(?:src|background|on\w+)=|url\(|@import/i.test(tag)),
      [],
    );
    assert.ok(mail.html.length < 100_000, String(mail.html.length));
  }
});

test("a line is clean, cut by whole characters, and ends where it was cut with an ellipsis", () => {
  const lines: [text: string, longest: number, line: string][] = [
    ["a\nb\tc", 10, "a bc"],
    ["🙂🙂🙂", 4, "🙂…"],
    ["abcdef", 4, "abc…"],
    ["\u202eabc", 10, "abc"],
    ["e\u0301", 10, "é"],
  ];
  for (const [text, longestLine, line] of lines) {
    assert.is(cleanLine(text, longestLine), line);
  }
});

test.run();

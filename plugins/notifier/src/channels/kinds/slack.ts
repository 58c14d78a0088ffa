import { secretUrl } from "@faultline/plugin/fields";
import { cut, escapedMarkup } from "@faultline/plugin/text";
import { type ChannelKind, jsonRequest } from "../channel-kind.ts";
import { factsLine, footOf, headOf, type Message } from "../../messages/message.ts";

type Element = { readonly type: "text" | "link"; readonly [field: string]: unknown };

/**
 * Slack through an incoming webhook. Rich text consists of typed nodes without markup, so that foreign text stays text.
 */
export const slack: ChannelKind = {
  kind: "slack",
  name: "Slack",
  fields: [secretUrl("An incoming webhook, such as https://hooks.slack.com/services/…")],
  isIdempotent: false,
  expiresAfterMs: 86_400_000,
  request: (message, { fields }) =>
    jsonRequest(fields["url"], {
      text: escapedMarkup(`${headOf(message)}: ${message.title}`), // the notification on the screen, in mrkdwn
      blocks: [{ type: "rich_text", elements: sections(message) }],
    }),
  outcome({ status, body }) {
    if (status !== 400) return undefined;
    const answer = body.toString("utf8", 0, 100).trim();
    if (/^(?:no_service|no_team|invalid_token|user_not_found|channel_not_found)$/.test(answer)) {
      return { is: "disable", reason: `Slack answered ${answer}.` };
    }
    return { is: "drop", reason: `Slack answered ${cut(answer, 60)}.` };
  },
};

function sections(message: Message) {
  const { title, url, place, lines } = message;
  const foot = footOf(message);
  const section = (...elements: Element[]) => ({ type: "rich_text_section", elements });
  return [
    section(text(`${headOf(message)}\n`, { bold: true }), link(url, title)),
    ...(place === "" ? [] : [{ type: "rich_text_preformatted", elements: [text(place)] }]),
    ...lines.map((line) => section(text(`${line.headline}: `), link(line.url, line.title))),
    section(text(factsLine(message) || " ")),
    ...(foot === "" ? [] : [section(text(foot))]),
  ];
}

const text = (content: string, style?: object): Element => ({ type: "text", text: content, ...(style && { style }) });
const link = (url: string, content: string): Element => ({ type: "link", url, text: content });

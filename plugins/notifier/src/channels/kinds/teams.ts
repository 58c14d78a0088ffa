import { secretUrl } from "@faultline/plugin/fields";
import { type ChannelKind, jsonRequest } from "../channel-kind.ts";
import { factsLine, footOf, headOf, type Message } from "../../messages/message.ts";

/**
 * Microsoft Teams through a workflow ("When a Teams webhook request is received"): an adaptive card with foreign text
 * in TextRuns.
 */
export const teams: ChannelKind = {
  kind: "teams",
  name: "Microsoft Teams",
  fields: [secretUrl("The address of a workflow that posts webhook requests to a channel")],
  isIdempotent: false,
  expiresAfterMs: 86_400_000,
  request: (message, { fields }) =>
    jsonRequest(fields["url"], {
      type: "message",
      attachments: [
        { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content: card(message) },
      ],
    }),
};

function card(message: Message) {
  const { title, place, lines, url } = message;
  const texts = [place, ...lines.map((line) => `${line.headline}: ${line.title}`), factsLine(message), footOf(message)];
  return {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      paragraph(headOf(message), { weight: "Bolder" }),
      paragraph(title, { size: "Medium" }),
      ...texts.filter((text) => text !== "").map((text) => paragraph(text)),
    ],
    actions: [{ type: "Action.OpenUrl", title: "Open", url }],
  };
}

/** TextRuns have no Markdown. `{{` begins a date or time function in any text of a card, so it is split. */
const paragraph = (text: string, style: object = {}) => ({
  type: "RichTextBlock",
  inlines: [{ type: "TextRun", text: text.replaceAll("{{", "{\u200b{"), ...style }],
});

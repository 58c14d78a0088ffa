import { secretUrl } from "@faultline/plugin/fields";
import { escapedMarkup } from "@faultline/plugin/text";
import { type ChannelKind, jsonRequest } from "../channel-kind.ts";
import { footOf, headOf, type Message } from "../../messages/message.ts";

/** Google Chat through a webhook of a space. Each message is a card, and each error a thread. */
export const googleChat: ChannelKind = {
  kind: "google-chat",
  name: "Google Chat",
  fields: [secretUrl("A webhook of a space, such as https://chat.googleapis.com/v1/spaces/…")],
  isIdempotent: false, // requestId is documented for the API, but not for webhooks
  expiresAfterMs: 86_400_000,
  request(message, { fields }, { uid }) {
    const url = URL.parse(fields["url"] ?? "");
    url?.searchParams.set("messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD");
    url?.searchParams.set("requestId", uid);
    return jsonRequest(url?.href, {
      thread: { threadKey: message.thread },
      cardsV2: [{ cardId: "error", card: card(message) }],
    });
  },
};

function card(message: Message) {
  const { title, place, lines, facts, url } = message;
  const foot = footOf(message);
  const decorated = (topLabel: string, text: string) => ({
    decoratedText: { topLabel, text: escapedMarkup(text), wrapText: true },
  });
  return {
    header: { title: headOf(message), subtitle: title }, // a header has no markup
    sections: [
      {
        widgets: [
          ...(place === "" ? [] : [decorated("Where", place)]),
          ...lines.map((line) => decorated(line.headline, line.title)),
          ...facts.map(({ label, value }) => decorated(label, value)),
          ...(foot === "" ? [] : [{ textParagraph: { text: escapedMarkup(foot) } }]),
          { buttonList: { buttons: [{ text: "Open", onClick: { openLink: { url } } }] } },
        ],
      },
    ],
  };
}

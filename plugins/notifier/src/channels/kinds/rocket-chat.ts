import { secretUrl } from "@faultline/plugin/fields";
import { cut, escapedMarkdown, fenced } from "@faultline/plugin/text";
import { type ChannelKind, jsonRequest } from "../channel-kind.ts";
import { headOf, hexColorOf, plainText } from "../../messages/message.ts";

/** Rocket.Chat through an incoming integration. */
export const rocketChat: ChannelKind = {
  kind: "rocket-chat",
  name: "Rocket.Chat",
  fields: [secretUrl("An incoming integration, such as https://chat.example.com/hooks/…")],
  isIdempotent: false,
  expiresAfterMs: 86_400_000,
  request: (message, { fields }) =>
    jsonRequest(fields["url"], {
      attachments: [
        {
          color: hexColorOf(message.level),
          title: cut(escapedMarkdown(headOf(message)), 300),
          title_link: message.url,
          text: fenced(cut(plainText(message), 900)),
        },
      ],
      separateResponse: true,
    }),
};

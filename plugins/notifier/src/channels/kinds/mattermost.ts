import { secretUrl } from "@faultline/plugin/fields";
import { cut, escapedMarkdown, fenced } from "@faultline/plugin/text";
import { type ChannelKind, jsonRequest } from "../channel-kind.ts";
import { headOf, hexColorOf, plainText } from "../../messages/message.ts";

/** Mattermost through an incoming webhook. */
export const mattermost: ChannelKind = {
  kind: "mattermost",
  name: "Mattermost",
  fields: [secretUrl("An incoming webhook, such as https://chat.example.com/hooks/…")],
  isIdempotent: false,
  expiresAfterMs: 86_400_000,
  request: (message, { fields }) =>
    jsonRequest(fields["url"], {
      attachments: [
        {
          fallback: escapedMarkdown(headOf(message)),
          color: hexColorOf(message.level),
          title: cut(escapedMarkdown(headOf(message)), 300),
          title_link: message.url,
          text: fenced(cut(plainText(message), 6_000)),
        },
      ],
    }),
};

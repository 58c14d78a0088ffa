import { cut, escapedMarkdown, fenced } from "@faultline/plugin/text";
import { headOf, plainText } from "../../messages/plain-text.ts";
import type { ChannelKind } from "../channel-kind.ts";
import { secretUrl } from "@faultline/plugin/fields";
import { jsonRequest } from "../json-request.ts";
import { hexColorOf } from "../severity.ts";

/** Mattermost by an incoming webhook. */
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

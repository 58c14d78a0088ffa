import { plain, plainUrl, secret } from "@faultline/plugin/fields";
import { cut } from "@faultline/plugin/text";
import { type ChannelKind, jsonRequest } from "../channel-kind.ts";
import { headOf, type Level, plainText } from "../../messages/message.ts";

const priorities: Readonly<Record<Level, number>> = { fatal: 5, error: 4, warning: 3, info: 2, debug: 1 };

/** ntfy. Its root address takes JSON that names the topic. A message has at most 4,096 bytes. */
export const ntfy: ChannelKind = {
  kind: "ntfy",
  name: "ntfy",
  fields: [
    plainUrl("The server, such as https://ntfy.sh"),
    plain("topic", "Topic", {
      check: (value) => (/^[\w-]{1,64}$/.test(value) ? undefined : "Use 1 to 64 letters, digits, - and _."),
    }),
    secret("token", "Access token", { isRequired: false }),
  ],
  isIdempotent: false,
  expiresAfterMs: 86_400_000,
  request: (message, { fields }) =>
    jsonRequest(
      fields["url"],
      {
        topic: fields["topic"],
        title: cut(headOf(message), 200),
        message: cut(plainText(message), 1_000),
        priority: priorities[message.level],
        click: message.url,
        actions: [{ action: "view", label: "Open", url: message.url }],
      },
      fields["token"] ? { authorization: `Bearer ${fields["token"]}` } : {},
    ),
};

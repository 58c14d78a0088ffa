import { plainUrl, secret } from "@faultline/plugin/fields";
import { cut } from "@faultline/plugin/text";
import { type ChannelKind, jsonRequest } from "../channel-kind.ts";
import { headOf, type Level, plainText } from "../../messages/message.ts";

const priorities: Readonly<Record<Level, number>> = { fatal: 9, error: 7, warning: 5, info: 3, debug: 1 };

/** Gotify, with the token of an application. */
export const gotify: ChannelKind = {
  kind: "gotify",
  name: "Gotify",
  fields: [plainUrl("The server, such as https://gotify.example.com"), secret("token", "Application token")],
  isIdempotent: false,
  expiresAfterMs: 86_400_000,
  request: (message, { fields }) =>
    jsonRequest(
      `${(fields["url"] ?? "").replace(/\/+$/, "")}/message`,
      {
        title: cut(headOf(message), 200),
        message: cut(plainText(message), 4_000),
        priority: priorities[message.level],
        extras: {
          "client::display": { contentType: "text/plain" },
          "client::notification": { click: { url: message.url } },
        },
      },
      { "x-gotify-key": fields["token"] ?? "" },
    ),
};

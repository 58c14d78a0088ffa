import { retryAfter } from "@faultline/plugin";
import { plain, secret } from "@faultline/plugin/fields";
import { cut } from "@faultline/plugin/text";
import { type ChannelKind, jsonRequest } from "../channel-kind.ts";
import { headOf, plainText } from "../../messages/message.ts";

/** Telegram through a bot. Without a parse mode, offsets mark bold text and code (in UTF-16 units, like JavaScript). */
export const telegram: ChannelKind = {
  kind: "telegram",
  name: "Telegram",
  fields: [
    secret("token", "Bot token", { hint: "From BotFather, such as 123456:ABC…", check: tokenFault }),
    plain("chat_id", "Chat", { hint: "A number, or @channelname", check: chatFault }),
  ],
  isIdempotent: false,
  expiresAfterMs: 86_400_000,
  request(message, { fields }) {
    const head = headOf(message);
    const rest = cut(plainText(message), 3_000);
    return jsonRequest(`https://api.telegram.org/bot${fields["token"] ?? ""}/sendMessage`, {
      chat_id: fields["chat_id"],
      text: `${head}\n${rest}`,
      entities: [
        { type: "bold", offset: 0, length: head.length },
        { type: "code", offset: head.length + 1, length: rest.length },
      ],
      link_preview_options: { is_disabled: true },
      reply_markup: { inline_keyboard: [[{ text: "Open", url: message.url }]] },
    });
  },
  outcome: ({ status, body }) =>
    status === 429 ? { is: "retry", ...retryAfter(/"retry_after":\s*(\d+)/.exec(body.toString())?.[1]) } : undefined,
};

function tokenFault(value: string): string | undefined {
  return /^\d{1,20}:[\w-]{20,100}$/.test(value) ? undefined : "Enter a token such as 123456:ABC… from BotFather.";
}

function chatFault(value: string): string | undefined {
  return /^(?:-?\d{1,20}|@\w{4,64})$/.test(value) ? undefined : "Enter a number, or @ and the channel's name.";
}

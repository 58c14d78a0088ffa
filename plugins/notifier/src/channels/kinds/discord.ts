import { retryAfter } from "@faultline/plugin";
import { secretUrl } from "@faultline/plugin/fields";
import { cut } from "@faultline/plugin/text";
import { type ChannelKind, jsonRequest } from "../channel-kind.ts";
import { colorOf, footOf, headOf, type Message } from "../../messages/message.ts";

/** Discord through a webhook. It mentions nobody, whatever the text, because `allowed_mentions` is empty. */
export const discord: ChannelKind = {
  kind: "discord",
  name: "Discord",
  fields: [secretUrl("A webhook, such as https://discord.com/api/webhooks/…")],
  isIdempotent: false,
  expiresAfterMs: 86_400_000,
  request(message, { fields }) {
    const url = URL.parse(fields["url"] ?? "");
    url?.searchParams.set("wait", "true"); // otherwise an unsaved message looks saved
    return jsonRequest(url?.href, { embeds: [embed(message)], allowed_mentions: { parse: [] } });
  },
  outcome: ({ status, body }) => (status === 429 ? { is: "retry", ...retryAfter(secondsIn(body)) } : undefined),
};

/** The limits of an embed from Discord's documentation. Our parts add up to less than 6,000 characters. */
function embed(message: Message) {
  const { title, url, place, lines, facts, level, at } = message;
  const listed = lines.map((line) => `${escaped(line.headline)}: ${escaped(line.title)}`);
  const foot = footOf(message);
  return {
    title: cut(escaped(`${headOf(message)}: ${title}`), 256),
    url,
    description: cut([place && escaped(place), ...listed].filter((text) => text !== "").join("\n"), 2_500),
    color: colorOf(level),
    fields: facts.map(({ label, value }) => ({ name: label, value: cut(escaped(value), 300), inline: true })),
    ...(foot !== "" && { footer: { text: cut(foot, 600) } }), // a footer has no markup
    timestamp: new Date(at).toISOString(),
  };
}

const escaped = (foreign: string) => foreign.replaceAll(/[\\*_~`|>#[\]()<:@-]/g, String.raw`\$&`);

/** The wait in seconds, which Discord gives with its fraction in the body. */
function secondsIn(body: Buffer): string | undefined {
  return /"retry_after":\s*([\d.]+)/.exec(body.toString())?.[1];
}

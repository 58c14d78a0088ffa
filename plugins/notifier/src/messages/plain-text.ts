import type { Message } from "./message.ts";

/** The facts on one line. */
export const factsLine = ({ facts }: Message): string =>
  facts.map(({ label, value }) => `${label}: ${value}`).join(" · ");

/** `New error in acme/shop`. */
export const headOf = ({ headline, project }: Message): string => `${headline} in ${project}`;

/** Why the message was sent, and the rule's note. */
export const footOf = ({ rule, note }: Message): string =>
  [rule && `Rule: ${rule}`, note].filter((text) => text !== "").join("\n");

/** Everything below the headline as plain text. */
export function plainText(message: Message): string {
  const { title, place, lines } = message;
  const listed = lines.map((line) => `${line.headline}: ${line.title}`);
  return [title, place, ...listed, factsLine(message), footOf(message)].filter((text) => text !== "").join("\n");
}

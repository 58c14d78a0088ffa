import type { Pattern } from "@faultline/plugin/search";
import { readUserKey } from "@faultline/sentry-event";

/** The kinds of names by which an event identifies its user (ErrorEvent.user), by the key of a search. */
export const userKinds: Readonly<Record<string, readonly string[] | undefined>> = {
  "user.id": ["id"],
  "user.email": ["email"],
  "user.username": ["username"],
  "user.ip": ["ip"],
  user: ["id", "email", "username", "ip"],
};

/** Values with their kind as a prefix, the form in ErrorEvent.user. */
export const prefixed = (kind: string, values: readonly Pattern[]): Pattern[] =>
  values.map(([first, ...others]) => [`${kind}:${first}`, ...others]);

/** A value in the stored spelling of users. */
export function spelled(kind: string, pattern: Pattern): Pattern {
  const [first, ...others] = pattern;
  if (kind === "email") return [first.toLowerCase(), ...others.map((part) => part.toLowerCase())];
  return kind === "ip" && others.length === 0 ? [readUserKey(`ip:${first}`).slice("ip:".length) || first] : pattern;
}

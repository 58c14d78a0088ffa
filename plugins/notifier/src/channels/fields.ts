import type { ChannelField } from "./channel-kind.ts";

type FieldMore = Partial<Pick<ChannelField, "hint" | "isRequired" | "check">>;

/** An address that is a secret itself, as anyone who knows it may send. */
export const secretUrl = (hint: string, more: FieldMore = {}): ChannelField => ({
  key: "url",
  label: "Address",
  hint,
  isRequired: true,
  isSecret: true,
  check: urlFault,
  ...more,
});

/** An address that anybody may know. */
export const plainUrl = (hint: string): ChannelField => ({ ...secretUrl(hint), isSecret: false });

/** A token or key. */
export const secret = (key: string, label: string, more: FieldMore = {}): ChannelField => ({
  key,
  label,
  hint: "",
  isRequired: true,
  isSecret: true,
  check: (value) => (/^[\x21-\x7e]{1,512}$/.test(value) ? undefined : "Use 1 to 512 characters without spaces."),
  ...more,
});

/** A short text. */
export const plain = (key: string, label: string, more: FieldMore = {}): ChannelField => ({
  key,
  label,
  hint: "",
  isRequired: true,
  isSecret: false,
  check: (value) => (/^[^\p{Cc}]{1,200}$/u.test(value) ? undefined : "Use 1 to 200 characters."),
  ...more,
});

function urlFault(value: string): string | undefined {
  if (value.length > 2_000) return "Use at most 2,000 characters.";
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) return "Enter an address that begins with https:// or http://.";
  if (url.username !== "" || url.password !== "") return "It must not contain a user name or password.";
  return undefined;
}

/** The fields of settings that people make: a channel of a kind, or a tracker of a kind. */
import { invalidField } from "./service-error.ts";

/** A field of the settings of something that people set up, such as a channel or a tracker. */
export interface SettingsField {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly isRequired: boolean;
  /** Whether it is write-only. */
  readonly isSecret: boolean;
  /** Whether its value may have several lines; by default it has one. */
  readonly isMultiline?: boolean;
  /** Returns in words why a value cannot be used. Undefined if it can. */
  check(value: string): string | undefined;
}

/** The field values of a kind after a change. Refuses with INVALID_FIELD. */
export function changedFields(
  kind: { readonly name: string; readonly fields: readonly SettingsField[] },
  stored: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  for (const key of Object.keys(given)) {
    if (kind.fields.every((field) => field.key !== key)) {
      throw invalidField(`fields.${key}`, `${kind.name} has no field ${key.slice(0, 40)}.`);
    }
  }
  const isElsewhere = originOf(given["url"]) !== undefined && originOf(given["url"]) !== originOf(stored["url"]);
  return Object.fromEntries(
    kind.fields.flatMap(({ key, label, isRequired, isSecret, check }) => {
      // A secret belongs to the server it was entered for. People who may change the address must not learn the secret.
      const kept = isElsewhere && isSecret && key !== "url" ? undefined : stored[key];
      const value = (given[key] ?? kept ?? "").trim();
      if (value === "") {
        if (isRequired) throw invalidField(`fields.${key}`, `Enter the field “${label}”.`);
        return [];
      }
      const fault = check(value);
      if (fault !== undefined) throw invalidField(`fields.${key}`, `The field “${label}” cannot be used. ${fault}`);
      return [[key, value]];
    }),
  );
}

const originOf = (url: string | undefined) => (url === undefined ? undefined : URL.parse(url)?.origin);

type FieldMore = Partial<Pick<SettingsField, "hint" | "isRequired" | "check">>;

/** An address that is itself a secret, because anyone who knows it can send. */
export const secretUrl = (hint: string, more: FieldMore = {}): SettingsField => ({
  key: "url",
  label: "Address",
  hint,
  isRequired: true,
  isSecret: true,
  check: urlFault,
  ...more,
});

/** An address that is not secret. */
export const plainUrl = (hint: string): SettingsField => ({ ...secretUrl(hint), isSecret: false });

/** A token or key. */
export const secret = (key: string, label: string, more: FieldMore = {}): SettingsField => ({
  key,
  label,
  hint: "",
  isRequired: true,
  isSecret: true,
  check: (value) => (/^[\x21-\x7e]{1,512}$/.test(value) ? undefined : "Use 1 to 512 characters without spaces."),
  ...more,
});

/** A short text. */
export const plain = (key: string, label: string, more: FieldMore = {}): SettingsField => ({
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

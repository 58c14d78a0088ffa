import { plainUrl, type SettingsField } from "@faultline/plugin/fields";

/** The address of a tracker. Its key is `url`, so that another origin clears the token. */
export function addressField(hint: string): SettingsField {
  const field = plainUrl(hint);
  return { ...field, check: (value) => field.check(value) ?? partsFault(value) };
}

function partsFault(value: string): string | undefined {
  return /[?#]/.test(value) ? "It must not contain a ? or #." : undefined;
}

/** The address without a trailing slash. */
export const baseOf = (url: string | undefined): string => (url ?? "").replace(/\/+$/, "");

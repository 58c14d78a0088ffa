import { invalidField } from "@faultline/plugin";

/** Scheme, host name or address, port, and a base path of plain parts. ASCII alone: look-alike letters are refused. */
const plainUrl = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:\/[a-z0-9._~-]+)*$/i;

/**
 * The External API URL as it is stored: scheme and host of the external system (specification 2.1), with an optional
 * base path; host in lower case, no default port, no `/` and no `/api/0` at the end. The raw text is checked before it is parsed, since
 * URL parsing silently drops tabs and newlines and reads `\` as `/`. Whether an address may be connected to is decided
 * when connecting, not here: names resolve differently tomorrow, and the operator's rules change.
 */
export function externalApiUrl(text: string): string {
  const isShort = text.length <= 255; // checked first, as the next pattern takes quadratic time on a long run
  const raw = isShort ? text.trim().replace(/\/+$/, "") : "";
  if (isShort && raw === "") return "";
  const url = plainUrl.test(raw) && !/\/\.\.?(\/|$)/.test(raw) ? URL.parse(raw) : null;
  if (!url) {
    throw invalidField(
      "external_api_url",
      "Enter the host name of the external system with its scheme, such as https://errors.example.com.",
    );
  }
  url.hostname = url.hostname.replace(/\.$/, ""); // a name with a dot at its end is the same name
  return withoutApiPath(url.origin + url.pathname.replace(/\/+$/, ""));
}

/** The address of a system, where somebody pasted an address of its API. */
export const withoutApiPath = (url: string): string => url.replace(/\/api\/0(?:\/.*)?$/s, "");

import { invalidField } from "@faultline/plugin";

/**
 * The External API URL as it is stored: scheme and host of the external system (specification 2.1), with an optional
 * base path. The raw text is checked before it is parsed, since URL parsing silently drops tabs and newlines and reads
 * `\` as `/`. Which addresses may be connected to is decided when connecting.
 */
export function externalApiUrl(text: string): string {
  const isShort = text.length <= 255; // asked first, as the work of the next pattern grows with the square of a run
  const raw = isShort ? text.trim().replace(/\/+$/, "") : "";
  if (isShort && raw === "") return "";
  const url = URL.parse(raw);
  if (!/^https?:\/\/(?!\/)[\x21-\x7e]+$/i.test(raw) || /[@\\?#]|\/\.\.?(\/|$)/.test(raw) || !url) {
    throw invalidField(
      "external_api_url",
      "Enter the host name of the external system with its scheme, such as https://errors.example.com.",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

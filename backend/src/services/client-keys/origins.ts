import { invalidField } from "@faultline/plugin";

const mostOrigins = 20;
const longestOrigin = 255;

const example = "such as https://example.com, https://*.example.com or http://localhost:3000";

/** Origins as they are stored: as browsers write them, each once. Refuses entries that are no origins, and too many. */
export function readOrigins(entries: readonly string[]): string[] {
  const origins = [...new Set(entries.map((entry) => readOrigin(entry.trim())))];
  if (origins.length > mostOrigins) {
    throw invalidField("allowed_origins", `A client key has at most ${mostOrigins} allowed origins.`);
  }
  return origins;
}

function readOrigin(entry: string): string {
  const [, scheme = "", anyName = "", host = ""] = /^(https?:\/\/)(\*\.)?([^/?#@*\s]+)\/?$/i.exec(entry) ?? [];
  const url = entry.length > longestOrigin ? null : URL.parse(`${scheme}${host}`);
  if (host === "" || !url) {
    const shown = entry === "" ? "An empty line" : `"${entry.slice(0, longestOrigin)}"`;
    throw invalidField("allowed_origins", `${shown} is not an origin: write only the scheme and the host, ${example}.`);
  }
  return url.origin.replace("://", `://${anyName}`);
}

/**
 * Whether a page may send. `sent`: the header Origin, or Referer; absent: the sender is no page, so origins do not
 * apply.
 */
export function allowsOrigin(allowed: readonly string[], sent: string | undefined): boolean {
  if (allowed.length === 0 || sent === undefined) return true;
  const origin = URL.parse(sent)?.origin;
  return origin !== undefined && allowed.some((entry) => isOf(entry, origin));
}

function isOf(entry: string, origin: string): boolean {
  const [scheme = "", below] = entry.split("*");
  if (below === undefined) return entry === origin;
  return origin.startsWith(scheme) && origin.endsWith(below) && origin.length > scheme.length + below.length;
}

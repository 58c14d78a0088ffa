import { type JsonField, type JsonObject, cleanText, readText } from "./json.ts";
import { limits } from "./limits.ts";
import type { Trims } from "./trims.ts";

/**
 * An event id as 32 lower-case hexadecimal digits, sent as such or as a hyphenated UUID in any case (Rust sends both in
 * one envelope). Undefined for anything else, and for nil, all zeros.
 */
export function readEventId(value: JsonField): string | undefined {
  if (typeof value !== "string" || value.length > 36) return undefined;
  const id = hyphenatedId.test(value) ? value.replaceAll("-", "") : value;
  return plainId.test(id) && id !== nilId ? id.toLowerCase() : undefined;
}

const plainId = /^[0-9a-f]{32}$/i;
const hyphenatedId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const nilId = "0".repeat(32);

/** The release. Empty when missing, `.`, `..`, or when it holds control characters. A slash is fine: `@scope/app@1.0`. */
export function readRelease(event: JsonObject, trims?: Trims): string {
  const release = readText(event["release"], limits.text.release, trims).trim();
  if (release !== "." && release !== ".." && !controlCharacter.test(release)) return release;
  trims?.characters(0, release.length);
  return "";
}

/** The SDK's platform; `other` when missing. */
export function readPlatform(value: JsonField, trims?: Trims): string {
  return (typeof value === "string" && cleanText(value, limits.text.platform, trims).trim()) || "other";
}

/** The name of the logger. May be empty. */
export function readLogger(event: JsonObject, trims?: Trims): string {
  return readText(event["logger"], limits.text.logger, trims).trim();
}

/** The host name of the sender. May be empty. */
export function readServerName(event: JsonObject, trims?: Trims): string {
  return readText(event["server_name"], limits.text.serverName, trims).trim();
}

const controlCharacter = /\p{Cc}/u;

/** The severity of an event: fatal, error, warning, info or debug. Missing or unknown: `fallback`. */
export function readLevel(value: JsonField, fallback = "error"): string {
  if (typeof value === "string") return levels.get(value) ?? levels.get(value.trim().toLowerCase()) ?? fallback;
  return typeof value === "number" ? (levels.get(String(value)) ?? fallback) : fallback;
}

// `log` is Node's sixth level, numbers come from Python's logging (section 5).
const levels = new Map([
  ["fatal", "fatal"],
  ["critical", "fatal"],
  ["50", "fatal"],
  ["error", "error"],
  ["40", "error"],
  ["warning", "warning"],
  ["warn", "warning"],
  ["30", "warning"],
  ["info", "info"],
  ["log", "info"],
  ["20", "info"],
  ["debug", "debug"],
  ["10", "debug"],
]);

/**
 * The commit that a release names; "" when it names none. SDKs and build tools send it alone, or behind a name and a
 * version: `web@<commit>`, `web@1.2.3+<commit>`, or as `git describe` writes it, `v1.2.3-4-g<commit>` (Sentry for Go).
 */
export function commitOf(release: string): string {
  const [, described] = /-\d+-g([0-9a-f]{7,64})$/.exec(release) ?? [];
  if (described !== undefined) return described;
  const last = release.slice(Math.max(release.lastIndexOf("@"), release.lastIndexOf("+")) + 1);
  return wholeCommit.test(last) || (shortCommit.test(last) && digitsAndLetters.test(last)) ? last : "";
}

/** SHA-1 and SHA-256. */
const wholeCommit = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

// Digits alone may be a build number or a date, and letters alone a word.
const shortCommit = /^[0-9a-f]{7,12}$/;
const digitsAndLetters = /\d.*[a-f]|[a-f].*\d/;

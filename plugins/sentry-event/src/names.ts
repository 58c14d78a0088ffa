import type { JsonField, JsonObject } from "./json/json.ts";
import { limits } from "./limits.ts";
import { cleanText, readText } from "./json/text.ts";
import type { Trims } from "./json/trims.ts";

/** The release. Empty when missing, `.`, `..`, or when it holds control characters. A slash is fine: `@scope/app@1.0`. */
export function readRelease(event: JsonObject, trims?: Trims): string {
  const release = readText(event["release"], limits.text.release, trims).trim();
  if (release !== "." && release !== ".." && !CONTROL.test(release)) return release;
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

const CONTROL = /\p{Cc}/u;

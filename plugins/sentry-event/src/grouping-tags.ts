import type { JsonObject } from "./json/json.ts";
import { asObject } from "./json/json.ts";
import { sentTransaction } from "./naming/transaction.ts";
import { readRequestUrl } from "./request.ts";
import { sentTagValue } from "./tags.ts";

/**
 * The tags that the fingerprint names, by key, where version 1 of grouping has another value: it leaves objects out, and
 * has addresses as they were sent. A change here is a new grouping version.
 */
export function groupingTagsOf(
  event: JsonObject,
  fingerprint: readonly string[],
  tags: Readonly<Record<string, string>>,
): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const part of fingerprint) {
    const key = TAG.exec(part)?.[1];
    if (key === undefined || tags[key] === undefined) continue;
    const value = sentTagValue(event, key) || derivedValue(event, key) || (isSentAsObject(event, key) ? "" : tags[key]);
    if (value !== tags[key]) changed[key] = value;
  }
  return changed;
}

const TAG = /^\{\{\s*tags\.([\w.-]+)\s*\}\}$/;

function derivedValue(event: JsonObject, key: string): string {
  if (key === "transaction") return sentTransaction(event);
  return key === "url" ? readRequestUrl(event).replace(/[?#].*$/s, "") : "";
}

function isSentAsObject(event: JsonObject, key: string): boolean {
  const sent = asObject(event["tags"])?.[key];
  return typeof sent === "object" && sent !== null;
}

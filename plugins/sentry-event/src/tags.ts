import type { JsonField, JsonObject, JsonValue } from "./json/json.ts";
import { isObject } from "./json/json.ts";
import { limits } from "./limits.ts";
import { cleanText, readText } from "./json/text.ts";
import type { Trims } from "./json/trims.ts";

/** Tags by key, from an object, from pairs `[key, value]` or from `{key, value}` entries; the first of a key wins. */
export function readTags(event: JsonObject, trims?: Trims): Record<string, string> {
  const tags: Record<string, string> = {};
  const sent = event["tags"];
  let left: number = limits.count.tags;
  if (isObject(sent)) {
    for (const key in sent) {
      if (left === 0) break;
      if (addTag(tags, key, sent[key], trims)) left--;
    }
  } else if (Array.isArray(sent)) {
    for (const entry of sent) {
      if (left === 0) break;
      const [key, value] = pairOf(entry);
      if (addTag(tags, key, value, trims)) left--;
    }
  }
  trims?.entries(limits.count.tags - left, countTags(sent));
  return tags;
}

/** The environment: the event's own, otherwise that of a tag. May be empty. */
export function readEnvironment(event: JsonObject, trims?: Trims): string {
  return environmentName(event["environment"], trims) || environmentName(sentTag(event["tags"], "environment"), trims);
}

/** Whether a tag for search is a name of the event's user. */
export function isUserTag(key: string): boolean {
  return key.startsWith("user.");
}

/** Adds a tag if it is valid and its key is new. Returns whether it did. */
export function addTag(tags: Record<string, string>, sentKey: JsonField, sentValue: JsonField, trims?: Trims): boolean {
  const key = tagKey(sentKey, limits.text.tag);
  return key !== "" && addNamed(tags, key, sentValue, trims?.at(key));
}

/** Adds a tag whose key is known to be valid, unless there is one. Returns whether it did. */
export function addNamed(tags: Record<string, string>, key: string, sentValue: JsonField, trims?: Trims): boolean {
  if (Object.hasOwn(tags, key)) return false;
  const value = tagValue(sentValue, trims);
  if (value === "") return false;
  tags[key] = value;
  return true;
}

// Names that an event carries elsewhere; a tag of that name would hide the real one (section 5).
const reserved = new Set(["release", "dist", "user", "filename", "function", "environment", "__proto__"]);

function pairOf(entry: JsonValue): JsonField[] {
  if (Array.isArray(entry)) return entry;
  return isObject(entry) ? [entry["key"], entry["value"]] : [];
}

/** Beyond this many, tags are counted without checking each. */
const tagsLookedAt = 1000;

/** How many tags were sent, including those beyond the limit and those with a key that is too long. */
function countTags(sent: JsonField): number {
  const count = Array.isArray(sent) ? sent.length : isObject(sent) ? Object.keys(sent).length : 0;
  if (count > tagsLookedAt) return count;
  const pairs = isObject(sent) ? Object.entries(sent) : Array.isArray(sent) ? sent.map(pairOf) : [];
  const tags = pairs.filter(([key, value]) => tagKey(key, Infinity) !== "" && tagValue(value) !== "");
  return new Set(tags.map(([key]) => tagKey(key, Infinity))).size;
}

function tagKey(sent: JsonField, max: number): string {
  if (typeof sent !== "string" || sent.length > max) return "";
  const key = PLAIN_KEY.test(sent) ? sent : cleanText(sent, max).trim().replaceAll(" ", "-");
  return PLAIN_KEY.test(key) && !reserved.has(key) ? key : "";
}

const PLAIN_KEY = /^[\w.:-]+$/;

function tagValue(sent: JsonField, trims?: Trims): string {
  const value = readText(sent, limits.text.tag, trims);
  return (LINE_BREAK.test(value) ? value.replaceAll(/[\r\n]+/g, " ") : value).trim();
}

const LINE_BREAK = /[\r\n]/;

/** Names are compared, so one that is too long is dropped: two that are cut could become equal. */
function environmentName(sent: JsonField, trims: Trims | undefined): string {
  const name = readText(sent, Infinity).trim();
  if (name.length > limits.text.environment) trims?.characters(0, name.length);
  return name.length > limits.text.environment || /[\r\n/]/.test(name) ? "" : name;
}

function sentTag(tags: JsonField, key: string): JsonField {
  if (isObject(tags)) return tags[key];
  if (!Array.isArray(tags)) return undefined;
  for (const entry of tags) {
    if (Array.isArray(entry) && entry[0] === key) return entry[1];
    if (isObject(entry) && entry["key"] === key) return entry["value"];
  }
  return undefined;
}

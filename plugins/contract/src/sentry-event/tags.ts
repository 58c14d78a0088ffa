import type { JsonField, JsonObject } from "./json.ts";
import { isObject } from "./json.ts";
import { limits } from "./limits.ts";
import { cleanText, readText } from "./text.ts";

/** Tags by key, from an object, from pairs `[key, value]` or from `{key, value}` entries; the first of a key wins. */
export function readTags(event: JsonObject): Record<string, string> {
  const tags: Record<string, string> = {};
  const sent = event["tags"];
  let left: number = limits.count.tags;
  if (isObject(sent)) {
    for (const key in sent) if (left > 0 && addTag(tags, key, sent[key])) left--;
  } else if (Array.isArray(sent)) {
    for (const entry of sent) {
      const [key, value] = Array.isArray(entry) ? entry : isObject(entry) ? [entry["key"], entry["value"]] : [];
      if (left > 0 && addTag(tags, key, value)) left--;
    }
  }
  return tags;
}

/** The environment as the event names it, or else in a tag. May be empty. */
export function readEnvironment(event: JsonObject): string {
  return environmentName(event["environment"]) || environmentName(sentTag(event["tags"], "environment"));
}

/** Adds a tag if it is one and its key is new; tells whether it did. */
export function addTag(tags: Record<string, string>, sentKey: JsonField, sentValue: JsonField): boolean {
  const key = tagKey(sentKey);
  if (key === "" || Object.hasOwn(tags, key)) return false;
  const value = tagValue(sentValue);
  if (value === "") return false;
  tags[key] = value;
  return true;
}

// Names that an event carries elsewhere; a tag of that name would hide the real one (section 5).
const reserved = new Set(["release", "dist", "user", "filename", "function", "environment", "__proto__"]);

function tagKey(sent: JsonField): string {
  if (typeof sent !== "string" || sent.length > limits.text.tag) return "";
  const key = PLAIN_KEY.test(sent) ? sent : cleanText(sent, limits.text.tag).trim().replaceAll(" ", "-");
  return PLAIN_KEY.test(key) && !reserved.has(key) ? key : "";
}

const PLAIN_KEY = /^[\w.:-]+$/;

function tagValue(sent: JsonField): string {
  const value = readText(sent, limits.text.tag);
  return (LINE_BREAK.test(value) ? value.replaceAll(/[\r\n]+/g, " ") : value).trim();
}

const LINE_BREAK = /[\r\n]/;

function environmentName(sent: JsonField): string {
  const name = readText(sent, limits.text.environment + 1).trim();
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

import type { JsonField, JsonObject, JsonValue } from "./json/json.ts";
import { isObject } from "./json/json.ts";
import { limits } from "./limits.ts";
import { readText } from "./json/text.ts";
import { readAnyText } from "./json/trimmed-json.ts";
import { publicText } from "./naming/public-name.ts";
import type { Trims } from "./json/trims.ts";

/**
 * Tags by key, from an object, from pairs `[key, value]` or from `{key, value}` entries; the first of a key wins. A tag
 * that is left out is noted under its name.
 */
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
  if (trims) noteLeftOut(tags, event, trims);
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

/** Whether a tag for search is the place of an event, which source maps may name later than its sender. */
export function isPlaceTag(key: string): boolean {
  return key === "stack.filename" || key === "stack.function";
}

/** Adds a tag if it is valid and its key is new. Returns whether it did. */
function addTag(tags: Record<string, string>, sentKey: JsonField, sentValue: JsonField, trims?: Trims): boolean {
  const key = tagKey(sentKey);
  if (key === "" || reserved.has(key)) return false;
  const place = trims?.at(key);
  const value = typeof sentValue === "object" ? readAnyText(sentValue, jsonLookedAt, place) : sentValue;
  if (!addNamed(tags, key, publicText(value), place)) return false;
  if (typeof sentKey === "string") place?.characters(Math.min(sentKey.length, limits.text.tag), sentKey.length);
  return true;
}

/** An object becomes JSON, and the secrets of addresses in it are searched for before it is cut. */
const jsonLookedAt = 1024;

/** Adds a tag whose key is valid and whose value has no secrets, unless there is one. Returns whether it did. */
export function addNamed(tags: Record<string, string>, key: string, sentValue: JsonField, trims?: Trims): boolean {
  if (Object.hasOwn(tags, key)) return false;
  const value = oneLine(readText(sentValue, limits.text.tag, trims));
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

/** Beyond this many, the names of tags are not compared with each other. */
const tagsLookedAt = 1000;

/** Notes how many tags were left out, and of the first ones each name. */
function noteLeftOut(tags: Readonly<Record<string, string>>, event: JsonObject, trims: Trims): void {
  const sent = event["tags"];
  const all = isObject(sent) ? Object.keys(sent) : Array.isArray(sent) ? sent.map((entry) => pairOf(entry)[0]) : [];
  const kept = Object.keys(tags).length;
  if (all.length > tagsLookedAt) return trims.entries(kept, all.length);
  // A tag that gives the event its environment is shown there.
  const isElsewhere = environmentName(event["environment"]) === "" && readEnvironment(event) !== "";
  const names = [...new Set(all)].filter((name) => tagKey(name) !== "" && !(isElsewhere && name === "environment"));
  trims.entries(kept, names.length);
  if (kept === limits.count.tags) return;
  for (const key of names.map(tagKey)) if (!Object.hasOwn(tags, key)) trims.at(key).entries(0, 1);
}

/** A key as it is kept: in one line, without spaces, at most 200 characters. Empty: there is none. */
function tagKey(sent: JsonField): string {
  const text = readText(sent, limits.text.tag);
  if (PLAIN_KEY.test(text)) return text;
  return text
    .trim()
    .replaceAll(/[\s\p{Cc}]/gu, "-")
    .replaceAll("[", "(")
    .replaceAll("]", ")"); // a search says tags[key]
}

const PLAIN_KEY = /^[\w.:-]+$/;

/** A tag as it was sent, before objects and the secrets of addresses were read. Version 1 of grouping has tags so. */
export function sentTagValue(event: JsonObject, key: string): string {
  return oneLine(readText(sentTag(event["tags"], key), limits.text.tag));
}

function oneLine(text: string): string {
  return (LINE_BREAK.test(text) ? text.replaceAll(/[\r\n]+/g, " ") : text).trim();
}

const LINE_BREAK = /[\r\n]/;

/** Names are compared, so one that is too long is dropped: two that are cut could become equal. */
function environmentName(sent: JsonField, trims?: Trims): string {
  const name = readText(sent, Infinity).trim();
  if (name.length > limits.text.environment) trims?.characters(0, name.length);
  return name.length > limits.text.environment ? "" : oneLine(name);
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

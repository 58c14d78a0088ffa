import type { GroupingFrame } from "@faultline/proto";
import { readServerName } from "./fields.ts";
import { type JsonField, type JsonObject, type JsonValue, isObject, readText, asObject } from "./json.ts";
import { limits } from "./limits.ts";
import { publicText } from "./naming/public-name.ts";
import type { SentException } from "./occurrence.ts";
import { readPublicUrl, readUserAgent } from "./request.ts";
import { readAnyText, type Trims } from "./trims.ts";
import { canonicalUser, type UserNames } from "./user.ts";

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

/** The environment: the event's own, otherwise the value of a tag. May be empty. */
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

/** Adds a tag with a valid key and a value without secrets, unless the key has a value. Returns whether it did. */
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

/** A key as it is kept: in one line, without spaces, at most 200 characters; empty if nothing is left. */
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

/** Names are compared, so a name that is too long is dropped: two cut names could become equal. */
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

/** The tags of an event: its own, and the names of host and site, which SDKs send in separate fields. */
export function eventTags(event: JsonObject): Record<string, string> {
  const tags = readTags(event);
  addNamed(tags, "server_name", readServerName(event));
  addNamed(tags, "site", event["site"]);
  return tags;
}

/**
 * Tags for search: the tags of the event, and facts that SDKs send in separate fields. The name by which users are counted
 * is stored with them (ErrorEvent.user), so it is not a tag as well.
 */
export function searchTags(
  event: JsonObject,
  facts: {
    readonly transaction: string;
    readonly exceptions: readonly SentException[];
    readonly names: UserNames;
    /** The key of `names` by which the user is counted. */
    readonly user: string;
    /** The frame in which it occurred; undefined if it is unknown. */
    readonly raised: GroupingFrame | undefined;
  },
): Record<string, string> {
  const tags = eventTags(event);
  for (const [tag, value] of readContextTags(event)) if (value !== "") addNamed(tags, tag, value);
  addPlace(tags, facts.raised);
  addNamed(tags, "transaction", facts.transaction);
  addNamed(tags, "url", readPublicUrl(event));
  addNamed(tags, "handled", handledOf(facts.exceptions));
  const { id, username, email, ipAddress } = canonicalUser(facts.names);
  const counted = facts.user;
  if (id !== "" && counted !== `id:${id}`) addNamed(tags, "user.id", id);
  if (username !== "" && counted !== `username:${username}`) addNamed(tags, "user.username", username);
  if (email !== "" && counted !== `email:${email}`) addNamed(tags, "user.email", email);
  if (ipAddress !== "" && counted !== `ip:${ipAddress}`) addNamed(tags, "user.ip", ipAddress);
  return tags;
}

/**
 * The surroundings of an event, by the tag that a search finds them by, each with its version: `browser` is `Safari 17.1`. Where no
 * context names browser and system, the User-Agent does, without a version.
 */
export function readContextTags(event: JsonObject): readonly (readonly [tag: string, value: string])[] {
  const contexts = sentContexts(event);
  const device = asObject(contexts?.["device"]);
  const [model, family] = [textOf(device, "model"), textOf(device, "family")];
  const named = (name: string) => {
    const context = asObject(contexts?.[name]);
    const version = textOf(context, "version");
    return `${textOf(context, "name") || textOf(context, "raw_description")} ${version}`.trim();
  };
  const [browser, os] = [named("browser"), named("os")];
  const product = browser === "" || os === "" ? readProduct(readUserAgent(event)) : undefined;
  return [
    ["browser", browser || (product?.browser ?? "")],
    ["os", os || (product?.os ?? "")],
    ["runtime", named("runtime")],
    ["device", model || family],
    ["device.family", model === "" ? "" : family],
  ];
}

export const sentContexts = (event: JsonObject): JsonObject | undefined =>
  asObject(event["contexts"] ?? event["sentry.interfaces.Contexts"]);

const textOf = (context: JsonObject | undefined, key: string) => readText(context?.[key], limits.text.tag).trim();

/** Adds the file and the function of a frame. The end of a long path says more than its beginning. */
export function addPlace(tags: Record<string, string>, raised: GroupingFrame | undefined): void {
  if (!raised) return;
  addNamed(tags, "stack.filename", raised.filename.replace(/[?#].*$/s, "").slice(-limits.text.tag));
  addNamed(tags, "stack.function", raised.function);
}

/** Whether the application handled the exception: `true` or `false`; empty if the SDK does not say. */
function handledOf(exceptions: readonly SentException[]): string {
  let handled = "";
  for (const { mechanism } of exceptions) {
    if (mechanism?.["handled"] === false) return "false";
    if (mechanism?.["handled"] === true) handled = "true";
  }
  return handled;
}

/**
 * The browser and the system that a User-Agent names. Each is empty if it names none that is known here. They are tags of
 * every event that is stored, and a deletion subtracts them as they are here: other names would leave counts behind, and a
 * library for User-Agents takes 14 microseconds instead of 0.35.
 */
export function readProduct(userAgent: string): { readonly browser: string; readonly os: string } {
  return { browser: firstOf(browsers, userAgent), os: firstOf(systems, userAgent) };
}

type Names = readonly (readonly [name: string, mark: RegExp])[];

// Browsers claim to be those before them, so the browser with the fewest imitators comes first.
const browsers: Names = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS)\//],
  ["Safari", /\bVersion\/[\d.]+ .*Safari\//],
];

const systems: Names = [
  ["Windows", /\bWindows\b/],
  ["iOS", /\b(?:iPhone|iPad|iPod)\b/],
  ["Android", /\bAndroid\b/],
  ["macOS", /\bMacintosh\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

function firstOf(names: Names, userAgent: string): string {
  return names.find(([, mark]) => mark.test(userAgent))?.[0] ?? "";
}

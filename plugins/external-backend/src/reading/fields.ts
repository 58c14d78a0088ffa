import type { ExternalLink } from "@faultline/plugin";
import {
  asObject,
  type JsonField,
  type JsonObject,
  type JsonValue,
  limits,
  publicName,
  readText,
  readTime,
  commitOf,
  readRelease,
} from "@faultline/sentry-event";

// Each field is taken only in the type it should have. A number in place of a string is refused: in GitLab issue 215970
// a `colNo` that was markup became a stored script.

/** The string, at most `max` characters, without NUL and lone surrogates; "" for anything else. */
export function textOf(value: JsonField, max: number): string {
  return typeof value === "string" ? readText(value, max) : "";
}

/** The string as a name that people see, see publicName. */
export function nameOf(value: JsonField, max: number): string {
  return textOf(publicName(textOf(value, limits.text.message)), max);
}

/** The string as it is; null for anything else. */
export function onlyText(value: JsonField): string | null {
  return typeof value === "string" ? value : null;
}

/** An RFC 3339 time in whole milliseconds since 1970; undefined unless it is between the years 2000 and 2100. */
export function timeOf(value: JsonField): number | undefined {
  const time = typeof value === "string" && value.includes("-") ? readTime(value) : undefined;
  return time !== undefined && time >= EARLIEST && time < LATEST ? Math.floor(time) : undefined;
}

const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

/** A count sent as number or digits, capped at 32 bits; 0 for anything else. */
export function countOf(value: JsonField): number {
  const count = typeof value === "string" && DIGITS.test(value) ? Number(value) : value;
  return typeof count === "number" && count > 0 ? Math.min(Math.trunc(count), 0xffff_ffff) : 0;
}

/** An id sent as digits or as whole number; "" when it is absent. Refuses any other value. */
export function idOf(object: JsonObject | undefined, key: string): string {
  const value = object?.[key];
  if (value === undefined || value === null) return "";
  const id = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof id !== "string" || !DIGITS.test(id)) throw notNumeric(key);
  return id;
}

const DIGITS = /^\d{1,20}$/;

export function requiredId(object: JsonObject, key: string): string {
  return idOf(object, key) || raise(missingKeys(key));
}

/**
 * Reads each item of a list, at most 100 of them, with `read`. Items for which it returns nothing or throws are left
 * out; when it throws for all, the answer is refused as the first item was. Of items with the same id the first is
 * kept, because some systems repeat items, and each reader of a list relies on distinct ones.
 */
export function readItems<Item>(
  json: JsonValue,
  read: (item: JsonObject) => Item | undefined,
  idOfItem: (item: Item) => string | undefined,
): Item[] {
  if (!Array.isArray(json)) throw notAList();
  const sent = json.slice(0, maxItems);
  const items = new Map<string | undefined, Item>();
  const refusals: InvalidAnswer[] = [];
  for (const one of sent) {
    try {
      const item = read(objectOf(one));
      if (item === undefined) continue;
      const id = idOfItem(item);
      if (!items.has(id)) items.set(id, item);
    } catch (thrown) {
      if (!(thrown instanceof InvalidAnswer)) throw thrown;
      refusals.push(thrown);
    }
  }
  const [refusal] = refusals;
  if (refusal && refusals.length === sent.length) throw refusal;
  return [...items.values()];
}

const maxItems = 100;

/** The value, which must be an object. */
export function objectOf(json: JsonValue): JsonObject {
  return asObject(json) ?? raise(new InvalidAnswer("Sentry API response is missing keys. It should be an object."));
}

function raise(refusal: InvalidAnswer): never {
  throw refusal;
}

/** The facts known when an answer is read. */
export interface ReadingContext {
  /** Our own project. */
  readonly projectId: number;
  /** Where the answer was read from. */
  readonly link: ExternalLink;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The version of a release, which is sent as an object. The whole version is read because `shortVersion` lacks the package's name.
 */
export function readReleaseVersion(sent: JsonField): string {
  // Not cut to its bound here: a cut version is another version, so readRelease judges its length.
  return readRelease({ release: textOf(asObject(sent)?.["version"], 250) });
}

/** The commit of a release: the newest one set for it, otherwise the one in its version. May be empty. */
export function readCommit(sent: JsonField): string {
  const id = textOf(asObject(asObject(sent)?.["lastCommit"])?.["id"], 64).toLowerCase();
  return /^[0-9a-f]{7,64}$/.test(id) ? id : commitOf(readReleaseVersion(sent));
}

/**
 * The cursors of a list, from its `Link` header. Only links with `results="true"` lead to a page; only the cursor is
 * taken from a link, never its address.
 */
export function readCursors(header: string | undefined): { next: string | undefined; previous: string | undefined } {
  const cursors: Record<string, string> = {};
  for (const [, parameters = ""] of (header ?? "").slice(0, maxHeader).matchAll(LINK)) {
    const { rel, results, cursor } = Object.fromEntries(
      Array.from(parameters.matchAll(PARAMETER), ([, name = "", value = ""]) => [name.toLowerCase(), value]),
    );
    if (rel !== undefined && results === "true" && cursor !== undefined && CURSOR.test(cursor)) {
      cursors[rel] ??= cursor;
    }
  }
  return { next: cursors["next"], previous: cursors["previous"] };
}

// Real headers have two links of some 200 characters.
const maxHeader = 8192;
const LINK = /<[^<>]*>((?:\s*;\s*[a-z]+="[^"<>]*")*)/gi;
const PARAMETER = /([a-z]+)="([^"]*)"/gi;
const CURSOR = /^[0-9:]{1,64}$/;

/** The total from the header `X-Hits`; undefined when it is absent. */
export function readHits(headers: Readonly<Record<string, string>>): number | undefined {
  const hits = headers["x-hits"]?.trim() ?? "";
  return /^\d{1,9}$/.test(hits) ? Number(hits) : undefined;
}

/**
 * An answer of the external system that is invalid. Its message is one of the recorded ones and contains names of keys
 * alone, nothing of the answer itself.
 */
export class InvalidAnswer extends Error {
  override readonly name = "InvalidAnswer";
}

/** The answer lacks required keys; `keys` are dotted paths. */
export function missingKeys(...keys: string[]): InvalidAnswer {
  return new InvalidAnswer(`Sentry API response is missing keys. Required and not found: ${keys.join(", ")}.`);
}

function notAList(): InvalidAnswer {
  return new InvalidAnswer("Sentry API response is missing keys. It should be a list.");
}

function notNumeric(field: string): InvalidAnswer {
  return new InvalidAnswer(`Sentry API response contains invalid value for field "${field}": it is not numeric`);
}

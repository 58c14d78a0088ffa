import { normalDebugId } from "./debug-id.ts";
import { maxNameLength } from "./bundle-error.ts";
import type { BundleFile } from "./read-bundle.ts";

/** The facts that a file states about the other half of its pair. */
export interface Identifiers {
  /** Lower-case UUIDs, distinct: the header's first, then the comment's or the map's, then the ids of snippets. */
  readonly debugIds: readonly string[];
  /** The address of a script's map, as the script writes it: relative to the address of the script, or `~/...`. */
  readonly sourceMapUrl?: string;
  /** Whether the map is in the script itself, as a `data:` URL: see `inlineMapOf`. */
  readonly hasInlineMap?: true;
}

/** The needed part of a file. */
export type IdentifiedFile = Pick<BundleFile, "type" | "headers" | "content">;

/**
 * All debug ids of a file (section 2.1), and the reference to its map. A script into which two tools put ids has several,
 * which all stand for it: the SDK sends one of them. Other texts are ignored.
 */
export function identifiersOf(file: IdentifiedFile): Identifiers {
  const { headers, content } = file;
  if (file.type === "source_map") {
    const ids = topLevelTexts(content, ["debug_id", "debugId"]);
    return { debugIds: distinct([headers.debugId, ...ids]) };
  }
  if (!mayBeScript(file)) return { debugIds: distinct([headers.debugId]) };
  const ids = [headers.debugId, commentIn(content, ["//# debugId="]), ...snippetIds(content)];
  return { debugIds: distinct(ids), ...referenceOf(file) };
}

/** sentry-cli calls a script a source if its text does not look minified, such as the output of dart2js and TypeScript. */
export const mayBeScript = ({ type }: Pick<IdentifiedFile, "type">): boolean =>
  type === "minified_source" || type === "source";

/** Comments that name the map of a script (ECMA-426, section 11.1.2.1); the second is older. */
const mapComments = ["//# sourceMappingURL=", "//@ sourceMappingURL="];

function distinct(ids: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(ids.map(normalDebugId).filter((id) => id !== undefined))];
}

/** The header of a file comes before its comment. */
function referenceOf({ headers, content }: IdentifiedFile): Pick<Identifiers, "sourceMapUrl" | "hasInlineMap"> {
  const url = headers.sourceMap ?? commentIn(content, mapComments);
  if (url === undefined || url === "") return {};
  return /^data:/i.test(url) ? { hasInlineMap: true } : { sourceMapUrl: url };
}

/** The value of the last such comment, up to the length of a URL. */
function commentIn(script: Buffer, comments: readonly string[]): string | undefined {
  const value = lastComment(script, comments);
  return value && script.toString("utf8", value.start, Math.min(value.end, value.start + maxNameLength));
}

/** Ids that are read of a script: a chunk of the npm package `sentry` 0.49 has 10. */
const maxIds = 32;

/** Places that are looked at, so that a script of nothing but halves of snippets ends soon. */
const maxPlaces = 10_000;

/**
 * The ids of the snippets in a script, as they are written, in their order, distinct. The whole script is searched: a
 * snippet is at its head, but a library that was published with ids brings more, and of all that
 * one script registers the SDK sends the last (`getFilenameToDebugIdMap` of @sentry/core 10.78).
 */
function snippetIds(script: Buffer): readonly string[] {
  const found = forms.flatMap(({ start, id }) => idsBehind(script, start, id));
  return [...new Set(found.toSorted((one, other) => one.at - other.at).map(({ id }) => id))].slice(0, maxIds);
}

/** `_sentryDebugIds[stack]="<id>"`; minifiers choose the quotes. All repetitions are bounded. */
const stored = /^[\w$]{1,64}\]\s{0,8}=\s{0,8}["'`]([0-9a-fA-F-]{32,36})["'`]/;

const forms = [
  { start: "_sentryDebugIds[", id: stored }, // sentry-cli and all plugins
  { start: "_debugIds[", id: stored }, // bundlers by themselves
  { start: "sentry-dbid-", id: /^([0-9a-fA-F-]{32,36})/ }, // plugins and the npm package `sentry`
];

/** The longest text that `stored` takes. */
const maxBytes = 128;

function idsBehind(script: Buffer, start: string, form: RegExp): { readonly at: number; readonly id: string }[] {
  const ids: { readonly at: number; readonly id: string }[] = [];
  let at = script.indexOf(start);
  for (let places = 0; at >= 0 && places < maxPlaces && ids.length < 2 * maxIds; places++) {
    const behind = at + start.length;
    const [, id] = form.exec(script.toString("latin1", behind, behind + maxBytes)) ?? [];
    if (id !== undefined) ids.push({ at, id });
    at = script.indexOf(start, behind);
  }
  return ids;
}

/** The place of a comment's value in a script. */
interface CommentValue {
  readonly start: number;
  readonly end: number;
}

/**
 * The value of the last line that is one of these comments (`//# sourceMappingURL=`), without white space around it. As
 * Symbolicator does, it takes comments that begin a line only: in a bundle, the text of a library may hold the same words.
 */
function lastComment(script: Buffer, comments: readonly string[]): CommentValue | undefined {
  const found = comments.map((comment) => lastOf(script, comment)).filter((value) => value !== undefined);
  return found.reduce<CommentValue | undefined>(
    (last, value) => (last === undefined || value.start > last.start ? value : last),
    undefined,
  );
}

function lastOf(script: Buffer, comment: string): CommentValue | undefined {
  let at = script.lastIndexOf(comment);
  while (at >= 0 && !beginsLine(script, at)) at = at === 0 ? -1 : script.lastIndexOf(comment, at - 1);
  if (at < 0) return undefined;
  const start = skipBlanks(script, at + comment.length);
  const ends = [script.indexOf(LF, start), script.indexOf(CR, start)].filter((end) => end >= 0);
  let end = Math.min(script.length, ...ends);
  while (end > start && isBlank(script[end - 1])) end--;
  return { start, end };
}

/** Looks back over a few blanks only, so that a script of blanks and comments takes no square of its length. */
const maxIndent = 64;

function beginsLine(script: Buffer, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && at - before <= maxIndent && isBlank(script[before])) before--;
  return before < 0 || script[before] === LF || script[before] === CR;
}

function skipBlanks(script: Buffer, start: number): number {
  let at = start;
  while (isBlank(script[at])) at++;
  return at;
}

const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x09;

const LF = 0x0a;
const CR = 0x0d;

/**
 * The texts that a source map has at its top level under some keys, in the order of the keys. Scans the bytes once and builds
 * nothing: a map of 117 MB took about 300 ms and no memory, 350 to 740 ms and several times its size with JSON.parse, and
 * 30 ms if it has none of the keys. Text that is not JSON ends the scan, and ids that were found until then count; escapes in keys
 * or values are not read.
 */
function topLevelTexts(json: Buffer, keys: readonly string[]): readonly string[] {
  if (!keys.some((key) => json.includes(`"${key}"`))) return [];
  const found = new Map<string, string>();
  let depth = 0;
  let key: string | undefined;
  for (let at = json.indexOf(OBJECT); at >= 0 && at < json.length; at++) {
    const byte = json[at];
    if (byte === OBJECT || byte === ARRAY) depth++;
    else if (byte === OBJECT_END || byte === ARRAY_END) depth--;
    else if (byte === COMMA) key = undefined;
    else if (byte === QUOTE) {
      const end = endOfText(json, at + 1);
      if (end < 0) break;
      if (depth === 1) {
        // Longer texts are neither such a key nor an id.
        const text = end - at <= maxTextBytes ? json.toString("latin1", at + 1, end) : "";
        if (json[colonBehind(json, end + 1)] === COLON) key = text;
        else if (key !== undefined && keys.includes(key)) found.set(key, text);
      }
      at = end;
    }
    if (depth === 0) break;
  }
  return keys.flatMap((one) => found.get(one) ?? []);
}

const maxTextBytes = 128;

/** The quote that ends the text that begins at `start`; -1 if the text has no end. */
function endOfText(json: Buffer, start: number): number {
  let end = json.indexOf(QUOTE, start);
  while (end >= 0) {
    let escapes = end;
    while (escapes > start && json[escapes - 1] === BACKSLASH) escapes--;
    if ((end - escapes) % 2 === 0) return end;
    end = json.indexOf(QUOTE, end + 1);
  }
  return -1;
}

function colonBehind(json: Buffer, start: number): number {
  let at = start;
  while (json[at] === 0x20 || json[at] === 0x09 || json[at] === 0x0a || json[at] === 0x0d) at++;
  return at;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const ARRAY = 0x5b;
const ARRAY_END = 0x5d;

/** The largest `data:` URL that is read, in bytes. */
const maxInlineMapBytes = 50 * 1024 * 1024;

/**
 * The map that is in a script as a `data:` URL (RFC 2397), in base64 or percent-encoded. Undefined if there is no such map, it is
 * malformed, or larger than `maxInlineMapBytes`.
 */
export function inlineMapOf({ headers, content }: Pick<IdentifiedFile, "headers" | "content">): Buffer | undefined {
  const url = headers.sourceMap === undefined ? urlIn(content) : Buffer.from(headers.sourceMap);
  if (url === undefined || url.length > maxInlineMapBytes) return undefined;
  const comma = url.subarray(0, maxHeadBytes).indexOf(",");
  const head = url.toString("latin1", 0, Math.max(comma, 0)).toLowerCase();
  if (comma < 0 || !head.startsWith("data:")) return undefined;
  const data = url.subarray(comma + 1);
  if (head.endsWith(";base64")) return Buffer.from(data.toString("latin1"), "base64");
  try {
    return Buffer.from(decodeURIComponent(data.toString("utf8")));
  } catch {
    return undefined;
  }
}

/** Bytes of a type with its parameters. */
const maxHeadBytes = 256;

function urlIn(script: Buffer): Buffer | undefined {
  const value = lastComment(script, mapComments);
  return value && script.subarray(value.start, value.end);
}

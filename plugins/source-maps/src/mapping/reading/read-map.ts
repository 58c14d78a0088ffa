import { JsonBytes, type JsonRange } from "./json-bytes.ts";
import { malformed, tooMany, type MapLimits } from "../map-limits.ts";
import { readFunctionMap, type FunctionMap, type Room } from "../names/function-map.ts";
import { readMappings, type Place } from "./mappings.ts";
import { Segments, comparePositions, type Position } from "./segments.ts";
import { Texts } from "../table.ts";

/** A file that the generated one was made from. */
export interface Source {
  /** As the map names it, behind its `sourceRoot`; empty if it has no name. */
  readonly name: string;
  /** In UTF-8. The texts of a map are side by side in few buffers, so that a thread can hand them over. */
  readonly content: Uint8Array<ArrayBuffer> | undefined;
  /** Whether the map's `ignoreList` has it: code of others. */
  readonly isIgnored: boolean;
}

export interface ReadMap {
  readonly sources: readonly Source[];
  readonly segments: Segments;
  readonly texts: Texts;
  /** By the index of a source: the names that Metro, the bundler of React Native, puts into the map. */
  readonly functionMaps: ReadonlyMap<number, FunctionMap>;
}

/**
 * Reads a source map or an index map (ECMA-426). Keys it does not know are left out. Sections may be index maps themselves;
 * they inherit nothing. Throws a MapError.
 */
export function readMap(bytes: Uint8Array, limits: MapLimits): ReadMap {
  const reader = new MapReader(new JsonBytes(bytes), limits);
  reader.read();
  reader.segments.arrange();
  return reader;
}

const keys = ["version", "sections", "mappings", "sources", "sourceRoot", "sourcesContent", "names"] as const;
const functionsKey = "x_facebook_sources";
const ignoreKeys = ["ignoreList", "x_google_ignoreList"] as const;
type MapFields = Partial<Record<(typeof keys)[number] | (typeof ignoreKeys)[number] | typeof functionsKey, JsonRange>>;

class MapReader implements ReadMap {
  readonly sources: Source[] = [];
  readonly segments = new Segments();
  readonly texts = new Texts();
  readonly functionMaps = new Map<number, FunctionMap>();
  readonly #room: Room;
  readonly #json: JsonBytes;
  readonly #limits: MapLimits;
  #nameCount = 0;
  #sectionCount = 0;

  constructor(json: JsonBytes, limits: MapLimits) {
    this.#json = json;
    this.#limits = limits;
    this.#room = { left: limits.functions };
  }

  read(): void {
    this.#readMap(this.#json.root(), { start: { line: 0, column: 0 }, end: { line: Infinity, column: 0 }, depth: 0 });
  }

  #readMap(map: JsonRange, within: Within): void {
    if (!this.#json.isObject(map)) throw malformed("it is not a JSON object");
    const fields = this.#json.fields(map, [...keys, ...ignoreKeys, functionsKey]);
    this.#checkVersion(fields.version);
    if (fields.sections) this.#readSections(fields.sections, within);
    else this.#readPlain(fields, within);
  }

  #checkVersion(range: JsonRange | undefined): void {
    const version = range && this.#json.primitive(range);
    if (version === 3) return;
    const text = typeof version === "number" ? `its version is ${version}, not 3` : "its version is missing, or not 3";
    throw malformed(text);
  }

  #readSections(range: JsonRange, { start, end, depth }: Within): void {
    if (depth >= this.#limits.sectionDepth) throw tooMany(this.#limits.sectionDepth, "index maps within each other");
    let last: { readonly map: JsonRange; readonly start: Position } | undefined;
    const readLast = (next: Position) => {
      if (!last) return;
      const isFirst = comparePositions(next.line, next.column, end.line, end.column) < 0;
      this.#readMap(last.map, { start: last.start, end: isFirst ? next : end, depth: depth + 1 });
    };
    for (const section of this.#list(range, "sections")) {
      if (++this.#sectionCount > this.#limits.sections) throw tooMany(this.#limits.sections, "sections");
      const next = this.#section(section, start);
      if (last && comparePositions(next.start.line, next.start.column, last.start.line, last.start.column) < 0) {
        throw malformed("its sections are not in order");
      }
      readLast(next.start);
      last = next;
    }
    readLast(end);
  }

  /** A section's map, and where its generated text begins in the whole. */
  #section(range: JsonRange, start: Position) {
    const json = this.#json;
    if (!json.isObject(range)) throw malformed("a section is not an object");
    const { offset, map, url } = json.fields(range, ["offset", "map", "url"]);
    if (url && !map) throw malformed("a section refers to another map by its url instead of holding it");
    if (!map || !offset || !json.isObject(offset)) throw malformed("a section lacks its map or its offset");
    const { line: lineRange, column: columnRange } = json.fields(offset, ["line", "column"]);
    const line = this.#offset(lineRange);
    const column = this.#offset(columnRange);
    return { map, start: { line: start.line + line, column: line === 0 ? start.column + column : column } };
  }

  #offset(range: JsonRange | undefined): number {
    const value = range && this.#json.primitive(range);
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31) return value;
    throw malformed("the offset of a section is not a line and a column, both counted from 0");
  }

  #readPlain(fields: MapFields, { start, end }: Within): void {
    if (!fields.mappings || !this.#json.isString(fields.mappings))
      throw malformed("its mappings are missing or no text");
    if (!fields.sources) throw malformed("its sources are missing");
    const firstSource = this.sources.length;
    this.#readSources(fields, fields.sources);
    this.#readFunctions(fields[functionsKey], firstSource);
    const place: Place = {
      start,
      end,
      firstSource,
      sourceCount: this.sources.length - firstSource,
      names: this.#readNames(fields.names),
    };
    readMappings(this.#json.stringBytes(fields.mappings), place, this.segments, this.#limits.segments);
  }

  #readSources(
    { sourceRoot, sourcesContent, ignoreList, x_google_ignoreList: oldIgnoreList }: MapFields,
    range: JsonRange,
  ) {
    const json = this.#json;
    const root = sourceRoot && json.isString(sourceRoot) ? json.string(sourceRoot) : "";
    const contents = sourcesContent && json.isArray(sourcesContent) ? json.elements(sourcesContent) : undefined;
    // JSON is at least as long as the texts in it; memory that is not written to is never taken.
    const texts = new SideBySide(sourcesContent ? sourcesContent.end - sourcesContent.start : 0);
    const ignored = this.#indexes(ignoreList ?? oldIgnoreList);
    let index = 0;
    for (const element of this.#list(range, "sources")) {
      if (this.sources.length >= this.#limits.sources) throw tooMany(this.#limits.sources, "sources");
      const content = contents?.next().value;
      this.sources.push({
        name: this.#isString(element, "sources") ? underRoot(root, json.string(element)) : "",
        content: content && json.isString(content) ? texts.add(json.stringBytes(content)) : undefined,
        isIgnored: ignored.has(index++),
      });
    }
  }

  #readFunctions(range: JsonRange | undefined, firstSource: number): void {
    if (!range || !this.#json.isArray(range)) return;
    let source = firstSource;
    for (const element of this.#json.elements(range)) {
      if (source === this.sources.length) return;
      const found = readFunctionMap(this.#json, element, { texts: this.texts, room: this.#room });
      if (found) this.functionMaps.set(source, found);
      source += 1;
    }
  }

  /** The numbers of a list; other values count for nothing. */
  #indexes(range: JsonRange | undefined): ReadonlySet<unknown> {
    if (!range || !this.#json.isArray(range)) return new Set();
    const indexes = new Set<unknown>();
    for (const element of this.#json.elements(range)) {
      if (indexes.size >= this.#limits.sources) break;
      indexes.add(this.#json.primitive(element));
    }
    return indexes;
  }

  /** Where the names are in the texts. They stay bytes: a million strings would take 40 MiB. */
  #readNames(range: JsonRange | undefined): Uint32Array {
    if (!range || !this.#json.isArray(range)) return new Uint32Array();
    const offsets: number[] = [];
    for (const element of this.#json.elements(range)) {
      if (++this.#nameCount > this.#limits.names) throw tooMany(this.#limits.names, "names");
      offsets.push(this.#isString(element, "names") ? this.texts.add(this.#json.stringBytes(element)) : 0);
    }
    return Uint32Array.from(offsets);
  }

  #list(range: JsonRange, name: string): Iterable<JsonRange> {
    if (!this.#json.isArray(range)) throw malformed(`its ${name} are not a list`);
    return this.#json.elements(range);
  }

  /** False: null. Refuses anything else. */
  #isString(range: JsonRange, list: string): boolean {
    if (this.#json.isString(range)) return true;
    if (this.#json.primitive(range) === null) return false;
    throw malformed(`an entry of its ${list} is neither a text nor null`);
  }
}

/** Copies of bytes in one buffer. */
class SideBySide {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** A text that does not fit gets a separate buffer: bytes that are not UTF-8 grow when they are decoded. */
  add(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const end = this.#length + bytes.length;
    if (end > this.#bytes.length) return Uint8Array.from(bytes);
    const copy = this.#bytes.subarray(this.#length, end);
    copy.set(bytes);
    this.#length = end;
    return copy;
  }
}

/** Where a map is in the whole, and in how many index maps. */
interface Within {
  readonly start: Position;
  readonly end: Position;
  readonly depth: number;
}

/** `sourceRoot`, a slash and the source, as ECMA-426 has it for relative sources; whole URLs and paths stay. */
function underRoot(root: string, source: string): string {
  if (root === "" || source === "" || /^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(source)) return source;
  return `${root}${root.endsWith("/") ? "" : "/"}${source}`;
}

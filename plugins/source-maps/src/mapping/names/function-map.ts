import type { JsonBytes, JsonRange } from "../reading/json-bytes.ts";
import { countSegments, VlqReader, comma, semicolon } from "../reading/mappings.ts";
import { comparePositions } from "../reading/segments.ts";
import type { Texts } from "../table.ts";

/**
 * From which places of a source on which function's name holds, in their order, three numbers each: the line from 1, the column from
 * 0, and where the name is in the texts. In one list, because a map may have 100,000 sources.
 */
export type FunctionMap = Uint32Array;

/** The numbers of a place. */
const width = 3;

/** Places and names that the function maps of a map may still have. */
export interface Room {
  left: number;
}

/**
 * Reads what Metro says of a source in `x_facebook_sources`: `[{ "names": [...], "mappings": "..." }]`. In `mappings` (Base64 VLQ) each
 * number is the difference to the one before: column, name and line; behind `;` columns begin again. Undefined if there is no such list, it
 * cannot be read, or it exceeds the room; only the names are lost then.
 */
export function readFunctionMap(
  json: JsonBytes,
  range: JsonRange,
  { texts, room }: { texts: Texts; room: Room },
): FunctionMap | undefined {
  const [first] = json.isArray(range) ? json.elements(range) : [];
  if (!first || !json.isObject(first)) return undefined;
  const { names, mappings } = json.fields(first, ["names", "mappings"]);
  if (!names || !mappings || !json.isArray(names) || !json.isString(mappings)) return undefined;
  const offsets: number[] = [];
  for (const name of json.elements(names)) {
    if (--room.left < 0) return undefined;
    offsets.push(json.isString(name) ? texts.add(json.stringBytes(name)) : 0);
  }
  const bytes = json.stringBytes(mappings);
  const count = countSegments(bytes);
  room.left -= count;
  if (room.left < 0) return undefined;
  try {
    return readPlaces(bytes, offsets, count);
  } catch {
    return undefined; // it is no VLQ
  }
}

function readPlaces(mappings: Uint8Array, names: readonly number[], count: number): FunctionMap {
  const reader = new VlqReader(mappings);
  const places = new Uint32Array(width * count);
  let end = 0;
  let [line, column, name] = [1, 0, 0];
  while (reader.at < mappings.length) {
    const byte = mappings[reader.at];
    if (byte === semicolon) column = 0;
    if (byte === semicolon || byte === comma) {
      reader.at += 1;
      continue;
    }
    column = reader.sum(column, "a column");
    if (reader.hasMore()) name = reader.sum(name, "a name");
    if (reader.hasMore()) line = reader.sum(line, "a line");
    while (reader.hasMore()) reader.next();
    const [lastLine = 0, lastColumn = 0] = places.subarray(Math.max(end - width, 0), end);
    if (comparePositions(line, column, lastLine, lastColumn) < 0) continue; // Metro writes them in order
    places.set([line, column, names[name] ?? 0], end);
    end += width;
  }
  return places.subarray(0, end);
}

/** Where the name of the function around a place of the source is in the texts; 0 if it has no name. The line counts from 0. */
export function nameAt(places: FunctionMap, line: number, column: number): number {
  let low = 0;
  let high = places.length / width;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = middle * width;
    if (comparePositions(places[at] ?? 0, places[at + 1] ?? 0, line + 1, column) <= 0) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : (places[low * width - 1] ?? 0);
}

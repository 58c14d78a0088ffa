import { footprintTooBig } from "./failures.ts";

/** The memory that a parsed answer may take: the limit of the original. */
const maxParsedBytes = 5 * 1024 * 1024;

/** Deeper answers are refused. SDKs send events some twenty levels deep, and readers recurse. */
const maxDepth = 100;

/**
 * Refuses an answer that would take more than 5 MiB once parsed, before it is parsed: JSON of 1 MiB can hold 350,000
 * empty lists. One walk over the bytes adds up the cost of its values on the heap.
 */
export function checkFootprint(json: Buffer): void {
  let bytes = json.length; // strings and numbers, about as long as they are written
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    switch (json[index]) {
      case quote:
        index = endOfText(json, index);
        bytes += textBytes;
        break;
      case openList:
      case openObject:
        bytes += containerBytes;
        if (++depth > maxDepth) throw footprintTooBig();
        break;
      case closeList:
      case closeObject:
        depth--;
        break;
      case comma:
        bytes += slotBytes;
        break;
      case colon:
        bytes += keyBytes;
    }
  }
  if (bytes > maxParsedBytes) throw footprintTooBig();
}

/** The position of the quote that ends the string begun at `start`. */
function endOfText(json: Buffer, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== quote) index += json[index] === backslash ? 2 : 1;
  return index;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

// Measured with Node 26, on the heap after parsing: 6.6 MiB for 175,000 empty lists (half a MiB of JSON); for 1 MiB of
// JSON 8.0 MiB for one object of 80,000 keys, 4.8 for 66,000 pairs of numbers, 1.0 for one string. The sum is never
// less; for short strings and numbers alone it is up to four times as much.
const containerBytes = 56;
const textBytes = 16;
const keyBytes = 24;
const slotBytes = 8;

import { ServiceError, tokenOfValues, valuesOfToken } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

// Clients accept only cursors of digits and colons, of at most 64 characters. So a cursor spells out the content of a
// page token: the digest of its list, the value the list is sorted by, the id, and the direction if the list pages both
// ways. That is 13 + 14 + 15 digits at most; nothing is stored, so cursors survive a restart.

const directions = ["before", "after"] as const;

/** Converts a page token to a cursor. */
export function cursorOf(token: string): string {
  const values = valuesOfToken(token);
  const numbers = values.filter((value) => typeof value === "number");
  const direction = directions.findIndex((name) => values[1] === name);
  return [...numbers, ...(direction < 0 ? [] : [direction])].join(":");
}

/** The page token of a cursor. Refuses an invalid cursor; the list itself checks that the token belongs to it. */
export function tokenOf(cursor: string | null): string {
  if (cursor === null || cursor === "") return "";
  const numbers = /^\d{1,16}(:\d{1,16}){2,3}$/.test(cursor) ? cursor.split(":").map(Number) : [];
  const [list = 0, value = 0, id = 0, direction] = numbers;
  if (numbers.length === 0) throw invalidCursor();
  if (direction === undefined) return tokenOfValues([list, value, id]);
  const name = directions[direction];
  if (name === undefined) throw invalidCursor();
  return tokenOfValues([list, name, value, id]);
}

/** The cursor of a list with paging by offset, in the form of the original. */
export function offsetCursor(offset: number): string {
  return `0:${offset}:0`;
}

/** The number of entries that a cursor skips. */
export function offsetOf(cursor: string | null): number {
  if (cursor === null || cursor === "") return 0;
  const offset = /^0:(\d{1,9}):[01]$/.exec(cursor)?.[1];
  if (offset === undefined) throw invalidCursor();
  return Number(offset);
}

function invalidCursor(): ServiceError {
  return new ServiceError(
    ErrorReason.INVALID_PAGE_TOKEN,
    "The cursor belongs to no list. Ask for the first page without one.",
    { field: "cursor" },
  );
}

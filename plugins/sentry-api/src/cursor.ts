import { ServiceError, tokenOfValues, valuesOfToken } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

// Clients take cursors of digits and colons alone, of at most 64 signs, so a page token travels as what it holds: the
// digest of its list, the value the list is sorted by, the id, and for lists that page both ways the direction. 13 + 14 +
// 15 digits at most, so it fits; and nothing is remembered, so it outlives a restart.

const directions = ["before", "after"] as const;

/** A page token as a cursor. */
export function cursorOf(token: string): string {
  const values = valuesOfToken(token);
  const numbers = values.filter((value) => typeof value === "number");
  const direction = directions.findIndex((name) => values[1] === name);
  return [...numbers, ...(direction < 0 ? [] : [direction])].join(":");
}

/** The page token of a cursor; refuses what cannot be one. Whether it is of the list asked for, the list decides. */
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

/** A cursor of a list of which a number of entries is passed over, in the form of the original. */
export function offsetCursor(offset: number): string {
  return `0:${offset}:0`;
}

/** The number of entries that a cursor passes over. */
export function offsetOf(cursor: string | null): number {
  if (cursor === null || cursor === "") return 0;
  const offset = /^0:(\d{1,9}):[01]$/.exec(cursor)?.[1];
  if (offset === undefined) throw invalidCursor();
  return Number(offset);
}

function invalidCursor(): ServiceError {
  return new ServiceError(ErrorReason.INVALID_PAGE_TOKEN, "The cursor is of no list.", { field: "cursor" });
}

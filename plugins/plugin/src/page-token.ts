import { createHash } from "node:crypto";
import { ErrorReason } from "@faultline/proto";
import { ServiceError } from "./service-error.ts";

/**
 * Packs the position where a page begins into an opaque token. `list` identifies the list with its order and filters.
 */
export function pageToken(list: string, place: readonly (number | string)[]): string {
  return tokenOfValues([digestOf(list), ...place]);
}

/** The values in a token: the digest of its list, then the position. For APIs with another form of cursor. */
export function valuesOfToken(token: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, "base64url").toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return []; // any damage to the token gets the same refusal
  }
}

/** The token with these values. It is checked when it is read. */
export function tokenOfValues(values: readonly (number | string)[]): string {
  return Buffer.from(JSON.stringify(values)).toString("base64url");
}

/** 40 bits distinguish lists and fit into a numeric cursor. The call that carries a token decides what it may show. */
function digestOf(list: string): number {
  return createHash("sha256").update(list).digest().readUIntBE(0, 5);
}

type PlaceValues<Place> = { -readonly [K in keyof Place]: Place[K] extends "number" ? number : string };

/** The position in a token of the given list. Refuses tokens of any other list. Undefined for an empty token. */
export function readPageToken<const Place extends readonly ("number" | "string")[]>(
  list: string,
  token: string,
  shape: Place,
): PlaceValues<Place> | undefined {
  if (token === "") return undefined;
  const refusal = new ServiceError(
    ErrorReason.INVALID_PAGE_TOKEN,
    "The page token does not belong to this list. Ask for the first page without a token.",
    { field: "page_token" },
  );
  const [digest, ...place] = valuesOfToken(token);
  if (digest !== digestOf(list) || place.length !== shape.length) throw refusal;
  if (!shape.every((type, n) => typeof place[n] === type && (type !== "number" || Number.isSafeInteger(place[n])))) {
    throw refusal;
  }
  return place as unknown as PlaceValues<Place>; // checked against the shape above
}

/** The page size of a list: 20 by default, at most 100. */
export function pageSizeOf(request: { pageSize: number }): number {
  return request.pageSize === 0 ? 20 : Math.min(request.pageSize, 100);
}

/**
 * A page from rows that were read with one extra row, and the token of the next page. The token is empty on the last
 * page.
 */
export function pageOfRows<Row>(rows: readonly Row[], size: number, tokenOf: (last: Row) => string) {
  const last = rows.length > size ? rows[size - 1] : undefined;
  return { page: rows.slice(0, size), nextPageToken: last === undefined ? "" : tokenOf(last) };
}

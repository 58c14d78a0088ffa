import { ErrorReason } from "@faultline/proto";
import { ServiceError } from "./service-error.ts";

/** Packs the place where a page begins into an opaque token. `list` names the list with its order and filters. */
export function pageToken(list: string, place: readonly (number | string)[]): string {
  return Buffer.from(JSON.stringify([list, ...place])).toString("base64url");
}

type PlaceValues<Place> = { -readonly [K in keyof Place]: Place[K] extends "number" ? number : string };

/** The place a token names, of the given list; refuses tokens of any other list. Empty token: undefined. */
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
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(token, "base64url").toString());
  } catch {
    throw refusal; // any damage to the token is one refusal
  }
  if (!Array.isArray(parsed) || parsed[0] !== list || parsed.length !== shape.length + 1) throw refusal;
  const place: unknown[] = parsed.slice(1);
  if (!shape.every((type, n) => typeof place[n] === type && (type !== "number" || Number.isSafeInteger(place[n])))) {
    throw refusal;
  }
  return place as unknown as PlaceValues<Place>; // checked against the shape above
}

/** The page size a list uses: 20 when not given, at most 100. */
export function pageSizeOf(request: { pageSize: number }): number {
  return request.pageSize === 0 ? 20 : Math.min(request.pageSize, 100);
}

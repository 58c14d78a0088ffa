import { parseSearch, SearchProblem, type PlacedTerm } from "../search/index.ts";
import { invalidField, type ServiceError } from "../service-error.ts";

/** Reads a search (`ListErrorsRequest.query`). Refuses one that cannot be read, with the place of its problem. */
export function readSearch(query: string): PlacedTerm[] {
  try {
    return parseSearch(query);
  } catch (error) {
    throw error instanceof SearchProblem ? searchRefusal(error) : error;
  }
}

/** The refusal of a search for a problem with a part of it. */
export function searchRefusal({ message, start }: SearchProblem): ServiceError {
  return invalidField("query", start > 0 ? `${message} (Character ${start + 1} of the search.)` : message);
}

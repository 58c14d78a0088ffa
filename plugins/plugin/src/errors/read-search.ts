import { parseSearch, SearchProblem, type Term } from "../search/index.ts";
import { invalidField, type ServiceError } from "../service-error.ts";

/** Reads a search (`ListErrorsRequest.query`). Refuses one that cannot be read, with the place of its problem. */
export function readSearch(query: string): Term[] {
  try {
    return parseSearch(query);
  } catch (error) {
    throw error instanceof SearchProblem ? refusalOf(error) : error;
  }
}

function refusalOf({ message, start }: SearchProblem): ServiceError {
  return invalidField("query", start > 0 ? `${message} (Character ${start + 1} of the search.)` : message);
}

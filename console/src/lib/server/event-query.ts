import { isAboutEvents, parseSearch, printSearch, SearchProblem } from "@faultline/plugin/search";

/** The part of an address's search that is about single events. Empty if there is none, or if the search is invalid. */
export function eventQuery({ searchParams }: URL): string {
  try {
    return printSearch(parseSearch(searchParams.get("q") ?? "").filter(isAboutEvents));
  } catch (error) {
    if (error instanceof SearchProblem) return "";
    throw error;
  }
}

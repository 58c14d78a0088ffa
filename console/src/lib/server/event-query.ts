import { isAboutEvents, parseSearch, printSearch, SearchProblem } from "@faultline/plugin/search";

/** The part of the search in an address that is about single events. Empty if no part is, or if the search cannot be read. */
export function eventQuery({ searchParams }: URL): string {
  try {
    return printSearch(parseSearch(searchParams.get("q") ?? "").filter(isAboutEvents));
  } catch (error) {
    if (error instanceof SearchProblem) return "";
    throw error;
  }
}

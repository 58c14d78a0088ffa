import { isAboutEvents, parseSearch, printSearch, SearchProblem } from "@faultline/plugin/search";

/** The part of an address's search that is about single events; empty: none is, or it cannot be read. */
export function eventQuery({ searchParams }: URL): string {
  try {
    return printSearch(parseSearch(searchParams.get("q") ?? "").filter(isAboutEvents));
  } catch (error) {
    if (error instanceof SearchProblem) return "";
    throw error;
  }
}

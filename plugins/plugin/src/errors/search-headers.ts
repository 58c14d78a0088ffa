import type { ListErrorsResponse } from "@faultline/proto";
import { millisecondsOf } from "../times.ts";

/** The headers that say of a list of errors what its body cannot, and what each of them says. */
export const searchHeaders = {
  "X-Examined-Count": "Errors that were examined, where there are more: the next page continues after them.",
  "X-Searched-To-Time": "How far back the errors of X-Examined-Count go.",
  "X-Searched-Error-Id": "The error that the search names by its short id, or by an event's.",
  "X-Search-Hint":
    "Sentences that help with the search, such as the nearest values where none is found; percent-encoded beyond ASCII.",
} as const;

/** What an answer about errors says beside them, as headers of HTTP. */
export function searchHeadersOf(
  answer: Pick<ListErrorsResponse, "examinedCount" | "searchedToTime" | "searchedErrorId" | "event" | "searchHints">,
): Partial<Record<keyof typeof searchHeaders, string>> {
  const { examinedCount, searchedToTime, searchedErrorId, event, searchHints } = answer;
  const errorId = searchedErrorId || (event?.errorId ?? "");
  const hints = searchHints.map(({ text }) => text).join(" ");
  return {
    ...(examinedCount > 0 && { "X-Examined-Count": String(examinedCount) }),
    ...(searchedToTime && { "X-Searched-To-Time": new Date(millisecondsOf(searchedToTime)).toISOString() }),
    ...(errorId !== "" && { "X-Searched-Error-Id": errorId }),
    ...(hints !== "" && { "X-Search-Hint": inAscii(hints) }),
  };
}

/** Quotes as ASCII has them, other letters percent-encoded. */
const inAscii = (text: string) =>
  text
    .toWellFormed()
    .replace(/[“”]/g, '"')
    .replace(/[^\x20-\x7e]+|%/g, encodeURIComponent);

import { onlyError } from "@faultline/plugin";
import { readEventId } from "@faultline/sentry-event";
import type { Asking } from "../calling/external-call.ts";
import { readIssues } from "../reading/index.ts";

/** A short id as the system shows it, or in any letters behind a `#`: `WEB-R9`. */
const shortId = /^(?:[A-Z0-9_.-]+-[A-Z0-9]{1,15}|#[\w.-]+-[A-Za-z0-9]{1,15})$/;

/**
 * The error that a search names by its short id or by the id of an event, as a list; undefined: it is another search, or
 * the linked project has no such error. The system looks for one only where the search is nothing else.
 */
export async function directHit(asking: Asking, search: string) {
  const text = search.trim();
  const eventId = readEventId(text);
  if (eventId === undefined && !shortId.test(text)) return undefined;
  const reply = await asking.ask({
    path: [...asking.projectPath, "issues"],
    query: { query: eventId ?? text.replace("#", ""), shortIdLookup: 1, limit: 1, statsPeriod: "24h" },
  });
  const [error] = reply.headers["x-sentry-direct-hit"] === "1" ? readIssues(reply.json, asking) : [];
  const errorId = error?.errorId ?? "";
  return (
    error && {
      ...onlyError(error),
      ...(eventId === undefined ? { searchedErrorId: errorId } : { event: { eventId, errorId } }),
    }
  );
}

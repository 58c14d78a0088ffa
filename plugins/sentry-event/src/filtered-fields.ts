import type { JsonObject } from "./json/json.ts";
import { readServerName } from "./names.ts";
import { readRequestUrl, readUserAgent } from "./request.ts";

/**
 * The fields of a sent event that filters check, in the form of an event. They are all that remains of one that was
 * read in another thread: copying the whole of it from there would take as long as reading it.
 */
export function filteredFields(sent: JsonObject): JsonObject {
  return {
    server_name: readServerName(sent),
    request: { url: readRequestUrl(sent), headers: { "User-Agent": readUserAgent(sent) } },
  };
}

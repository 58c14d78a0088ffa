import type { JsonObject } from "../json/json.ts";

/**
 * Whether the event is a transaction, a performance record: accepted at the store endpoint, but not kept as an error.
 */
export function isTransaction(event: JsonObject): boolean {
  return event["type"] === "transaction";
}

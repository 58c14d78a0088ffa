import type { JsonObject } from "../json/json.ts";
import { readValues } from "../json/values.ts";

/**
 * Whether the event is a transaction, a performance record: accepted at the store endpoint, but not kept as an error. An
 * event with an exception is an error, whatever it says.
 */
export function isTransaction(event: JsonObject): boolean {
  return (
    event["type"] === "transaction" &&
    readValues(event["exception"] ?? event["sentry.interfaces.Exception"]).length === 0
  );
}

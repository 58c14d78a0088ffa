import type { JsonObject } from "../json/json.ts";
import { readText } from "../json/text.ts";
import type { Trims } from "../json/trims.ts";
import { readValues } from "../json/values.ts";
import { limits } from "../limits.ts";
import { publicText } from "./public-name.ts";

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

/** The name of the route or task; `culprit` is its name in old SDKs. May be empty. */
export function readTransaction(event: JsonObject, trims?: Trims): string {
  return readText(publicText(event["transaction"] ?? event["culprit"]), limits.text.transaction, trims).trim();
}

/** The same as it was sent, for grouping. */
export function sentTransaction(event: JsonObject): string {
  return readText(event["transaction"] ?? event["culprit"], limits.text.transaction).trim();
}

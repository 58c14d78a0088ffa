import { asObject, type JsonObject } from "./json.ts";

/** The JSON of an event. Anything else is an event without fields: a service that reports over gRPC may send any payload, or none. */
export function parsedEvent(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text)) ?? {};
  } catch {
    return {};
  }
}

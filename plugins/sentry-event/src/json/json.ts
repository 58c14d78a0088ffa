import type { Event } from "@faultline/proto";

/** A JSON object, in the type that protobuf-es gives to `google.protobuf.Struct`. */
export type JsonObject = NonNullable<Event["contexts"]>;

/** Any JSON value. */
export type JsonValue = JsonObject[string];

/** The value of a key of a JSON object; null means absent everywhere (section 5). */
export type JsonField = JsonValue | undefined;

/** The value, if it is an object and not a list. */
export function asObject(value: JsonField): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** Whether the value is an object and not a list. */
export function isObject(value: JsonField): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

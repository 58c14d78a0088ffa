import { asObject, readStoredTags, type JsonValue } from "@faultline/sentry-event";

export type Tags = Readonly<Record<string, string>>;

/** The tags of an event, from its JSON. A payload that a service reported over gRPC may be any bytes, and has none. */
export function storedTags(json: Buffer): Tags {
  try {
    return readStoredTags(asObject(JSON.parse(json.toString()) as JsonValue) ?? {});
  } catch {
    return {};
  }
}

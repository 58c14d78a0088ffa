import { asObject, readStoredTags, readUserNames, type JsonValue, type UserNames } from "@faultline/sentry-event";

/** What an event is counted by and its row has not. */
export interface StoredFacts {
  readonly tags: Readonly<Record<string, string>>;
  /** Undefined: not known. */
  readonly names: UserNames | undefined;
}

/** The facts of an event, from its JSON. A payload that a service reported over gRPC may be any bytes, and has none. */
export function storedFacts(json: Buffer): StoredFacts {
  try {
    const event = asObject(JSON.parse(json.toString()) as JsonValue) ?? {};
    return { tags: readStoredTags(event), names: readUserNames(event) };
  } catch {
    return { tags: {}, names: undefined };
  }
}

import { asObject, readEventFacts, type EventFacts, type JsonValue, type UserNames } from "@faultline/sentry-event";
import { keyNamed } from "@faultline/plugin/search";
import type { EventTable } from "../tables.ts";

/** Larger events are not parsed, because that would block the event loop: 256 KiB take 2 to 3 ms. */
export const largestParsed = 256 * 1024;

/** A tag of an event, or a field that is shown in the form of a tag. */
export type Fact = readonly [key: string, value: string, searchable: boolean];

/** The parts of an event that a breakdown counts. */
export interface ExaminedEvent {
  readonly row: EventTable;
  /** Undefined if the event was not parsed. */
  readonly names: UserNames | undefined;
  readonly facts: readonly Fact[];
  /** The contexts of the event, by tag and in the form that a search finds. */
  readonly contexts: Readonly<Record<string, string>>;
}

/** Examines an event. Without the JSON, which is too large or deleted, the event has only the facts of its row. */
export function examine(row: EventTable, json: Buffer | undefined): ExaminedEvent {
  const parsed = json && json.length <= largestParsed ? factsOf(json) : undefined;
  const facts = new Map<string, Fact>();
  const add = (key: string, value: string, searchable: boolean) => {
    if (value !== "" && !facts.has(key)) facts.set(key, [key, value, searchable]);
  };
  add("level", row.level, true);
  add("environment", row.environment, true);
  add("release", row.release, true);
  for (const [key, value] of Object.entries(parsed?.tags ?? {})) add(key, value, true);
  for (const [key, value] of Object.entries(parsed?.derived ?? {})) add(key, value, keyNamed(key) !== undefined);
  return {
    row,
    names: parsed && withAddress(parsed.user, row.user),
    facts: [...facts.values()],
    contexts: parsed?.contexts ?? {},
  };
}

/** The facts of a payload. A service may report any bytes as a payload over gRPC. */
function factsOf(json: Buffer): EventFacts | undefined {
  try {
    return readEventFacts(asObject(JSON.parse(json.toString()) as JsonValue) ?? {});
  } catch {
    return undefined;
  }
}

/** Adds the address that the SDK left to the receiver (`{{auto}}`), which then identifies the user in counts. */
export function withAddress(names: UserNames, key: string): UserNames {
  return key.startsWith("ip:") && names.ipAddress === "" ? { ...names, ipAddress: key.slice("ip:".length) } : names;
}

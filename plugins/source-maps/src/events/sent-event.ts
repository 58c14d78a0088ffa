import { asObject, readText, type JsonObject, type JsonValue } from "@faultline/sentry-event";
import { normalDebugId } from "../bundle/debug-id.ts";

/** What an event says of its files, beside its frames. */
export interface SentEvent {
  readonly dist: string;
  /** The debug ids of files by their addresses. */
  readonly debugIds: ReadonlyMap<string, string>;
}

/** Images that are read: an event names each file of its stacks once. */
const mostImages = 1_000;

/** Reads the distribution and the debug ids (`debug_meta.images` of type `sourcemap`) of an event as it was sent. */
export function readSentEvent(event: JsonObject): SentEvent {
  const images = asObject(event["debug_meta"])?.["images"];
  const debugIds = new Map<string, string>();
  for (const image of Array.isArray(images) ? images.slice(0, mostImages) : []) {
    const { type, code_file: file, debug_id: id } = asObject(image) ?? {};
    const debugId = type === "sourcemap" && typeof id === "string" ? normalDebugId(id) : undefined;
    if (debugId !== undefined && typeof file === "string") debugIds.set(addressOf(file), debugId);
  }
  return { dist: readText(event["dist"], 64), debugIds };
}

/** The address of a file as frames and images spell it: some SDKs write `async ` before it. */
export const addressOf = (file: string) => file.replace(/^async /, "");

/** An event's JSON. Anything else is an event without fields. */
export function parsedEvent(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text) as JsonValue) ?? {};
  } catch {
    return {}; // a service that reports over gRPC may send any payload
  }
}

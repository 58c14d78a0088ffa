import { asObject, readText, type JsonObject } from "@faultline/sentry-event";
import { normalDebugId } from "../bundle/debug-id.ts";

/** What an event says of its files, beside its frames. */
export interface SentEvent {
  readonly dist: string;
  /** The debug ids of files by their addresses. */
  readonly debugIds: ReadonlyMap<string, string>;
  /** The ids of the mappings of ProGuard or R8 that its classes were obfuscated with. */
  readonly mappingIds: readonly string[];
}

/** Images that are read: an event names each file of its stacks once. */
const mostImages = 1_000;

/** Mappings that are read: an application is obfuscated with one, and may carry those of a few libraries. */
const mostMappings = 10;

/** Reads the distribution and the ids of an event as it was sent (`debug_meta.images` of the types `sourcemap` and `proguard`). */
export function readSentEvent(event: JsonObject): SentEvent {
  const images = asObject(event["debug_meta"])?.["images"];
  const debugIds = new Map<string, string>();
  const mappingIds = new Set<string>();
  for (const image of Array.isArray(images) ? images.slice(0, mostImages) : []) {
    const { type, code_file: file, debug_id: id, uuid } = asObject(image) ?? {};
    const mappingId = type === "proguard" && typeof uuid === "string" ? normalDebugId(uuid) : undefined;
    if (mappingId !== undefined) mappingIds.add(mappingId);
    const debugId = type === "sourcemap" && typeof id === "string" ? normalDebugId(id) : undefined;
    if (debugId !== undefined && typeof file === "string") debugIds.set(addressOf(file), debugId);
  }
  return { dist: readText(event["dist"], 64), debugIds, mappingIds: [...mappingIds].slice(0, mostMappings) };
}

/** The address of a file as frames and images spell it: some SDKs write `async ` before it. */
export const addressOf = (file: string) => file.replace(/^async /, "");

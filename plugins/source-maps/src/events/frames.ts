import type { Event, Frame } from "@faultline/proto";
import { asObject, readText, type JsonObject } from "@faultline/sentry-event";
import { normalDebugId } from "../bundle/debug-id.ts";

/** Platforms with code that may be minified. */
const platforms: ReadonlySet<string> = new Set(["javascript", "node"]);

const native = /^(?:<anonymous>|\[native code\]|native|node:|internal\/)/;
const builtFile = /\.(?:[cm]?js|bundle|jsbundle)(?:[?#]|$)/i;
const sourceFile = /\.(?:[cm]?tsx?|jsx|vue|svelte|astro)(?:[?#]|$)|^webpack(?:-internal)?:\/\/|^turbopack:\/\//i;
const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i;
const evaluated = /^(?:eval|<eval>|<unknown>|about:|blob:|data:|javascript:)|\(eval\b|> eval$|> Function$/i;

/** Whether frames of an event may be minified JavaScript. */
export const mayBeMinified = ({ platform }: { readonly platform: string }): boolean => platforms.has(platform);

/** Nobody writes lines of 300 characters. */
const minifiedColumn = 300;

/** Whether a frame surely belongs to a minified file, by its name or the length of its line. */
export const looksMinified = ({ absPath, filename, colno, contextLine }: Frame): boolean =>
  /[.-]min\.[cm]?js(?:[?#]|$)/i.test(absPath || filename) ||
  colno > minifiedColumn ||
  contextLine.length > minifiedColumn;

/** The kind of a frame's file by its address. `other` has nothing to map, like native code. */
export type FileKind = "built" | "source" | "evaluated" | "other";

export function fileKindOf(frame: FileOfFrame, debugIds: ReadonlyMap<string, string>): FileKind {
  const address = addressOfFrame(frame);
  if (debugIds.has(address)) return "built";
  if (address === "" || native.test(address)) return "other";
  if (sourceFile.test(address)) return "source";
  if (evaluated.test(address)) return "evaluated";
  return builtFile.test(address) || withScheme.test(address) ? "built" : "other";
}

export const addressOfFrame = ({ absPath, filename }: FileOfFrame) => addressOf(absPath || filename);

/** Where a frame says its file is. */
export type FileOfFrame = Pick<Frame, "absPath" | "filename">;

/** An event with its frames changed, one list after the other, each the oldest call first. */
export async function withFrames(event: Event, change: (frames: readonly Frame[]) => Promise<Frame[]>): Promise<Event> {
  const exceptions: Event["exceptions"] = [];
  for (const one of event.exceptions) exceptions.push({ ...one, frames: await change(one.frames) });
  const threads: Event["threads"] = [];
  for (const one of event.threads) threads.push({ ...one, frames: await change(one.frames) });
  return { ...event, exceptions, threads };
}

export const framesOf = ({ exceptions, threads }: Event): Frame[] =>
  [...exceptions, ...threads].flatMap(({ frames }) => frames);

/** An event's facts about its files outside of its frames. */
interface SentEvent {
  readonly dist: string;
  /** The debug ids of files by their addresses. */
  readonly debugIds: ReadonlyMap<string, string>;
  /** The ids of the mappings of ProGuard or R8 that its classes were obfuscated with. */
  readonly mappingIds: readonly string[];
}

/** Images that are read: an event names each file of its stacks once. */
const mostImages = 1_000;

/** Mappings that are read: an application is obfuscated with one, and may carry the mappings of a few libraries. */
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
const addressOf = (file: string) => file.replace(/^async /, "");

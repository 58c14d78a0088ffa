import { hash } from "node:crypto";
import type { ErrorEvent, GroupingException, GroupingFrame } from "@faultline/proto";
import { functionName } from "./function-name.ts";
import { parametrise } from "./parametrise.ts";

/** Stored with each error. A changed algorithm gets a new number, and errors of older ones keep their hash. */
export const groupingVersion = 1;

/**
 * The group an event belongs to, as 32 hexadecimal digits: the application's fingerprint, otherwise the chain of exceptions
 * with the frames of its own code, otherwise the stack, otherwise the message without its variable parts (protocol reference,
 * section 9). Line numbers, paths and values stay out, so that an edit or another user does not split a group.
 */
export function groupHash(event: ErrorEvent): string {
  return digest([String(groupingVersion), ...(customParts(event) ?? defaultParts(event))]);
}

function digest(parts: readonly string[]): string {
  return hash("sha256", parts.join("\u001f"), "hex").slice(0, 32);
}

const defaultVariable = /^\{\{\s*default\s*\}\}$/;
const fingerprintParts = 16;
const fingerprintPartLength = 256;

function customParts(event: ErrorEvent): string[] | undefined {
  if (event.fingerprint.length === 0) return undefined;
  const parts = event.fingerprint.filter((part) => part !== "").slice(0, fingerprintParts);
  if (parts.every((part) => defaultVariable.test(part))) return undefined;
  const expanded = parts.map((part) =>
    defaultVariable.test(part) ? digest(defaultParts(event)) : variable(event, part).slice(0, fingerprintPartLength),
  );
  return ["fingerprint", ...expanded];
}

/** A fingerprint part with its variable, such as `{{ transaction }}`, filled in; other parts as they are. */
function variable(event: ErrorEvent, part: string): string {
  const name = /^\{\{\s*([\w.-]+)\s*\}\}$/.exec(part)?.[1];
  const main = event.exceptions.at(-1);
  const frame = main?.frames.at(-1);
  switch (name) {
    case undefined:
      return part;
    case "type":
    case "error.type":
      return main?.type ?? "";
    case "value":
    case "error.value":
      return main?.value ?? "";
    case "transaction":
      return event.groupingCulprit ?? event.culprit;
    case "function":
    case "stack.function":
      return frame?.function ?? "";
    case "module":
    case "stack.module":
      return frame?.module ?? "";
    case "level":
      return event.level;
    case "logger":
      return event.logger;
    case "message":
      return event.message;
    default:
      return name.startsWith("tags.") ? tagOf(event, name.slice("tags.".length)) : part;
  }
}

function tagOf({ groupingTags, tags }: ErrorEvent, key: string): string {
  return groupingTags[key] ?? tags[key] ?? "";
}

function defaultParts(event: ErrorEvent): string[] {
  const { platform, exceptions } = event;
  if (exceptions.length > 0) {
    const appOnly = exceptions.some(({ frames }) => hasOwnCode(frames));
    const chain: string[] = [];
    for (const exception of exceptions) {
      chain.push(...exceptionParts(exception, stackParts(platform, exception.frames, appOnly)));
    }
    if (chain.some((part) => part !== "")) return ["exception", platform, ...chain];
  }
  const frames = stackParts(platform, event.frames, hasOwnCode(event.frames));
  if (frames.length > 0) return ["stack", platform, ...frames];
  const message = event.messageTemplate || event.message;
  if (message !== "") return ["message", platform, parametrise(message)];
  return ["unlabeled", platform, event.level];
}

function hasOwnCode(frames: readonly GroupingFrame[]): boolean {
  return frames.some(({ inApp }) => inApp);
}

function exceptionParts(exception: GroupingException, frames: readonly string[]): string[] {
  const type = exception.synthetic ? "" : exception.type;
  return frames.length > 0 ? [type, ...frames] : [type, parametrise(exception.value)];
}

function stackParts(platform: string, frames: readonly GroupingFrame[], appOnly: boolean): string[] {
  const parts: string[] = [];
  for (const frame of frames) {
    if (appOnly && !frame.inApp) continue;
    const part = framePart(platform, frame);
    if (part !== "" && part !== parts[parts.length - 1]) parts.push(part); // recursion counts once
  }
  return parts;
}

function framePart(platform: string, { module, filename, function: name }: GroupingFrame): string {
  const place = module || basename(filename);
  const call = functionName(platform, name);
  return place === "" && call === "" ? "" : `${place}\u001e${call}`;
}

/** The file's own name in lower case; empty for a place that is not a file. */
function basename(filename: string): string {
  if (filename === "" || filename.startsWith("<") || filename.startsWith("[")) return "";
  const path = filename.slice(0, endOfPath(filename));
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase();
}

/** The index at which the query or the fragment of a URL begins; the end of any other place. */
function endOfPath(filename: string): number {
  const query = filename.indexOf("?");
  const fragment = filename.indexOf("#");
  if (query < 0) return fragment < 0 ? filename.length : fragment;
  return fragment < 0 ? query : Math.min(query, fragment);
}

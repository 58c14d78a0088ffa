import { hash } from "node:crypto";
import type { ErrorEvent, GroupingException, GroupingFrame } from "@faultline/proto";

/** Stored with each error. A changed algorithm gets a new number, and errors of older versions keep their hash. */
export const groupingVersion = 1;

/**
 * The group an event belongs to, as 32 hexadecimal digits: the application's fingerprint, otherwise the chain of
 * exceptions with the frames of its own code, otherwise the stack, otherwise the message without its variable parts
 * (protocol reference, section 9). Line numbers, paths and values are excluded, so that an edit or another user does
 * not split a group.
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

/** Fills in the variable of a fingerprint part, such as `{{ transaction }}`. Other parts remain unchanged. */
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

/** The name of a file in lower case, without its path. Empty if the place is not a file. */
function basename(filename: string): string {
  if (filename === "" || filename.startsWith("<") || filename.startsWith("[")) return "";
  const path = filename.slice(0, endOfPath(filename));
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase();
}

/** The index at which the query or the fragment of a URL begins, or the end of any other place. */
function endOfPath(filename: string): number {
  const query = filename.indexOf("?");
  const fragment = filename.indexOf("#");
  if (query < 0) return fragment < 0 ? filename.length : fragment;
  return fragment < 0 ? query : Math.min(query, fragment);
}

/** A function's name without the parts that compilers and runtimes renumber each time. Empty if nothing remains. */
export function functionName(platform: string, name: string): string {
  if (name === "") return "";
  switch (platform) {
    case "javascript":
    case "node": {
      const last = name.slice(name.lastIndexOf(".") + 1);
      return isUnnamed(last) ? "" : last;
    }
    case "java":
      return name.startsWith("lambda$") ? "" : name;
    case "php":
      return /^\[Anonymous|^class@anonymous/.test(name) ? "" : name;
    case "ruby":
      return name.startsWith("block ") ? "block" : name.replace(/__\d{4,}_\d{4,}/g, "");
    case "native":
      return /^<(unknown|redacted)>$/.test(name) ? "" : name.replace(/::h[0-9a-f]{16}$/, "");
    default:
      return name;
  }
}

/**
 * Whether a JavaScript runtime gave this name to an anonymous function. Comparing lengths first avoids hashing each
 * name.
 */
function isUnnamed(name: string): boolean {
  switch (name) {
    case "?":
    case "<anonymous>":
    case "anonymous":
    case "Anonymous function":
    case "eval":
      return true;
    default:
      return false;
  }
}

/** Maximum length of a message that distinguishes groups. It limits the work of the patterns. */
const maxLength = 1024;

/**
 * Applied in order: an earlier name takes text that a later name would also match. None can backtrack over more than
 * one part.
 */
const patterns: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["email", /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g],
  ["url", /\b(?:https?|wss?|ftp|file):\/\/[^\s"'<>]+/g],
  ["ip", /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F]{0,4}(?![\w:])/g],
  ["uuid", /\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b/g],
  ["sha1", /\b[0-9a-fA-F]{40}\b/g],
  ["md5", /\b[0-9a-fA-F]{32}\b/g],
  ["date", /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g],
  [
    "date",
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?[A-Z][a-z]{2}[a-z]* [\d: ]{1,20}(?:GMT|UTC)?[+-]?\d{0,4}/g,
  ],
  ["time", /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?\b/g],
  ["duration", /\b\d{1,12}(?:\.\d{1,9})?(?:ns|µs|us|ms|s)\b/g],
  [
    "hex",
    /\b0[xX][0-9a-fA-F]{1,128}\b|\b(?=[a-f]{0,127}\d)(?=\d{0,127}[a-f])[0-9a-f]{8,128}\b|\b(?=[A-F]{0,127}\d)(?=\d{0,127}[A-F])[0-9A-F]{8,128}\b/g,
  ],
  ["float", /-?\b\d{1,20}\.\d{1,20}\b/g],
  ["int", /-?\b\d{1,20}\b/g],
  ["quoted", /="[^"]{0,200}"|='[^']{0,200}'/g],
  ["bool", /=(?:true|false|True|False)\b/g],
];

/** Replaces the variable parts of a message by their kind, so that `user 42` and `user 43` are one group. */
export function parametrise(text: string): string {
  const [first = "", second = ""] = text
    .slice(0, maxLength)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  let message = second === "" ? first.trim() : `${first.trim()}\n${second.trim()}`;
  for (const [name, pattern] of patterns) message = message.replace(pattern, `<${name}>`);
  return message;
}

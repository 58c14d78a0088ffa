import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import type { JsonObject } from "@faultline/sentry-event";
import { installation } from "../../installation.ts";

/** A failure of the service to report. */
export interface Failure {
  readonly thrown: unknown;
  /** `core`, or the name of the plugin that failed. */
  readonly part: string;
  /** The failed work, in our own words, never a text from outside. */
  readonly during: string;
  /** `fatal` ends the process. */
  readonly level: "error" | "fatal";
}

/** The service's own description in every event. */
export interface Sender {
  readonly version: string;
  readonly environment: string;
}

/** A chain of causes may be circular. */
const maxCauses = 5;

/**
 * The event of a failure in the form of Sentry SDKs: the errors with their causes, root cause first. It holds no
 * request, no name of the machine and no path outside the installation, and its messages are scrubbed.
 */
export function ownEvent(
  { thrown, part, during, level }: Failure,
  { version, environment }: Sender,
  { eventId, now }: { eventId: string; now: number },
): JsonObject {
  return {
    event_id: eventId,
    timestamp: now / 1000,
    platform: "node",
    level,
    release: version,
    environment,
    server_name: "",
    sdk: { name: "faultline", version },
    tags: { part, during },
    exception: {
      values: causesOf(thrown)
        .map((error) => ({
          type: scrubbed(error.name),
          value: scrubbed(error.message),
          stacktrace: { frames: stackFrames(error).map((frame) => ({ ...frame })) },
        }))
        .toReversed(),
    },
  };
}

/** Identifies repetitions of a failure by its type and its place in our code. */
export function identityOf(thrown: unknown): string {
  const [error] = causesOf(thrown);
  const frames = error ? stackFrames(error).toReversed() : [];
  const top = frames.find((frame) => frame.in_app) ?? frames[0];
  return `${error?.name} ${top?.filename}:${top?.lineno}`;
}

/** The reported parts of a thrown value. */
interface Cause {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** The error and its causes, outermost first. */
function causesOf(thrown: unknown): Cause[] {
  const chain: Cause[] = [];
  for (let one = thrown; one !== undefined && one !== null && chain.length < maxCauses;) {
    chain.push(causeOf(one));
    one = one instanceof Error ? one.cause : undefined;
  }
  return chain;
}

/** Reports only the text or the kind of a thrown value that is not an error, because an object may hold anything. */
function causeOf(thrown: unknown): Cause {
  if (thrown instanceof Error) {
    return { name: String(thrown.name), message: String(thrown.message), stack: String(thrown.stack ?? "") };
  }
  const message = typeof thrown === "string" ? thrown : `A value of type ${typeof thrown} was thrown.`;
  return { name: "NotAnError", message, stack: "" };
}

/** Longer texts are cut before they are scrubbed, so that a message of a megabyte costs nothing. */
const maxRead = 4096;
const maxKept = 1024;

/** Patterns that must not leave the installation, and their replacements. */
const replacements: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // MikroORM puts the statement with its values before the database's own words.
  [/^\s*(?:insert|replace|update|delete|select|with|pragma)\b[^]* - (?=[^]*$)/i, "[statement] - "],
  // JSON.parse quotes text that it could not read.
  [/(?:\.\.\.)?"[^]*"(?:\.\.\.)? is not valid JSON/, "[text] is not valid JSON"],
  [/(:\/\/)[^\s/@'"]+@/g, "$1[credentials]@"],
  [/(https?:\/\/[^\s?'"]+)\?[^\s'"]*/gi, "$1?[query]"],
  [/\bfl[psir]_[\w-]+/g, "[token]"],
  [/\b(bearer|basic|sentry)\s+[\w.~+/=,-]{6,}/gi, "$1 [secret]"],
  [
    /((?:password|passwd|secret|token|[_-]key|cookie|authorization)["']?\s*[:=]\s*)("[^"]*"?|'[^']*'?|[^\s,;&}]+)/gi,
    "$1[secret]",
  ],
  [/(?:flck_)?[0-9a-f]{32,}/gi, "[key]"],
  [/[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,63}/g, "[e-mail]"],
  [/(["'`])[^"'`]{65,}\1/g, "$1[text]$1"],
  [/(?<![\w:/.])\/(?:[^\s'"/:]+\/)+([^\s'"/:]+)/g, "…/$1"],
];

/** A message without secrets, contents of requests and paths of the machine, of at most 1,024 characters. */
function scrubbed(text: string): string {
  const read = text.slice(0, maxRead);
  return replacements
    .reduce((kept, [pattern, replacement]) => kept.replace(pattern, replacement), read)
    .slice(0, maxKept);
}

/** A line of a stack, with the field names of Sentry SDKs. */
interface StackFrame {
  readonly function: string;
  /** Relative to the installation. */
  readonly filename: string;
  readonly lineno: number;
  readonly colno: number;
  readonly in_app: boolean;
}

const within = installation + "/";
const maxFrames = 50;
const line = /^\s+at (?:(?:async )?(?:new )?(.*?) \()?(?:async )?([^()]+):(\d+):(\d+)\)?$/;

/** The frames of an error's stack, outermost first like in SDKs; empty for a value without a stack. */
function stackFrames({ stack, message }: { stack: string; message: string }): StackFrame[] {
  // The stack begins with the message, which may contain foreign lines that look like frames.
  const messageAt = stack.indexOf(message);
  const messageEnd = messageAt < 0 ? 0 : messageAt + message.length;
  const places = new SourcePlaces();
  return stack
    .slice(messageEnd)
    .split("\n")
    .flatMap((text) => frameOf(text, places) ?? [])
    .slice(0, maxFrames)
    .toReversed();
}

function frameOf(text: string, places: SourcePlaces): StackFrame | undefined {
  const [, name = "", file, lineno, colno] = line.exec(text) ?? [];
  if (file === undefined) return undefined;
  const path = file.startsWith("file:") ? filePath(file) : file;
  const written = places.of({ path, line: Number(lineno), column: Number(colno) });
  const filename = shortPath(written.path);
  return {
    function: name,
    filename,
    lineno: written.line,
    colno: written.column,
    in_app: !/^node:|^…|(^|\/)node_modules\//.test(filename),
  };
}

/**
 * The path relative to the installation. A file elsewhere is only named, because its folder would reveal facts about
 * the machine.
 */
function shortPath(path: string): string {
  if (path.startsWith("node:")) return path;
  return path.startsWith(within) ? path.slice(within.length) : `…/${basename(path)}`;
}

function filePath(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url; // not the URL of a local file: its last part is shown
  }
}

/** A place in a file; line and column begin at 1. */
interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

const bundle = join(installation, "backend/build/");

/**
 * Finds the source of bundled code by the source maps of the bundle. Each map is read at the first question about its
 * file, and kept as long as this object: Node would read all maps at the start, which takes 16 MiB.
 */
class SourcePlaces {
  readonly #maps = new Map<string, SourceMap | undefined>();

  /** Returns the place in the source; the same place if the file is not in the bundle or has no map. */
  of(place: Place): Place {
    if (!place.path.startsWith(bundle)) return place;
    const origin = this.#mapOf(place.path)?.findOrigin(place.line, place.column);
    if (!origin || !("fileName" in origin)) return place;
    return {
      path: join(dirname(place.path), origin.fileName),
      line: origin.lineNumber,
      column: origin.columnNumber,
    };
  }

  #mapOf(path: string): SourceMap | undefined {
    if (!this.#maps.has(path)) this.#maps.set(path, readMap(`${path}.map`));
    return this.#maps.get(path);
  }
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, "utf8")) as SourceMapPayload);
  } catch {
    return undefined; // removed or unreadable: the place in the bundle is shown
  }
}

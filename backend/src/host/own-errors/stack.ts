import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { SourcePlaces } from "./source-places.ts";
import { installation } from "../../installation.ts";

/** A line of a stack, as Sentry SDKs name its parts. */
export interface StackFrame {
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

/** The frames of an error's stack, the outermost first, as SDKs send them; empty for a value without a stack. */
export function stackFrames({ stack, message }: { stack: string; message: string }): StackFrame[] {
  // The stack begins with the message, which may contain lines of anybody that look like frames.
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
 * Relative to the installation; of a file elsewhere its name alone, as its folder would reveal facts about the machine.
 */
function shortPath(path: string): string {
  if (path.startsWith("node:")) return path;
  return path.startsWith(within) ? path.slice(within.length) : `…/${basename(path)}`;
}

function filePath(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url; // not the URL of a file on this system: its last part is shown
  }
}

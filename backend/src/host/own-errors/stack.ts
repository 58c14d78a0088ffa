import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A line of a stack, as Sentry SDKs name its parts. */
export interface StackFrame {
  readonly function: string;
  /** Relative to the installation. */
  readonly filename: string;
  readonly lineno: number;
  readonly colno: number;
  readonly in_app: boolean;
}

const installation = join(import.meta.dirname, "../../../..") + "/";
const maxFrames = 50;
const line = /^\s+at (?:(?:async )?(?:new )?(.*?) \()?(?:async )?([^()]+):(\d+):(\d+)\)?$/;

/** The frames of an error's stack, the outermost first, as SDKs send them; empty for what has no stack. */
export function stackFrames({ stack, message }: { stack: string; message: string }): StackFrame[] {
  // The stack begins with the message, in which anybody may have written lines that look like frames.
  const messageAt = stack.indexOf(message);
  const messageEnd = messageAt < 0 ? 0 : messageAt + message.length;
  return stack
    .slice(messageEnd)
    .split("\n")
    .flatMap((text) => frameOf(text) ?? [])
    .slice(0, maxFrames)
    .toReversed();
}

function frameOf(text: string): StackFrame | undefined {
  const [, name = "", place, lineno, colno] = line.exec(text) ?? [];
  if (place === undefined) return undefined;
  const filename = shortPath(place);
  return {
    function: name,
    filename,
    lineno: Number(lineno),
    colno: Number(colno),
    in_app: !/^node:|^…|(^|\/)node_modules\//.test(filename),
  };
}

/** Relative to the installation; of a file elsewhere its name alone, as its folder tells about the machine. */
function shortPath(place: string): string {
  if (place.startsWith("node:")) return place;
  const path = place.startsWith("file:") ? filePath(place) : place;
  return path.startsWith(installation) ? path.slice(installation.length) : `…/${basename(path)}`;
}

function filePath(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url; // no address of a file on this system: its last part is shown
  }
}

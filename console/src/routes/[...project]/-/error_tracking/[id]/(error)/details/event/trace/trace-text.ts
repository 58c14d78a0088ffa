/** A chain of exceptions as its language prints it: all frames, so that it pastes into tools that read traces. */

import { chainLinks, isGroupMember } from "./exception-chain.ts";
import { oldestFirst } from "#lib/language.ts";
import type { Exception, Frame } from "#lib/messages.ts";

type FrameText = (frame: Frame) => string;

/** Terminals print full paths. */
const file = ({ absPath, filename }: Frame) => absPath || filename || "<unknown>";
const line = (frame: Frame) => (frame.lineno > 0 ? `${file(frame)}:${frame.lineno}` : file(frame));
const column = (frame: Frame) => (frame.colno > 0 ? `${line(frame)}:${frame.colno}` : line(frame));

const head = ({ type, value }: Exception) => [type, value].filter((part) => part !== "").join(": ") || "Error";

/** Java and Python print the package or module of the type, Python not that of its own exceptions and of the script. */
function qualifiedHead(exception: Exception): string {
  const { module, type } = exception;
  const bare = type === "" || module === "" || module === "builtins" || module === "__main__";
  return head(bare ? exception : { ...exception, type: `${module}.${type}` });
}

const javascriptFrame: FrameText = (frame) =>
  frame.function === "" ? `    at ${column(frame)}` : `    at ${frame.function} (${column(frame)})`;

const javaFrame: FrameText = ({ module, function: name, filename, lineno }) =>
  `\tat ${[module, name].filter((part) => part !== "").join(".")}(${filename || "Unknown Source"}${lineno > 0 ? `:${lineno}` : ""})`;

const rubyFrame: FrameText = (frame) => `\tfrom ${line(frame)}:in '${frame.function || "<main>"}'`;

const rustFrame = (frame: Frame, index: number) =>
  `${String(index).padStart(4)}: ${frame.function || "<unknown>"}\n             at ${column(frame)}`;

function goFrame(frame: Frame): string {
  const name = [frame.module, frame.function].filter((part) => part !== "").join(".");
  return `${name || "<unknown>"}(...)\n\t${line(frame)}`;
}

/** The text of a stack alone, for threads and messages. */
export function stackText(frames: readonly Frame[], platform: string): string {
  return frameLines(frames, platform).join("\n");
}

/** The text of the whole chain. `exceptions` come root cause first. */
export function traceText(exceptions: readonly Exception[], platform: string): string {
  if (oldestFirst(platform)) return pythonText(exceptions);
  if (platform === "php") return exceptions.map(phpPart).join("\n\nNext ");
  const part = platform === "ruby" ? rubyPart : headAndFrames;
  return exceptions
    .toReversed()
    .map((exception, index) => `${index === 0 ? "" : causePrefix(exception, platform)}${part(exception, platform)}`)
    .join("\n");
}

const headAndFrames = (exception: Exception, platform: string) =>
  [platform === "java" ? qualifiedHead(exception) : head(exception), ...frameLines(exception.frames, platform)].join(
    "\n",
  );

function causePrefix(exception: Exception, platform: string): string {
  if (platform === "ruby") return ""; // Ruby prints the cause below, without a word
  if (platform !== "node" && platform !== "javascript") return "Caused by: ";
  return isGroupMember(exception) ? "[errors]: " : "[cause]: ";
}

/** Ruby puts the error behind the place that raised it. */
function rubyPart({ frames, type, value }: Exception): string {
  const [raised, ...callers] = frames.toReversed().map(rubyFrame);
  const error = type === "" ? value : `${value} (${type})`;
  return raised === undefined ? error : [`${raised.trim().replace(/^from /, "")}: ${error}`, ...callers].join("\n");
}

/** PHP prints the root cause first and names the place of each exception. */
function phpPart(exception: Exception): string {
  const raised = exception.frames.at(-1);
  const where = raised === undefined ? "" : ` in ${line(raised)}`;
  return [`${head(exception)}${where}`, "Stack trace:", ...frameLines(exception.frames, "php")].join("\n");
}

function frameLines(frames: readonly Frame[], platform: string): string[] {
  if (platform === "python") return frames.map(pythonFrame);
  const newestFirst = frames.toReversed();
  switch (platform) {
    case "java":
      return newestFirst.map(javaFrame);
    case "go":
      return newestFirst.map(goFrame);
    case "ruby":
      return newestFirst.map(rubyFrame);
    case "rust":
    case "native":
      return newestFirst.map(rustFrame);
    case "php":
      return phpFrames(newestFirst);
    default:
      return newestFirst.map(javascriptFrame);
  }
}

/**
 * PHP names a call by the place it was made at, so each function comes with the place of the frame that called it.
 * A frame without function that was called is the top of an included file.
 */
function phpFrames(newestFirst: readonly Frame[]): string[] {
  const calls = newestFirst
    .map((frame, index) => ({ name: frame.function, caller: newestFirst[index + 1] }))
    .filter(({ name, caller }) => name !== "" || caller !== undefined)
    .map(({ name, caller }) => `${callerPlace(caller)}: ${name || "include"}()`);
  return [...calls, "{main}"].map((call, index) => `#${index} ${call}`);
}

const callerPlace = (caller: Frame | undefined) =>
  caller === undefined ? "[internal function]" : `${file(caller)}${caller.lineno > 0 ? `(${caller.lineno})` : ""}`;

function pythonFrame(frame: Frame): string {
  const place = `  File "${file(frame)}", line ${frame.lineno}, in ${frame.function || "<module>"}`;
  return frame.contextLine.trim() === "" ? place : `${place}\n    ${frame.contextLine.trim()}`;
}

/** Python prints the root cause first, and between two exceptions how they relate. */
function pythonText(exceptions: readonly Exception[]): string {
  return chainLinks(exceptions, false)
    .map(({ exception, relation }) => {
      const frames = exception.frames.map(pythonFrame);
      const trace = frames.length > 0 ? ["Traceback (most recent call last):", ...frames] : [];
      const before = relation === "" ? "" : `\n\n${relation}:\n\n`;
      return `${before}${[...trace, qualifiedHead(exception)].join("\n")}`;
    })
    .join("");
}

/** A chain of exceptions as its language prints it: all frames, so that it pastes into tools that read traces. */

import { oldestFirst } from "./language.ts";
import type { Exception, Frame } from "./messages.ts";

type FrameText = (frame: Frame) => string;

const place = ({ filename, absPath, lineno, colno }: Frame) =>
  [filename || absPath || "<unknown>", lineno > 0 ? lineno : "", colno > 0 ? colno : ""]
    .filter((part) => part !== "")
    .join(":");

const head = ({ type, value }: Exception) => [type, value].filter((part) => part !== "").join(": ") || "Error";

const javascriptFrame: FrameText = (frame) =>
  frame.function === "" ? `    at ${place(frame)}` : `    at ${frame.function} (${place(frame)})`;

const javaFrame: FrameText = ({ module, function: name, filename, lineno }) =>
  `\tat ${[module, name].filter((part) => part !== "").join(".")}(${filename || "Unknown Source"}${lineno > 0 ? `:${lineno}` : ""})`;

const rubyFrame: FrameText = ({ function: name, ...frame }) =>
  `\tfrom ${place({ ...frame, function: name, colno: 0 })}:in '${name || "<main>"}'`;

const rustFrame = (frame: Frame, index: number) =>
  `${String(index).padStart(4)}: ${frame.function || "<unknown>"}\n             at ${place(frame)}`;

function goFrame(frame: Frame): string {
  const name = [frame.module, frame.function].filter((part) => part !== "").join(".");
  return `${name || "<unknown>"}(...)\n\t${place({ ...frame, filename: frame.absPath || frame.filename, colno: 0 })}`;
}

/** The text of a stack alone, for threads and messages. */
export function stackText(frames: readonly Frame[], platform: string): string {
  return frameLines(frames, platform).join("\n");
}

/** The text of the whole chain. `exceptions` come root cause first. */
export function traceText(exceptions: readonly Exception[], platform: string): string {
  if (oldestFirst(platform)) return exceptions.map(pythonPart).join("");
  if (platform === "php") return exceptions.map(phpPart).join("\n\nNext ");
  const part = platform === "ruby" ? rubyPart : headAndFrames;
  return exceptions
    .toReversed()
    .map((exception, index) => `${index === 0 ? "" : causePrefix(platform)}${part(exception, platform)}`)
    .join("\n");
}

const headAndFrames = (exception: Exception, platform: string) =>
  [head(exception), ...frameLines(exception.frames, platform)].join("\n");

function causePrefix(platform: string): string {
  if (platform === "ruby") return ""; // Ruby prints the cause below, without a word
  return platform === "node" || platform === "javascript" ? "[cause]: " : "Caused by: ";
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
  const where = raised === undefined ? "" : ` in ${place({ ...raised, colno: 0 })}`;
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
      return newestFirst.map(phpFrame);
    default:
      return newestFirst.map(javascriptFrame);
  }
}

function phpFrame(frame: Frame, index: number): string {
  const name = frame.function === "" ? "{main}" : `${frame.function}()`;
  return `#${index} ${frame.filename || "[internal function]"}${frame.lineno > 0 ? `(${frame.lineno})` : ""}: ${name}`;
}

function pythonFrame({ filename, absPath, lineno, function: name, contextLine }: Frame): string {
  const line = `  File "${absPath || filename}", line ${lineno}, in ${name || "<module>"}`;
  return contextLine.trim() === "" ? line : `${line}\n    ${contextLine.trim()}`;
}

function pythonPart(exception: Exception, index: number, all: readonly Exception[]): string {
  const lines = exception.frames.map(pythonFrame);
  const text = [...(lines.length > 0 ? ["Traceback (most recent call last):", ...lines] : []), head(exception)].join(
    "\n",
  );
  if (index === all.length - 1) return text;
  return exception.mechanism?.source === "__context__"
    ? `${text}\n\nDuring handling of the above exception, another exception occurred:\n\n`
    : `${text}\n\nThe above exception was the direct cause of the following exception:\n\n`;
}

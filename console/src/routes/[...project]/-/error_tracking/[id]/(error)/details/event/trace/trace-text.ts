/** A chain of exceptions in its language's format, with all frames, so that tools that read traces accept it. */

import { exceptionTree, relationWords, type ExceptionNode } from "./exception-chain.ts";
import { oldestFirst } from "#lib/language.ts";
import type { Exception, Frame } from "#lib/messages.ts";

type FrameText = (frame: Frame) => string;

/** Terminals print full paths. */
const file = ({ absPath, filename }: Frame) => absPath || filename || "<unknown>";
const line = (frame: Frame) => (frame.lineno > 0 ? `${file(frame)}:${frame.lineno}` : file(frame));
const column = (frame: Frame) => (frame.colno > 0 ? `${line(frame)}:${frame.colno}` : line(frame));

const joined = (...parts: readonly string[]) => parts.filter((part) => part !== "").join(".");
const indented = (text: string, margin: string) => text.replaceAll(/^/gm, margin);

const head = ({ type, value }: Exception) => [type, value].filter((part) => part !== "").join(": ") || "Error";

/**
 * Java and Python print the package or module of the type. Python omits it for its own exceptions and for the script.
 */
function qualifiedHead(exception: Exception): string {
  const { module, type } = exception;
  const bare = type === "" || module === "" || module === "builtins" || module === "__main__";
  return head(bare ? exception : { ...exception, type: `${module}.${type}` });
}

const javascriptFrame: FrameText = (frame) =>
  frame.function === "" ? `    at ${column(frame)}` : `    at ${frame.function} (${column(frame)})`;

const javaFrame: FrameText = ({ module, function: name, filename, lineno }) =>
  `\tat ${joined(module, name)}(${filename || "Unknown Source"}${lineno > 0 ? `:${lineno}` : ""})`;

const rubyFrame: FrameText = (frame) => `\tfrom ${line(frame)}:in '${frame.function || "<main>"}'`;

const rustFrame = (frame: Frame, index: number) =>
  `${String(index).padStart(4)}: ${frame.function || "<unknown>"}\n             at ${column(frame)}`;

const goFrame: FrameText = (frame) => `${joined(frame.module, frame.function) || "<unknown>"}(...)\n\t${line(frame)}`;

/** The class without the name, version and key of the assembly, which SDKs append. */
function dotnetFrame(frame: Frame): string {
  const name = joined(frame.module.split(",", 1)[0] ?? "", frame.function) || "<unknown>";
  const place =
    frame.absPath || frame.filename ? ` in ${file(frame)}${frame.lineno > 0 ? `:line ${frame.lineno}` : ""}` : "";
  return `   at ${name.includes("(") ? name : `${name}()`}${place}`;
}

/** The text of a single stack, for threads and messages. */
export function stackText(frames: readonly Frame[], platform: string): string {
  return frameLines(frames, platform).join("\n");
}

/** The text of the whole chain. `exceptions` come root cause first. */
export function traceText(exceptions: readonly Exception[], platform: string): string {
  const top = exceptionTree(exceptions);
  if (top === undefined) return "";
  if (oldestFirst(platform)) return pythonText(top, "");
  switch (platform) {
    case "php":
      return exceptions.map(phpPart).join("\n\nNext ");
    case "ruby": // prints the cause below, without a separator
      return exceptions.toReversed().map(rubyPart).join("\n");
    case "java":
      return javaText(top);
    case "csharp":
      return dotnetText(top);
    case "node":
    case "javascript":
      return javascriptText(top);
    default:
      return otherText(top, platform);
  }
}

const headAndFrames = (exception: Exception, platform: string) =>
  [platform === "java" ? qualifiedHead(exception) : head(exception), ...frameLines(exception.frames, platform)].join(
    "\n",
  );

/** Java prints suppressed exceptions below the frames and one tab deeper, then the cause. */
function javaText({ exception, inner, causes }: ExceptionNode): string {
  return [
    headAndFrames(exception, "java"),
    ...inner.map((node) => indented(`Suppressed: ${javaText(node)}`, "\t")),
    ...causes.map((node) => `Caused by: ${javaText(node)}`),
  ].join("\n");
}

/** Node.js prints causes and the errors of an AggregateError in braces. */
function javascriptText({ exception, inner, causes }: ExceptionNode): string {
  const own = headAndFrames(exception, "javascript");
  const errors = inner.map((node) => indented(javascriptText(node), "  ")).join(",\n");
  const parts = [
    ...causes.map((node) => `[cause]: ${javascriptText(node)}`),
    ...(inner.length > 0 ? [`[errors]: [\n${errors}\n]`] : []),
  ];
  return parts.length === 0 ? own : `${own} {\n${indented(parts.join(",\n"), "  ")}\n}`;
}

/** .NET prints the cause before the frames. An AggregateException's cause is its first exception; the others follow. */
function dotnetText({ exception, inner, causes }: ExceptionNode): string {
  const [first, ...others] = [...causes, ...inner];
  return [
    head(exception),
    ...(first ? [` ---> ${dotnetText(first)}`, "   --- End of inner exception stack trace ---"] : []),
    ...frameLines(exception.frames, "csharp"),
    ...others.map((node, index) => ` ---> (Inner Exception #${index + 1}) ${dotnetText(node)}<---\n`),
  ].join("\n");
}

function otherText(node: ExceptionNode, platform: string, parent?: ExceptionNode): string {
  const words = relationWords(node, parent);
  return [
    `${words === "" ? "" : `${words}: `}${headAndFrames(node.exception, platform)}`,
    ...node.inner.map((inner) => indented(otherText(inner, platform, node), "    ")),
    ...node.causes.map((cause) => otherText(cause, platform, node)),
  ].join("\n");
}

/** Ruby puts the error after the place that raised it. */
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
    case "csharp":
      return newestFirst.map(dotnetFrame);
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
 * PHP names a call by its location, so each function comes with the location of the calling frame. A called frame
 * without a function is the top of an included file.
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

const pythonRelation = {
  cause: "The above exception was the direct cause of the following exception:",
  context: "During handling of the above exception, another exception occurred:",
} as const;

/**
 * Python prints the root cause first, and between two exceptions their relation. Each line within a group has a margin.
 * `margin` is the margin of the surrounding text.
 */
function pythonText({ exception, inner, causes }: ExceptionNode, margin: string): string {
  const before = causes.flatMap((cause) => {
    const words = pythonRelation[cause.relation === "context" ? "context" : "cause"];
    return [pythonText(cause, margin), indented(`\n${words}\n`, margin)];
  });
  const frames = exception.frames.map(pythonFrame);
  const name = qualifiedHead(exception);
  if (inner.length === 0) {
    const trace = frames.length > 0 ? ["Traceback (most recent call last):", ...frames] : [];
    return [...before, indented([...trace, name].join("\n"), margin)].join("\n");
  }
  // A group outside other groups begins two columns further in, with a corner.
  const own = margin === "" ? "  | " : margin;
  const trace = frames.length > 0 ? ["Exception Group Traceback (most recent call last):", ...frames] : [];
  const text = indented(
    [...trace, /\(\d+ sub-exceptions?\)$/.test(name) ? name : `${name} ${subExceptions(inner.length)}`].join("\n"),
    own,
  );
  return [
    ...before,
    margin === "" && frames.length > 0 ? text.replace("|", "+") : text,
    ...membersOf(inner, own.slice(0, -2)),
  ].join("\n");
}

/** Python ends the text of a group with this count; the SDK sends only the message. */
const subExceptions = (count: number) => `(${count} sub-exception${count === 1 ? "" : "s"})`;

/** If the last member prints a group, the end of that group also ends the outer group. */
function membersOf(members: readonly ExceptionNode[], indent: string): string[] {
  const last = members.at(-1);
  return [
    ...members.flatMap((member, index) => [
      `${indent}${index === 0 ? "+-" : "  "}+---------------- ${index + 1} ----------------`,
      pythonText(member, `${indent}  | `),
    ]),
    ...(last !== undefined && printsGroup(last) ? [] : [`${indent}  +------------------------------------`]),
  ];
}

const printsGroup = ({ inner, causes }: ExceptionNode): boolean => inner.length > 0 || causes.some(printsGroup);

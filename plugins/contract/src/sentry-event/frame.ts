import type { Frame, GroupingFrame } from "@faultline/proto";
import { readBag } from "./bag.ts";
import { isInApp } from "./in-app.ts";
import type { JsonField, JsonObject } from "./json.ts";
import { asObject, isObject } from "./json.ts";
import { limits } from "./limits.ts";
import { cleanText, readText } from "./text.ts";

/** The frames of a stack trace, `{"frames": [...]}` or a bare list, oldest call first; the newest 250. */
export function sentFrames(stacktrace: JsonField): JsonObject[] {
  const list = Array.isArray(stacktrace) ? stacktrace : asObject(stacktrace)?.["frames"];
  if (!Array.isArray(list)) return [];
  return (list.length > limits.count.frames ? list.slice(-limits.count.frames) : list).filter(isObject);
}

/** What grouping needs of the frames. `platform` is the event's, for frames that do not tell their own. */
export function groupingFrames(frames: JsonObject[], platform: string): GroupingFrame[] {
  return frames.map((frame) => groupingFrame(frame, platform));
}

/** The frames as shown. */
export function shownFrames(frames: JsonObject[], platform: string): Frame[] {
  const shown = frames.map((frame) => shownFrame(frame, platform));
  if (frames.length > limits.count.framesWithContext) dropContext(shown);
  return shown;
}

function groupingFrame(frame: JsonObject, platform: string): GroupingFrame {
  const module = readText(frame["module"], limits.text.symbol);
  const filename = readFilename(frame);
  const functionName = readText(frame["function"] ?? frame["raw_function"], limits.text.symbol);
  const told = frame["in_app"];
  return {
    $typeName: "faultline.v1.GroupingFrame",
    module,
    filename,
    function: functionName,
    inApp:
      typeof told === "boolean"
        ? told
        : isInApp({
            platform: readText(frame["platform"], limits.text.platform) || platform,
            path: readText(frame["abs_path"], limits.text.path) || filename,
            module,
            function: functionName,
          }),
  };
}

/** The file's name; where only the full path was sent (Go), that path, of a URL its path part. */
function readFilename(frame: JsonObject): string {
  const filename = readText(frame["filename"], limits.text.path);
  if (filename !== "") return filename;
  const path = readText(frame["abs_path"], limits.text.path);
  return path.includes("://") ? path.replace(/^(?:file|https?|applewebdata):\/\/[^/]*(?=\/)/, "") : path;
}

function shownFrame(frame: JsonObject, platform: string): Frame {
  const { module, filename, function: functionName, inApp } = groupingFrame(frame, platform);
  const sentVars = frame["vars"];
  const vars = readBag(Array.isArray(sentVars) ? { ...sentVars } : sentVars, limits.bag.vars);
  return {
    $typeName: "faultline.v1.Frame",
    filename,
    absPath: readText(frame["abs_path"], limits.text.path) || filename,
    function: functionName,
    module,
    package: readText(frame["package"], limits.text.symbol),
    lineno: readPosition(frame["lineno"]),
    colno: readPosition(frame["colno"]),
    inApp,
    preContext: readLines(frame["pre_context"]).slice(-limits.count.contextLines),
    contextLine: readLine(frame["context_line"]),
    postContext: readLines(frame["post_context"]).slice(0, limits.count.contextLines),
    ...(vars && { vars }),
  };
}

/** A line or column, from 1; 0 when it is none. */
function readPosition(sent: JsonField): number {
  const position = typeof sent === "string" && sent.trim() !== "" ? Number(sent) : sent;
  return typeof position === "number" && position >= 1 && position <= 0x7fff_ffff ? Math.trunc(position) : 0;
}

function readLines(sent: JsonField): string[] {
  // A null is an empty line here: dropping it would shift the line numbers.
  return Array.isArray(sent) ? sent.map(readLine) : [];
}

// Ruby sends each line with its line break.
function readLine(sent: JsonField): string {
  return typeof sent === "string" ? cleanText(sent, limits.text.contextLine).replace(/\r?\n$/, "") : "";
}

/** Keeps source lines and variables on 50 frames: the application's first, then those at both ends of the stack. */
function dropContext(frames: Frame[]): void {
  const own = frames.filter((frame) => frame.inApp);
  const kept = new Set(bothEnds(own, limits.count.framesWithContext));
  const others = frames.filter((frame) => !frame.inApp);
  for (const frame of bothEnds(others, limits.count.framesWithContext - kept.size)) kept.add(frame);
  for (const frame of frames) {
    if (kept.has(frame)) continue;
    frame.preContext = [];
    frame.contextLine = "";
    frame.postContext = [];
    delete frame.vars;
  }
}

function bothEnds(frames: Frame[], count: number): Frame[] {
  if (frames.length <= count) return frames;
  const newest = Math.ceil(count / 2);
  return [...frames.slice(0, count - newest), ...frames.slice(frames.length - newest)];
}

import { FrameOwner, type GroupingFrame } from "@faultline/proto";
import type { FramePlace } from "./libraries.ts";
import { type JsonField, type JsonObject, asObject, isObject, readText } from "../json.ts";
import { limits } from "../limits.ts";
import type { Trims } from "../trims.ts";

/** The frames of a stack trace as sent, `{"frames": [...]}` or a bare list, oldest call first. */
export function sentFrames(stacktrace: JsonField): JsonObject[] {
  const list = Array.isArray(stacktrace) ? stacktrace : asObject(stacktrace)?.["frames"];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The frames that are kept, the newest: 250, or fewer. */
export function newestFrames(sent: JsonObject[], max: number = limits.count.frames): JsonObject[] {
  return sent.length > max ? sent.slice(sent.length - max) : sent;
}

/** All stacks of an event's report, as far as their frames are kept. */
export function stacksOf(report: {
  readonly exceptions: readonly { readonly frames: JsonObject[] }[];
  readonly frames: JsonObject[];
}): readonly (readonly JsonObject[])[] {
  return [...report.exceptions.map(({ frames }) => newestFrames(frames)), newestFrames(report.frames)];
}

/** The parts of the newest frames that grouping needs. `platform` is the event's, for frames without their own. */
export function groupingFrames(sent: JsonObject[], platform: string): GroupingFrame[] {
  return newestFrames(sent).map((frame) => groupingFrame(frame, platform));
}

/** The parts of a frame that grouping needs. */
export function groupingFrame(frame: JsonObject, platform: string, trims?: Trims): GroupingFrame {
  const module = readText(frame["module"], limits.text.symbol, trims?.at("module"));
  const filename = readFilename(frame, trims?.at("filename"));
  const functionName = readText(frame["function"] ?? frame["raw_function"], limits.text.symbol, trims?.at("function"));
  const sentInApp = frame["in_app"];
  return {
    $typeName: "faultline.v1.GroupingFrame",
    module,
    filename,
    function: functionName,
    inApp:
      typeof sentInApp === "boolean"
        ? sentInApp
        : isInApp(placeOf(frame, platform, { module, filename, function: functionName })),
    // The lines of own frames: see markOwners.
    contextLine: "",
    owner: FrameOwner.LIBRARY,
    platform: "",
  };
}

/** The location of a frame, for the table of libraries. */
export function placeOf(
  frame: JsonObject,
  platform: string,
  read: Pick<GroupingFrame, "module" | "filename" | "function">,
): FramePlace {
  return {
    platform: readText(frame["platform"], limits.text.platform) || platform,
    path: readText(frame["abs_path"], limits.text.path) || read.filename,
    module: read.module,
    function: read.function,
    package: readText(frame["package"], limits.text.symbol),
  };
}

/** The file's name; where only the full path was sent (Go), that path; of a URL, its path part. */
function readFilename(frame: JsonObject, trims: Trims | undefined): string {
  const filename = readText(frame["filename"], limits.text.path, trims);
  if (filename !== "") return filename;
  const path = readText(frame["abs_path"], limits.text.path);
  return path.includes("://") ? path.replace(/^(?:file|https?|applewebdata):\/\/[^/]*(?=\/)/, "") : path;
}

/**
 * Whether grouping takes a frame for the application's own code if the SDK does not say: not in the well-known places
 * of libraries (end of section 9.2). Go leaves `in_app` out when it is false. A change here is a new grouping version;
 * the display follows libraries.ts.
 */
function isInApp(frame: FramePlace): boolean {
  switch (frame.platform) {
    case "go":
      return false;
    case "java":
      return !JAVA_LIBRARY.test(frame.module);
    case "node":
    case "javascript":
      return !/^(?:node:|internal\/)|(?:^|[\\/])node_modules[\\/]/.test(frame.path);
    case "python":
      return !/(?:^|[\\/])(?:site|dist)-packages[\\/]|[\\/]lib[\\/]python\d|^<frozen /.test(frame.path);
    case "ruby":
      return !/[\\/]gems[\\/]|[\\/]lib[\\/]ruby[\\/]/.test(frame.path);
    case "php":
      return !/(?:^|[\\/])vendor[\\/]/.test(frame.path);
    case "native":
    case "rust":
      return !/^<?(?:std|core|alloc)::/.test(frame.function) && !/^\/rustc\/|\.cargo\/registry\//.test(frame.path);
    default:
      return true;
  }
}

const JAVA_LIBRARY = /^(?:java|javax|jakarta|sun|com\.sun|jdk|kotlin|kotlinx|scala|org\.springframework)\./;

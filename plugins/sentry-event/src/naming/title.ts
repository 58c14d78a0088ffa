import type { ErrorEvent, GroupingException, GroupingFrame } from "@faultline/proto";
import { limits } from "../limits.ts";
import { cleanText, firstLine } from "../json/text.ts";
import { publicName } from "./public-name.ts";

/**
 * The title of an event, at most 256 characters: its own, otherwise `type: first line of value` of the exception that
 * was caught last, otherwise the first line of its message, otherwise `<unlabeled event>` (section 9.3). White space names
 * nothing: a link to the error would have no name.
 */
export function titleOf(event: Pick<ErrorEvent, "title" | "exceptions" | "message">): string {
  const exception = event.exceptions.at(-1);
  const title = event.title || (exception ? exceptionTitle(exception) : firstLine(event.message));
  return cleanText(publicName(title.trim() === "" ? "<unlabeled event>" : title), limits.text.title);
}

/** The frame an event is about by the marks of its SDK: the newest own frame that has a name, otherwise the newest. */
export function crashFrame(frames: GroupingFrame[]): GroupingFrame | undefined {
  return frames.findLast((frame) => isNamed(frame) && frame.inApp) ?? frames.at(-1);
}

function exceptionTitle(exception: GroupingException): string {
  const line = firstLine(exception.value);
  if (exception.synthetic) {
    // The type is the SDK's invention, so the location says more.
    const frame = crashFrame(exception.frames);
    return (frame && isNamed(frame) && frame.function) || line || "<unknown>";
  }
  const type = cleanText(exception.type.trim() === "" ? "Error" : exception.type, limits.text.titleType);
  return line === "" ? type : `${type}: ${line}`;
}

/** Whether a frame has the name of a function. */
export function isNamed(frame: GroupingFrame): boolean {
  return frame.function !== "" && frame.function !== "<redacted>" && frame.function !== "<unknown>";
}

import { firstToRead, frameFile, raisedPlace } from "./trace/raised-frame.ts";
import { traceText } from "./trace/trace-text.ts";
import type { Exception, TrackedError, TrackedEvent } from "#lib/messages.ts";
import { counted } from "#lib/number-format.ts";

type Described = Pick<TrackedError, "title" | "eventCount" | "affectedUserCount" | "firstSeenTime" | "firstRelease">;
type Shown = Pick<
  TrackedEvent,
  "eventId" | "occurredTime" | "exceptions" | "threads" | "platform" | "release" | "environment" | "transaction"
>;

/** An event for an issue or a chat: the title, the facts, the frames of the application and the link, as Markdown. */
export function eventMarkdown(error: Described, event: Shown, link: string): string {
  const facts = [
    ["Raised at", raisedPlace(event)],
    ["Transaction", event.transaction],
    ["Release", event.release],
    ["Environment", event.environment],
    ["First seen", [error.firstSeenTime ?? "", error.firstRelease && `in ${error.firstRelease}`].join(" ").trim()],
    ["This event", [event.eventId, event.occurredTime ?? ""].join(", ")],
  ].flatMap(([name, value = ""]) => (value === "" ? [] : [`- ${name}: ${code(value)}`]));
  const users = error.affectedUserCount === 0 ? [] : [counted(error.affectedUserCount, "user")];
  const counts = `- Seen: ${[counted(error.eventCount, "event"), ...users].join(", ")}`;
  const trace = traceText(event.exceptions.map(ownFrames), event.platform);
  return [
    `### ${escaped(error.title)}`,
    [counts, ...facts].join("\n"),
    ...(event.exceptions.length > 0 ? [fenced(trace)] : []),
    `<${link}>`,
  ].join("\n\n");
}

/** If no frame is from the application, the frame to read first. */
function ownFrames(exception: Exception): Exception {
  const own = exception.frames.filter(({ inApp }) => inApp);
  const first = firstToRead(exception.frames);
  const frames = own.length > 0 || first === undefined ? own : [first];
  return { ...exception, frames: frames.map((frame) => ({ ...frame, absPath: frameFile(frame) })) };
}

const longestTicks = (text: string) => Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));

/** Longer than any run of backticks inside, so that no text of an event ends the block. */
function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, longestTicks(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

function code(text: string): string {
  const ticks = "`".repeat(longestTicks(text) + 1);
  const line = text.replaceAll(/\s+/g, " ");
  return ticks.length > 1 ? `${ticks} ${line} ${ticks}` : `${ticks}${line}${ticks}`;
}

/** A title may contain anything, such as an image that a reader's browser would fetch. */
const escaped = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_{}[\]()#+!|<>~@]/g, String.raw`\$&`);

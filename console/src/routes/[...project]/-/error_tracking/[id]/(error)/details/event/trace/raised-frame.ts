import type { Frame, TrackedEvent } from "#lib/messages.ts";
import { exceptionTree } from "./exception-chain.ts";

/** The id of the frame to read first, for the link under the title. */
export const raisedId = "raised";

/**
 * The frames of the exception in the title. For an event without exceptions, the frames of the thread that crashed or
 * reported it.
 */
export function titleFrames({ exceptions, threads }: Pick<TrackedEvent, "exceptions" | "threads">): readonly Frame[] {
  if (exceptions.length > 0) return exceptionTree(exceptions)?.exception.frames ?? [];
  const stacks = threads.filter(({ frames }) => frames.length > 0);
  return (stacks.find(({ crashed }) => crashed) ?? stacks.find(({ current }) => current) ?? stacks[0])?.frames ?? [];
}

/**
 * The frame to read first: the innermost frame of the application, otherwise the innermost frame. `frames` come oldest
 * call first.
 */
export const firstToRead = (frames: readonly Frame[]): Frame | undefined =>
  frames.findLast(({ inApp }) => inApp) ?? frames.at(-1);

export const frameFile = ({ filename, absPath, module, package: library }: Frame): string =>
  filename || absPath || module || library || "unknown";

/** `shop/pricing.py:23 in price_of`. Empty if the event has no stack. */
export function raisedPlace(event: Pick<TrackedEvent, "exceptions" | "threads">): string {
  const frame = firstToRead(titleFrames(event));
  if (frame === undefined) return "";
  const place = frame.lineno > 0 ? `${frameFile(frame)}:${frame.lineno}` : frameFile(frame);
  return frame.function === "" ? place : `${place} in ${frame.function}`;
}

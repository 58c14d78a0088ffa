import { FrameOwner, type GroupingFrame } from "@faultline/proto";
import type { JsonObject } from "../json/json.ts";
import { readText } from "../json/text.ts";
import { limits } from "../limits.ts";
import { newestFrames } from "./frame.ts";
import type { OwnCode } from "./own-code.ts";

/** A stack as it was sent, and as it was read. */
export interface ReadStack {
  readonly sent: JsonObject[];
  readonly read: GroupingFrame[];
}

/**
 * Says of each frame whose code it is, and of the application's own ones the source line. What is runtime and what is a
 * library matters, and is looked up, only in an event without own code.
 */
export function markOwners(stacks: readonly ReadStack[], ownCode: OwnCode): void {
  let hasOwn = false;
  for (const { sent, read } of stacks) {
    const frames = newestFrames(sent);
    for (const [index, frame] of read.entries()) {
      const one = frames[index];
      if (!one || !ownCode.has(one, frame)) {
        frame.owner = FrameOwner.LIBRARY;
        continue;
      }
      hasOwn = true;
      frame.owner = FrameOwner.APPLICATION;
      frame.contextLine = readText(one["context_line"], limits.text.contextLine);
    }
  }
  if (!hasOwn) for (const stack of stacks) markRuntime(stack, ownCode);
}

function markRuntime({ sent, read }: ReadStack, ownCode: OwnCode): void {
  const frames = newestFrames(sent);
  for (const [index, frame] of read.entries()) {
    if (ownCode.isOfRuntime(frames[index] ?? {}, frame)) frame.owner = FrameOwner.RUNTIME;
  }
}

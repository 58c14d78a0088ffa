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
 * Says of each frame whose code it is, and of the newest own frame of each stack the source line. What is runtime and what
 * is a library matters, and is looked up, only in an event without own code.
 */
export function markOwners(stacks: readonly ReadStack[], ownCode: OwnCode): void {
  let hasOwn = false;
  for (const { sent, read } of stacks) {
    const frames = newestFrames(sent);
    let isNewest = true;
    for (let index = read.length - 1; index >= 0; index--) {
      const frame = read[index];
      const one = frames[index];
      if (!frame || !one || one["in_app"] === false || !ownCode.has(one, frame)) continue; // of a library, as it was read
      frame.owner = FrameOwner.APPLICATION;
      frame.platform = readText(one["platform"], limits.text.platform);
      if (!isNewest) continue;
      frame.contextLine = readText(one["context_line"], limits.text.contextLine);
      hasOwn = true;
      isNewest = false;
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

import { limits, readText, sentStacks, type JsonObject } from "@faultline/sentry-event";
import { fileKindOf } from "../events/frames.ts";
import { positiveNumber } from "./positive-number.ts";

/** Frames of an event whose sources are looked for, as of one that is shown; an event may have fifty stacks of 250. */
const mostFrames = 250;

/** A frame of minified code. */
export interface BuiltFrame {
  /** As it was sent: a change of it is a change of the event. */
  readonly sent: JsonObject;
  readonly absPath: string;
  readonly filename: string;
  readonly function: string;
  /** From 1; 0: it was not sent. */
  readonly lineno: number;
  readonly colno: number;
}

/** The frames of minified code of an event by stack: those of the exception that was caught last, and so on, 250 in all. */
export function builtFrames(
  event: JsonObject,
  debugIds: ReadonlyMap<string, string>,
): readonly (readonly BuiltFrame[])[] {
  let room = mostFrames;
  return sentStacks(event)
    .toReversed()
    .map((stack) => {
      const built = room > 0 ? stack.map(frameOf).filter((frame) => fileKindOf(frame, debugIds) === "built") : [];
      const kept = built.slice(Math.max(built.length - room, 0));
      room -= kept.length;
      return kept;
    });
}

export const hasPosition = ({ lineno, colno }: BuiltFrame): boolean => lineno > 0 && colno > 0;

function frameOf(sent: JsonObject): BuiltFrame {
  const filename = readText(sent["filename"], limits.text.path);
  return {
    sent,
    filename,
    absPath: readText(sent["abs_path"], limits.text.path) || filename,
    function: readText(sent["function"], limits.text.symbol),
    lineno: positiveNumber(sent["lineno"]),
    colno: positiveNumber(sent["colno"]),
  };
}

import type { GroupingException } from "@faultline/proto";
import type { Fault } from "../exceptions/fault-tree.ts";
import { foldType } from "../generated-names/folded-names.ts";
import { parametrise } from "./parametrise.ts";
import { counted, left, type Notes } from "./reasons.ts";
import { stackParts, type StackReading } from "./stack-parts.ts";

/** What counts of an exception and those below it. A group of exceptions of one kind counts as one of them. */
export function faultParts(fault: Fault, reading: StackReading): string[] {
  const { exception, causes, members } = fault;
  if (members.length > 0) {
    const kinds = kindsOf(fault, reading);
    const [only] = kinds.values();
    if (kinds.size === 1 && only) {
      left(reading.notes, "exception", exception.type, "All exceptions of the group are alike, so only one counts.");
      return reading.notes ? faultParts(only.fault, reading) : only.parts;
    }
    const parts = [...exceptionParts(exception, reading), "\u0002", ...[...kinds.keys()].toSorted(), "\u0003"];
    for (const kind of kinds.values()) if (reading.notes) faultParts(kind.fault, reading);
    return parts;
  }
  const parts = exceptionParts(exception, reading);
  for (const cause of causes) parts.push("\u0001", ...faultParts(cause, reading));
  return parts;
}

/** An exception of a group, and what counts of it: reading that twice would double the work at each level of groups. */
interface Member {
  readonly fault: Fault;
  readonly parts: string[];
}

/** The kinds of exceptions in a group, by what counts of them, in the order in which they were first sent. */
export function kindsOf({ members }: Fault, reading: StackReading): ReadonlyMap<string, Member> {
  const kinds = new Map<string, Member>();
  for (const fault of members.toReversed()) {
    const parts = faultParts(fault, { ...reading, notes: undefined });
    const key = parts.join("\u001f");
    if (!kinds.has(key)) kinds.set(key, { fault, parts });
  }
  return kinds;
}

function exceptionParts(exception: GroupingException, reading: StackReading): string[] {
  const { notes } = reading;
  const { synthetic, fault, value } = exception;
  const type = foldType(reading.platform, fault || exception.type);
  noteType(exception, type, reading);
  const { parts, isPlace } = stackParts(exception.frames, reading);
  const why = whyValueCounts({ hasFrames: parts.length > 0, isPlace, isThrown: !synthetic || fault !== "" });
  if (why === undefined) {
    left(notes, "value", value, "The place of the exception is known, and its text may vary.");
    return [type, ...parts];
  }
  const said = parametrise(value);
  noteText(notes, "value", { sent: value, said, why });
  return [type, ...parts, "\u0004", said];
}

function noteType({ type, fault }: GroupingException, part: string, { notes, platform }: StackReading): void {
  const form = (shown: string) => foldType(platform, shown);
  if (part !== "") counted(notes, "type", { sent: fault || type, part, form }, "The type of the exception counts.");
}

function whyValueCounts(of: { hasFrames: boolean; isPlace: boolean; isThrown: boolean }): string | undefined {
  if (!of.hasFrames) return "No frame counts, so the text counts.";
  if (!of.isThrown) return "The SDK made this exception, so its text counts.";
  return of.isPlace ? undefined : "The newest frame has neither a name nor a source line, so the text counts.";
}

/** Notes that a text counted without what varies in it. */
export function noteText(
  notes: Notes,
  what: "value" | "message",
  { sent, said, why }: { readonly sent: string; readonly said: string; readonly why: string },
): void {
  if (said !== "") counted(notes, what, { sent, part: said, form: parametrise }, why);
}

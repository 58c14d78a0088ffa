import { ExceptionRole, type GroupingException, type GroupingFrame } from "@faultline/proto";
import { faultOf } from "../naming/fault.ts";
import type { Occurrence, SentException } from "../occurrence.ts";
import { groupingFrames, stacksOf } from "../stack/frame.ts";
import { markOwners } from "../stack/frame-owners.ts";
import { OwnCode } from "../stack/own-code.ts";
import { type Relation, relationsOf } from "./roles.ts";

/** The exceptions and stacks of an event, in the form in which it is grouped and named. */
export interface ReadStacks {
  readonly exceptions: GroupingException[];
  /** The stack outside of exceptions. May be empty. */
  readonly frames: GroupingFrame[];
  readonly ownCode: OwnCode;
}

/** Reads what grouping needs of the exceptions and stacks of an event. */
export function readStacks(occurrence: Occurrence, platform: string): ReadStacks {
  const relations = relationsOf(occurrence.exceptions);
  const exceptions = occurrence.exceptions.map((exception, index) =>
    groupingException(exception, platform, relations[index]),
  );
  const frames = groupingFrames(occurrence.frames, platform);
  const ownCode = new OwnCode(() => stacksOf(occurrence), platform);
  const stacks = exceptions.map(({ frames: read }, index) => ({
    sent: occurrence.exceptions[index]?.frames ?? [],
    read,
  }));
  markOwners([...stacks, { sent: occurrence.frames, read: frames }], ownCode);
  return { exceptions, frames, ownCode };
}

function groupingException(
  exception: SentException,
  platform: string,
  { exceptionId, parentId, role }: Relation = { role: ExceptionRole.UNSPECIFIED },
): GroupingException {
  return {
    $typeName: "faultline.v1.GroupingException",
    type: exception.type,
    value: exception.value,
    synthetic: exception.synthetic,
    frames: groupingFrames(exception.frames, platform),
    ...(exceptionId !== undefined && { exceptionId }),
    ...(parentId !== undefined && { parentId }),
    role,
    fault: faultOf(exception),
  };
}

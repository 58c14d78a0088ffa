import { type ChosenLetters, type DeadLetter, type DeadLetterKind, invalidField, timestamp } from "@faultline/plugin";
import { UnstoredKind, type UnstoredEvent } from "@faultline/proto";

const kinds: Readonly<Record<DeadLetterKind, UnstoredKind>> = {
  event: UnstoredKind.EVENT,
  session: UnstoredKind.SESSION,
  feedback: UnstoredKind.FEEDBACK,
  unreadable: UnstoredKind.UNREADABLE,
};

/** An UnstoredEvent as handlers return it. */
export type UnstoredMessage = Partial<Omit<UnstoredEvent, "$typeName" | "$unknown">>;

export function deadLetterToProto(letter: DeadLetter): UnstoredMessage {
  const { id, projectId, kind, eventId, title, reason, receivedAt, deadAt } = letter;
  return {
    deadLetterId: BigInt(id),
    projectId,
    kind: kinds[kind],
    eventId,
    title,
    reason,
    givenUpTime: timestamp(deadAt),
    ...(receivedAt !== undefined && { receivedTime: timestamp(receivedAt) }),
  };
}

/** The dead letters that a request names by their ids; all dead letters if it names no id. */
export function chosenLetters(deadLetterIds: readonly bigint[], projectId: number | undefined): ChosenLetters {
  if (deadLetterIds.length > 100) {
    throw invalidField("dead_letter_ids", "Name at most 100 dead letters per call, or none for all.");
  }
  return {
    ...(projectId !== undefined && { projectId }),
    ...(deadLetterIds.length > 0 && { ids: deadLetterIds.map(Number) }),
  };
}

import { ActivityKind, ErrorStatus, NotificationTrigger } from "@faultline/proto";
import type { SignalRow } from "../tables.ts";
import { timeOf, type PastError } from "./past-errors.ts";

export type PastChange = Omit<SignalRow, "id" | "done_at" | "rule_id" | "made_by">;

/** The transitions of errors since a time, and the first new error of each release. In no order. */
export function pastChanges(errors: readonly PastError[], { projectId, start }: { projectId: number; start: number }) {
  const changes: PastChange[] = [];
  const add = (errorId: string, at: number, change: Pick<PastChange, "notification_trigger" | "status" | "detail">) => {
    if (at >= start) changes.push({ project_id: projectId, error_id: errorId, happened_at: at, ...change });
  };
  const firstOf = new Map<string, { errorId: string; at: number }>();
  for (const { error, entries } of errors) {
    const { errorId, firstRelease } = error;
    const createdAt = timeOf(error.firstSeenTime);
    add(errorId, createdAt, made(NotificationTrigger.CREATED));
    if (firstRelease !== "" && createdAt < (firstOf.get(firstRelease)?.at ?? Infinity)) {
      firstOf.set(firstRelease, { errorId, at: createdAt });
    }
    for (const { kind, time, status } of entries) {
      const trigger = kind === ActivityKind.REOPENED ? NotificationTrigger.REOPENED : NotificationTrigger.STATUS;
      add(errorId, timeOf(time), made(trigger, status));
    }
  }
  for (const [release, { errorId, at }] of firstOf) {
    add(errorId, at, { ...made(NotificationTrigger.RELEASE), detail: JSON.stringify({ release }) });
  }
  return changes;
}

const made = (trigger: NotificationTrigger, status: ErrorStatus = ErrorStatus.UNRESOLVED) => ({
  notification_trigger: trigger,
  status,
  detail: "",
});

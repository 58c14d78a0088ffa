import { millisecondsOf } from "@faultline/plugin";
import { ErrorStatus, type Error as TrackedError } from "@faultline/proto";
import type { Entry } from "./entry.ts";

const { UNSPECIFIED, UNRESOLVED, RESOLVED } = ErrorStatus;

const bare = { actor: "", statusBefore: UNSPECIFIED, release: "" } as const;

/** The first event of an error. */
export function firstEvent({ firstSeenTime, firstRelease }: TrackedError): Entry {
  return { ...bare, kind: "created", at: timeOf(firstSeenTime) ?? 0, status: UNRESOLVED, release: firstRelease };
}

/** When an event reopened the error, as the error itself says it; undefined: none did. */
export function lastReopening({ reopenedTime }: TrackedError): Entry | undefined {
  const at = timeOf(reopenedTime);
  return at === undefined ? undefined : { ...bare, kind: "reopened", at, statusBefore: RESOLVED, status: UNRESOLVED };
}

/** The last change by a person, as the error itself says it: an event can only have reopened it since. */
export function lastStatus({ statusChangedTime, reopenedTime, status }: TrackedError): Entry | undefined {
  const at = timeOf(statusChangedTime);
  return at === undefined ? undefined : { ...bare, kind: "status", at, status: reopenedTime ? RESOLVED : status };
}

const timeOf = (time: TrackedError["firstSeenTime"]) => time && millisecondsOf(time);

import type { NotificationAudience } from "@faultline/plugin";
import { ErrorSubscription, NotificationLevel, NotificationSuppressionReason as Reason } from "@faultline/proto";
import { audienceOf } from "../kinds.ts";
import type { SignalRow } from "../tables.ts";
import type { Person } from "./person.ts";

/** What a person gets of a change that passed the gate. */
export type Verdict =
  | { readonly inbox: true; readonly mail: boolean }
  /** `reason` is undefined where the person did not ask for such changes, which is not counted. */
  | { readonly inbox: false; readonly mail: false; readonly reason: Reason | undefined };

/** The change, with the error's level. */
export type PersonalChange = Pick<SignalRow, "error_id" | "notification_trigger" | "made_by"> & {
  readonly level: string;
  /** Who gets it. Default: as its kind says. */
  readonly audience?: NotificationAudience;
};

/** Errors of these levels make entries for those who do not watch them. */
export const seriousLevels: ReadonlySet<string> = new Set(["fatal", "error"]);

/**
 * The one place that decides what reaches a person, and in which ways. When it reaches them, quiet hours decide. Pure.
 */
export function decideFor(person: Person, change: PersonalChange): Verdict {
  const { level, username, subscriptions } = person;
  const subscription = subscriptions.get(change.error_id) ?? ErrorSubscription.UNSPECIFIED;
  const audience = change.audience ?? audienceOf({ ...change, detail: "" });
  const isNamed = audience === "named";
  const isWatched = subscription === ErrorSubscription.WATCHED;
  if (level === NotificationLevel.NONE && !(isNamed && person.isDefaultLevel)) return left(undefined);
  if (audience === "subscribers" && !isWatched && level !== NotificationLevel.ALL) return left(undefined);
  if (subscription === ErrorSubscription.MUTED) return left(Reason.MUTED);
  if (change.made_by === username) return left(Reason.OWN_CHANGE);
  if (!isWatched && !isNamed) {
    if (level === NotificationLevel.MINE) return left(Reason.NOT_WATCHED);
    if (!seriousLevels.has(change.level)) return left(Reason.LOW_LEVEL);
  }
  return { inbox: true, mail: person.wantsMail };
}

const left = (reason: Reason | undefined): Verdict => ({ inbox: false, mail: false, reason });

/** The reasons that hold for everybody; they are counted once, and not for each person. */
export const isForAll = (reason: Reason): boolean =>
  reason === Reason.IGNORED || reason === Reason.OVER || reason === Reason.MAINTENANCE || reason === Reason.LOW_LEVEL;

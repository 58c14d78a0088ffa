import type { NotificationAudience } from "@faultline/plugin";
import { ErrorSubscription, NotificationLevel, NotificationSuppressionReason as Reason } from "@faultline/proto";
import { audienceOf } from "../kinds.ts";
import type { SignalRow } from "../tables.ts";
import type { Person } from "./person.ts";

/** The ways in which a person gets a change that passed the gate. */
export type Verdict =
  | { readonly inbox: true; readonly mail: boolean }
  /** `reason` is undefined if the person did not ask for such changes, which is not counted. */
  | { readonly inbox: false; readonly mail: false; readonly reason: Reason | undefined };

/** The change, with the error's level. */
export type PersonalChange = Pick<SignalRow, "error_id" | "notification_trigger" | "made_by"> & {
  readonly level: string;
  /** Who gets it. Default: the audience of its kind. */
  readonly audience?: NotificationAudience;
};

/** Errors of these levels also make entries for people who do not watch the errors. */
export const seriousLevels: ReadonlySet<string> = new Set(["fatal", "error"]);

/** The only place that decides which changes reach a person, and in which ways. Quiet hours decide when. Pure. */
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

/** Reasons that apply to everybody. They are counted once, and not per person. */
export const isForAll = (reason: Reason): boolean =>
  reason === Reason.IGNORED || reason === Reason.OVER || reason === Reason.MAINTENANCE || reason === Reason.LOW_LEVEL;

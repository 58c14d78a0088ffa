import type { ErrorSubscription, NotificationLevel, NotificationSuppressionReason } from "@faultline/proto";
import type { Selectable } from "kysely";
import type { KindNumber } from "../kinds.ts";

/** The tables of people's preferences. Times are milliseconds since 1970. */
export interface PeopleTables {
  notifier_person: PersonTable;
  notifier_level: LevelTable;
  notifier_subscription: SubscriptionTable;
  notifier_person_suppression: PersonSuppressionTable;
}

/** What a person wants in all projects. No row: the defaults. */
interface PersonTable {
  readonly user_id: number;
  readonly wants_mail: number;
  readonly time_zone: string;
  /** Minutes of the day; both null: there are no quiet hours. */
  readonly quiet_from: number | null;
  readonly quiet_until: number | null;
}

interface LevelTable {
  readonly user_id: number;
  readonly project_id: number;
  readonly level: NotificationLevel;
}

interface SubscriptionTable {
  readonly user_id: number;
  readonly project_id: number;
  readonly error_id: string;
  readonly subscription: ErrorSubscription;
}

/** How often in an hour a person did not get a change, and why. */
interface PersonSuppressionTable {
  readonly project_id: number;
  readonly error_id: string;
  /** 0: all people who would have got it. */
  readonly user_id: number;
  readonly notification_trigger: KindNumber;
  readonly reason: NotificationSuppressionReason;
  readonly hour_at: number;
  readonly n: number;
}

export type PersonRow = Selectable<PersonTable>;

import type { ErrorStatus } from "@faultline/proto";
import type { Generated, Selectable } from "kysely";
import type { KindNumber } from "../kinds.ts";

/** The tables of the inbox. Times are milliseconds since 1970. */
export interface InboxTables {
  notifier_inbox: InboxTable;
  notifier_person_budget: PersonBudgetTable;
}

/** An entry of a person's inbox. */
interface InboxTable {
  readonly id: Generated<number>;
  readonly user_id: number;
  readonly project_id: number;
  /** Empty: it gathers changes of several errors. */
  readonly error_id: string;
  /** 0: it gathers several changes. */
  readonly notification_trigger: KindNumber;
  readonly status: ErrorStatus;
  readonly made_by: string;
  readonly title: string;
  readonly culprit: string;
  readonly level: string;
  /** JSON: the number of gathered changes by their KindNumber. */
  readonly gathered: string;
  readonly happened_at: number;
  readonly created_at: number;
  /** When it last gathered a change. */
  readonly changed_at: number;
  /** When it appears: now, after quiet hours, or when it last gathered a change. It is not shown before. */
  readonly due_at: number;
  readonly read_at: number | null;
  /** What a plugin says about it. Empty: it is about a change of the error. */
  readonly text: Generated<string>;
}

/** The entries that a person gets one by one from a project, as in ChannelTable. */
interface PersonBudgetTable {
  readonly user_id: number;
  readonly project_id: number;
  readonly budget: number;
  readonly budget_at: number;
  /** Until then changes are gathered in the entry entry_id. */
  readonly digest_at: number | null;
  readonly digest_minutes: number;
  readonly entry_id: number | null;
}

export type InboxRow = Selectable<InboxTable>;
export type PersonBudgetRow = Selectable<PersonBudgetTable>;

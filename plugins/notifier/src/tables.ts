import type {
  ErrorStatus,
  NotificationChannelState,
  NotificationDeliveryState,
  NotificationSuppressionReason,
} from "@faultline/proto";
import type { Generated, Selectable } from "kysely";
import type { KindNumber } from "./kinds.ts";
import type { InboxTables } from "./inbox/tables.ts";
import type { MailTables } from "./mail/tables.ts";
import type { PeopleTables } from "./people/tables.ts";
import type { PollingTables } from "./signals/polling/tables.ts";

/** The tables of the migrations, for Kysely. Times are milliseconds since 1970. */
export interface Tables extends InboxTables, MailTables, PeopleTables, PollingTables {
  /** The core's. */
  project: { readonly id: number };
  notifier_signal: SignalTable;
  notifier_channel: ChannelTable;
  notifier_rule: RuleTable;
  notifier_delivery: DeliveryTable;
  notifier_attempt: AttemptTable;
  notifier_held: HeldTable;
  notifier_reported: ReportedTable;
  notifier_suppression: SuppressionTable;
  notifier_maintenance: MaintenanceTable;
  notifier_met: MetTable;
  notifier_server: ServerTable;
}

/** A change of an error, or of its project, that rules are about. Kept for seven days after it was evaluated. */
interface SignalTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  /** Empty: it is about the project. */
  readonly error_id: string;
  readonly notification_trigger: KindNumber;
  /** The status that the change gave the error. */
  readonly status: ErrorStatus;
  readonly happened_at: number;
  /** Null: it waits to be evaluated. */
  readonly done_at: number | null;
  /** 0: any rule may report it. */
  readonly rule_id: Generated<number>;
  /** JSON: a SignalDetail. Empty: there is none. */
  readonly detail: Generated<string>;
  /** The user name of the person who made it. Empty: nobody. */
  readonly made_by: Generated<string>;
}

/** A channel, and how far its sending is. */
interface ChannelTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  readonly kind: string;
  readonly name: string;
  /** The encrypted JSON of a ChannelConfig. */
  readonly config: string;
  readonly state: NotificationChannelState;
  readonly state_reason: string;
  /** Tries in a row that failed. */
  readonly failed_tries: number;
  /** Nothing is sent before. */
  readonly next_try_at: number;
  /** The process that sends holds the lease; another one may take it from lease_until on. */
  readonly lease_token: string | null;
  readonly lease_until: number;
  readonly last_sent_at: number | null;
  /** Messages that may be sent one by one, as of budget_at. */
  readonly budget: number;
  readonly budget_at: number;
  /** When what is held is sent as a digest. Null: nothing is held, and messages go one by one. */
  readonly digest_at: number | null;
  /** The time between the next two digests. */
  readonly digest_minutes: number;
  readonly created_at: number;
  readonly created_by: string;
  /** The server of its last try, as host and port. Empty: there was none since the settings changed, or it needs no server. */
  readonly server: string;
  /** The person whose mail of the project it is. Null: it is a channel that the project set up. */
  readonly user_id: number | null;
}

/** A server that did not answer the last tries of all channels that send to it, of any project. One that answers has no row. */
interface ServerTable {
  /** Host and port. */
  readonly server: string;
  /** Tries in a row that failed. */
  readonly failed_tries: number;
  /** Where it counts as failing: no channel tries before. */
  readonly next_try_at: number;
}

interface RuleTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  readonly name: string;
  readonly is_enabled: number;
  /** JSON: a list of KindNumber. */
  readonly triggers: string;
  readonly filter: string;
  /** JSON: a list of ids. */
  readonly channel_ids: string;
  readonly note: string;
  readonly created_at: number;
  readonly created_by: string;
  /** JSON: a SpikeLimit. Empty: there is none. */
  readonly spike: Generated<string>;
}

interface DeliveryTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  readonly channel_id: number;
  /** What receivers recognise a repeated delivery by. */
  readonly uid: string;
  /** Empty: a digest. */
  readonly error_id: string;
  readonly change_count: number;
  /** JSON: a Message. */
  readonly message: string;
  readonly state: NotificationDeliveryState;
  readonly reason: string;
  readonly tries: number;
  readonly created_at: number;
  /** Null: it is due. */
  readonly finished_at: number | null;
}

interface AttemptTable {
  readonly id: Generated<number>;
  readonly delivery_id: number;
  readonly begun_at: number;
  readonly duration_ms: number;
  readonly http_status: number;
  readonly answer: string;
}

/** A change that waits for the channel's next digest. */
interface HeldTable {
  readonly id: Generated<number>;
  readonly channel_id: number;
  readonly signal_id: number;
  readonly error_id: string;
  readonly notification_trigger: KindNumber;
}

/** When a channel was last sent a change of an error. Kept for 30 minutes. */
interface ReportedTable {
  readonly channel_id: number;
  readonly error_id: string;
  readonly notification_trigger: KindNumber;
  readonly reported_at: number;
}

/** How often in an hour a rule did not report a change, and why. */
interface SuppressionTable {
  readonly project_id: number;
  readonly rule_id: number;
  readonly error_id: string;
  readonly notification_trigger: KindNumber;
  readonly reason: NotificationSuppressionReason;
  readonly hour_at: number;
  readonly n: number;
}

/** That an error matched the filter of a rule for new errors. Kept for seven days: what came with the match is not a second one. */
interface MetTable {
  readonly rule_id: number;
  readonly error_id: string;
  readonly met_at: number;
}

interface MaintenanceTable {
  readonly project_id: number;
  readonly starts_at: number;
  readonly ends_at: number;
  readonly set_by: string;
}

export type MaintenanceRow = Selectable<MaintenanceTable>;
export type SignalRow = Selectable<SignalTable>;
export type ChannelRow = Selectable<ChannelTable>;
export type RuleRow = Selectable<RuleTable>;
export type DeliveryRow = Selectable<DeliveryTable>;
export type SuppressionRow = Selectable<SuppressionTable>;

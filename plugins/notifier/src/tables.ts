import type {
  ErrorStatus,
  ErrorSubscription,
  NotificationChannelState,
  NotificationDeliveryState,
  NotificationLevel,
  NotificationSuppressionReason,
} from "@faultline/proto";
import type { Generated, Selectable } from "kysely";

/**
 * The number of a kind of notification (kinds.ts): a value of NotificationTrigger, or a larger number for a kind of
 * another plugin. Rules, signals, entries and counts use the same numbers.
 */
export type KindNumber = number;

/** The tables of the migrations, for Kysely. Times are milliseconds since 1970. */
export interface Tables {
  /** A table of the core. */
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
  notifier_person: PersonTable;
  notifier_level: LevelTable;
  notifier_subscription: SubscriptionTable;
  notifier_person_suppression: PersonSuppressionTable;
  notifier_inbox: InboxTable;
  notifier_person_budget: PersonBudgetTable;
  notifier_poll: PollTable;
  notifier_sample: SampleTable;
  notifier_episode: EpisodeTable;
  notifier_milestone: MilestoneTable;
  notifier_release: ReleaseTable;
  notifier_unsubscribed: UnsubscribedTable;
  notifier_mail_count: MailCountTable;
  notifier_mail_server: MailServerTable;
}

/** A change of an error, or of its project, that rules may report. Kept for seven days after its evaluation. */
interface SignalTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  /** Empty if it is about the project. */
  readonly error_id: string;
  readonly notification_trigger: KindNumber;
  /** The status that the change gave the error. */
  readonly status: ErrorStatus;
  readonly happened_at: number;
  /** When it was evaluated. Null while it waits. */
  readonly done_at: number | null;
  /** The only rule that may report it. 0 means any rule. */
  readonly rule_id: Generated<number>;
  /** JSON: a SignalDetail. Empty if there is none. */
  readonly detail: Generated<string>;
  /** The user name of the person who made it. Empty if nobody did. */
  readonly made_by: Generated<string>;
}

/** A channel and the state of its sending. */
interface ChannelTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  readonly kind: string;
  readonly name: string;
  /** The encrypted JSON of a ChannelConfig. */
  readonly config: string;
  readonly state: NotificationChannelState;
  readonly state_reason: string;
  /** Consecutive failed tries. */
  readonly failed_tries: number;
  /** Nothing is sent before this time. */
  readonly next_try_at: number;
  /** The sending process holds the lease. Another process may take it from lease_until. */
  readonly lease_token: string | null;
  readonly lease_until: number;
  readonly last_sent_at: number | null;
  /** Messages that may be sent individually, at the time budget_at. */
  readonly budget: number;
  readonly budget_at: number;
  /** When the held changes are sent as a digest. Null if nothing is held and messages are sent individually. */
  readonly digest_at: number | null;
  /** The minutes between the next two digests. */
  readonly digest_minutes: number;
  readonly created_at: number;
  readonly created_by: string;
  /**
   * The server of its last try, as host and port. Empty if the settings have changed since the last try, or no server
   * is needed.
   */
  readonly server: string;
  /** The person who gets the mail that it sends. Null for a channel that the project set up. */
  readonly user_id: number | null;
}

/**
 * A server that did not answer the last tries of all channels that send to it, in any project. A server that answers
 * has no row.
 */
interface ServerTable {
  /** Host and port. */
  readonly server: string;
  /** Consecutive failed tries. */
  readonly failed_tries: number;
  /** No channel tries before this time, if the server counts as failing. */
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
  /** JSON: a SpikeLimit. Empty if there is none. */
  readonly spike: Generated<string>;
}

interface DeliveryTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  readonly channel_id: number;
  /** Receivers recognize a repeated delivery by it. */
  readonly uid: string;
  /** Empty for a digest. */
  readonly error_id: string;
  readonly change_count: number;
  /** JSON: a Message. */
  readonly message: string;
  readonly state: NotificationDeliveryState;
  readonly reason: string;
  readonly tries: number;
  readonly created_at: number;
  /** Null while it is due. */
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

/**
 * An error that matched the filter of a rule for new errors. Kept for seven days, so that values which came with the
 * match do not count as a second match.
 */
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

/** A person's preferences for all projects. A person without a row has the defaults. */
interface PersonTable {
  readonly user_id: number;
  readonly wants_mail: number;
  readonly time_zone: string;
  /** Minutes of the day. Both are null if there are no quiet hours. */
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
  /** 0 for all people who would have got it. */
  readonly user_id: number;
  readonly notification_trigger: KindNumber;
  readonly reason: NotificationSuppressionReason;
  readonly hour_at: number;
  readonly n: number;
}

/** An entry of a person's inbox. */
interface InboxTable {
  readonly id: Generated<number>;
  readonly user_id: number;
  readonly project_id: number;
  /** Empty if it gathers changes of several errors. */
  readonly error_id: string;
  /** 0 if it gathers several changes. */
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
  /** When it appears: immediately, after quiet hours, or when it last gathered a change. */
  readonly due_at: number;
  readonly read_at: number | null;
  /** What a plugin says about it. Empty if no plugin announced it. */
  readonly text: Generated<string>;
}

/** The budget of individual entries that a person gets from a project, like the budget in ChannelTable. */
interface PersonBudgetTable {
  readonly user_id: number;
  readonly project_id: number;
  readonly budget: number;
  readonly budget_at: number;
  /** Until this time, changes are gathered in the entry entry_id. */
  readonly digest_at: number | null;
  readonly digest_minutes: number;
  readonly entry_id: number | null;
}

/** The last state that a poll stored about a subject, such as `quota`. */
interface PollTable {
  readonly project_id: number;
  readonly subject: string;
  /** JSON that the subject's poll wrote. */
  readonly state: string;
}

/** How many events an error had at a time. Kept for three hours. */
interface SampleTable {
  readonly project_id: number;
  readonly error_id: string;
  readonly sampled_at: number;
  readonly event_count: number;
}

/** A spike that has not ended. */
interface EpisodeTable {
  readonly rule_id: number;
  readonly error_id: string;
  readonly project_id: number;
  readonly opened_at: number;
  /** The highest count. */
  readonly most: number;
  /** When the count fell below half of the limit. Null if it has not. */
  readonly below_since: number | null;
  /** 0 if it began in a maintenance window and was not reported. */
  readonly is_announced: number;
}

/** The progress of an error to the next power of ten. Kept for 90 days after its last event. */
interface MilestoneTable {
  readonly project_id: number;
  readonly error_id: string;
  /** The events that are not counted because they came before the error was reopened. */
  readonly base_count: number;
  /** 0 if it was not reopened. */
  readonly reopened_at: number;
  /** The last power that was reported or passed over. 0 if there is none. */
  readonly reached: number;
  readonly seen_at: number;
}

/** A release that has had a new error. Kept for a year. */
interface ReleaseTable {
  readonly project_id: number;
  readonly version: string;
  readonly seen_at: number;
}

/** A person who ended the mails of a project. */
interface UnsubscribedTable {
  readonly user_id: number;
  readonly project_id: number;
  readonly at: number;
}

/** A mail of the last hour to a person. */
interface MailCountTable {
  readonly id: Generated<number>;
  readonly user_id: number;
  /** 0 if a release sent it that did not store the project. */
  readonly project_id: number;
  readonly at: number;
}

/** The state of the mail server, in one row. */
interface MailServerTable {
  readonly id: number;
  /** When it last accepted a mail. Null if it never did. */
  readonly last_sent_at: number | null;
  /** Null if it accepted the last mail. */
  readonly failing_since: number | null;
  /** The server's answer, or why it was not reached. Empty if it accepted the last mail. */
  readonly failure: string;
  /** Nothing is sent before this time, because the server refuses the user name and password. */
  readonly paused_until: number;
}

export type MaintenanceRow = Selectable<MaintenanceTable>;
export type SignalRow = Selectable<SignalTable>;
export type ChannelRow = Selectable<ChannelTable>;
export type RuleRow = Selectable<RuleTable>;
export type DeliveryRow = Selectable<DeliveryTable>;
export type SuppressionRow = Selectable<SuppressionTable>;
export type PersonRow = Selectable<PersonTable>;
export type InboxRow = Selectable<InboxTable>;
export type PersonBudgetRow = Selectable<PersonBudgetTable>;
export type EpisodeRow = Selectable<EpisodeTable>;
export type MilestoneRow = Selectable<MilestoneTable>;

import type { Kysely } from "kysely";

/** A kind of notification that a plugin announces, such as new comments. */
export interface NotificationKind {
  /**
   * 2 to 40 lower-case letters and `_`, unique in the product. It never changes, because rules and stored notices name
   * it.
   */
  readonly kind: string;
  /** The name of the choice in the form of a rule: `Comments`. 1 to 60 characters. */
  readonly label: string;
  /** The headline of one notice in entries, mails and messages: `New comment`. 1 to 60 characters. */
  readonly headline: string;
  /** The words after a number of notices: `["new comment", "new comments"]`. Each has 1 to 60 characters. */
  readonly counted: readonly [one: string, many: string];
  readonly audience: NotificationAudience;
}

/**
 * The people who get a notification, as far as their preferences allow: all members who want new errors (`members`),
 * people who watch the error or want all changes (`subscribers`), people whom the notice names (`named`), or nobody
 * (`channels`). Channels also get it if a rule of the project reports the kind.
 */
export type NotificationAudience = "members" | "subscribers" | "named" | "channels";

/** A notification about an error, for people and channels. */
export interface Notice {
  /** One of the kinds of the plugin. */
  readonly kind: string;
  readonly projectId: number;
  readonly errorId: string;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** The user name of the person who caused it and is not notified. Empty if nobody caused it. */
  readonly actor: string;
  /** Plain text of at most 500 characters from anyone: each interface must escape it. May be empty. */
  readonly text: string;
  /**
   * The people whom a notice of the audience `named` names, at most 100. People who cannot read the project's errors,
   * muted the error, or want no notifications of the project are left out.
   */
  readonly userIds?: readonly number[];
}

/** Limits of the notices of one call. `Host.notify` throws beyond them. */
export const noticeLimits = { notices: 500, textLength: 500, userIds: 100 } as const;

/**
 * A Kysely transaction on the plugin's own tables: from `Database.write`, or the transaction that `errorTransitions`
 * gets.
 */
export type OpenTransaction = Pick<Kysely<unknown>, "isTransaction">;

/** Announces notices in a transaction of the plugin. */
export type Notify = (notices: readonly Notice[], transaction: OpenTransaction) => Promise<void>;

/** A checked notice with its kind. */
export type CheckedNotice = Omit<Notice, "kind"> & { readonly kind: NotificationKind };

/** Stores the announcements of plugins, in their transactions. */
export type TakeNotices = (notices: readonly CheckedNotice[], transaction: OpenTransaction) => Promise<void>;

import type { Generated } from "kysely";

/** The tables of mail. Times are milliseconds since 1970. */
export interface MailTables {
  notifier_unsubscribed: UnsubscribedTable;
  notifier_mail_count: MailCountTable;
  notifier_mail_server: MailServerTable;
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
  /** 0: it was sent by a release that did not note it. */
  readonly project_id: number;
  readonly at: number;
}

/** How the mail server is doing; one row. */
interface MailServerTable {
  readonly id: number;
  /** When it last took a mail. Null: never. */
  readonly last_sent_at: number | null;
  /** Null: the last mail was taken. */
  readonly failing_since: number | null;
  /** What it said, or why it was not reached. Empty: the last mail was taken. */
  readonly failure: string;
  /** It refuses user name and password, so that nothing is sent before. */
  readonly paused_until: number;
}

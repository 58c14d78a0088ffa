import type { Fact, Level, Line } from "../../messages/message.ts";

/** What a mail says, in parts without markup. Addresses are ours; every other text may be a stranger's. */
export interface Letter {
  /** On one line. */
  readonly subject: string;
  /** What happened: `New error in acme/shop`. */
  readonly head: string;
  /** What it is about. */
  readonly title: string;
  /** Where in the code. May be empty. */
  readonly place: string;
  readonly level: Level;
  readonly lines: readonly Line[];
  /** Times are in words already. */
  readonly facts: readonly Fact[];
  readonly note: string;
  readonly button: { readonly label: string; readonly url: string };
  /** Sentences at the end: why it was sent. */
  readonly foot: readonly string[];
  /** Ends these mails. Absent: it is no mail that one subscribes to. */
  readonly unsubscribe?: { readonly label: string; readonly url: string };
}

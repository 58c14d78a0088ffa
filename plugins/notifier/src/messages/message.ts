/**
 * A message, in parts without markup: each channel's renderer puts them into its own form. Only `headline`, the labels of facts
 * and the addresses are ours; everything else may come from a stranger's event or from a member of the project.
 */
export interface Message {
  /** A key of the messages in kinds.ts, or `notice.` and the kind of a plugin. */
  readonly kind: string;
  /** What happened, in words: `New error`. */
  readonly headline: string;
  /** The project's path. */
  readonly project: string;
  /** The error. Empty for a digest, a test and a message about the project. */
  readonly errorId: string;
  /** The title of the error. In a digest, the numbers of changes. In a message about the project, what happened. */
  readonly title: string;
  /** Where in the code it happened. May be empty. */
  readonly place: string;
  readonly level: Level;
  readonly facts: readonly Fact[];
  /** The errors of a digest, at most ten. */
  readonly lines: readonly Line[];
  /** The page of the error, or of the project's errors. */
  readonly url: string;
  /** Why it was sent: the name of the rule. Empty for a digest of several rules. */
  readonly rule: string;
  /** What the rule adds, such as a runbook. May be empty. */
  readonly note: string;
  /** When the change happened, in milliseconds since 1970. */
  readonly at: number;
  /** What messages of the same error have in common. */
  readonly thread: string;
}

export type Level = "fatal" | "error" | "warning" | "info" | "debug";

/** A fact about an error. */
export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** An error in a digest. */
export interface Line {
  readonly headline: string;
  readonly title: string;
  readonly url: string;
}

/** The facts on one line. */
export const factsLine = ({ facts }: Message): string =>
  facts.map(({ label, value }) => `${label}: ${value}`).join(" · ");

/** `New error in acme/shop`. */
export const headOf = ({ headline, project }: Message): string => `${headline} in ${project}`;

/** Why the message was sent, and the rule's note. */
export const footOf = ({ rule, note }: Message): string =>
  [rule && `Rule: ${rule}`, note].filter((text) => text !== "").join("\n");

/** Everything below the headline as plain text. */
export function plainText(message: Message): string {
  const { title, place, lines } = message;
  const listed = lines.map((line) => `${line.headline}: ${line.title}`);
  return [title, place, ...listed, factsLine(message), footOf(message)].filter((text) => text !== "").join("\n");
}

const colors: Readonly<Record<Level, number>> = {
  fatal: 0x8b1538,
  error: 0xc62828,
  warning: 0xb26a00,
  info: 0x1f5fae,
  debug: 0x5f6b7a,
};

/** The colour of a level, 24 bits. */
export const colorOf = (level: Level): number => colors[level];

/** As `#c62828`. */
export const hexColorOf = (level: Level): string => `#${colors[level].toString(16).padStart(6, "0")}`;

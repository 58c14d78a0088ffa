/**
 * A message, in parts without markup, which each channel's renderer formats. Only `headline`, the labels of facts and
 * the addresses are ours; everything else may come from a stranger's event or from a member of the project.
 */
export interface Message {
  /** A key of the messages in kinds.ts, or `notice.` and the kind of a plugin. */
  readonly kind: string;
  /** The event in words: `New error`. */
  readonly headline: string;
  /** The project's path. */
  readonly project: string;
  /** The error. Empty for a digest, a test and a message about the project. */
  readonly errorId: string;
  /**
   * The title of the error. In a digest, the numbers of changes. In a message about the project, a description of the
   * event.
   */
  readonly title: string;
  /** The place in the code. May be empty. */
  readonly place: string;
  readonly level: Level;
  readonly facts: readonly Fact[];
  /** The errors of a digest, at most ten. */
  readonly lines: readonly Line[];
  /** The page of the error, or of the project's errors. */
  readonly url: string;
  /** The name of the rule that sent it. Empty for a digest of several rules. */
  readonly rule: string;
  /** The rule's note, such as a runbook. May be empty. */
  readonly note: string;
  /** When the change happened, in milliseconds since 1970. */
  readonly at: number;
  /** The id that messages of the same error share. */
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

/** The reason for the message, and the rule's note. */
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

/** The color of a level, 24 bits. */
export const colorOf = (level: Level): number => colors[level];

/** Such as `#c62828`. */
export const hexColorOf = (level: Level): string => `#${colors[level].toString(16).padStart(6, "0")}`;

/** Why an item is not stored; the words of outcome.proto. */
export type LeftAsideReason =
  | "not_kept"
  | "extra"
  | "minidump"
  | "no_text"
  | "no_release"
  | "no_start"
  | "too_old"
  | "in_future"
  | "no_counts"
  | "other_report"
  | "unreadable";

/** An item that is not stored. A reader returns it instead of nothing, so that whatever is sent is stored or counted. */
export interface LeftAside {
  readonly leftAside: LeftAsideReason;
  /** How many it stands for. */
  readonly quantity: number;
  /** Absent: the category of its type. */
  readonly category?: string;
}

export function leftAside(reason: LeftAsideReason, quantity = 1, category?: string): LeftAside {
  return { leftAside: reason, quantity, ...(category !== undefined && { category }) };
}

export function isLeftAside(read: object): read is LeftAside {
  return "leftAside" in read;
}

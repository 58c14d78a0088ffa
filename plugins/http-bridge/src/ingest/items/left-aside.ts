/** Why an item is not stored, in the words of outcome.proto. */
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

/** An item that is not stored. Readers return it instead of undefined, so that every sent item is stored or counted. */
export interface LeftAside {
  readonly leftAside: LeftAsideReason;
  /** How many items it represents. */
  readonly quantity: number;
  /** The category of the item's type if undefined. */
  readonly category?: string;
}

export function leftAside(reason: LeftAsideReason, quantity = 1, category?: string): LeftAside {
  return { leftAside: reason, quantity, ...(category !== undefined && { category }) };
}

export function isLeftAside(read: object): read is LeftAside {
  return "leftAside" in read;
}

import type { NewValue, NotificationKind } from "@faultline/plugin";
import type { SignalRow } from "./tables.ts";

/** The facts of a signal in addition to its error. Texts may come from strangers. */
export interface SignalDetail {
  /** A spike: the number, its unit, and the window in minutes. */
  readonly spike?: { readonly count: number; readonly unit: "events" | "users"; readonly minutes: number };
  /** The power of ten of a milestone. */
  readonly milestone?: number;
  readonly release?: string;
  /** How often each reason has refused events in this hour, the most frequent first. */
  readonly refused?: readonly { readonly reason: string; readonly count: number }[];
  readonly quota?: { readonly of: "day" | "kept"; readonly bytes: number; readonly limitBytes: number };
  /** A failing external system: the beginning of the failure, and the answer of the system. */
  readonly failing?: { readonly since: number; readonly reason: string };
  readonly channel?: { readonly id: number; readonly name: string; readonly reason: string };
  /** A value that an existing error has for the first time. */
  readonly value?: NewValue;
  /** The announcement of a plugin, with the kind at that time. */
  readonly notice?: { readonly kind: NotificationKind; readonly text: string; readonly userIds: readonly number[] };
  /** The condition has ended. */
  readonly isOver?: true;
}

/** A signal that a poll found. */
export type NewSignal = Pick<SignalRow, "project_id" | "error_id" | "notification_trigger" | "status" | "happened_at"> &
  Partial<Pick<SignalRow, "rule_id">> & { readonly detail: SignalDetail };

export const detailOf = ({ detail }: Pick<SignalRow, "detail">): SignalDetail =>
  detail === "" ? {} : (JSON.parse(detail) as SignalDetail); // written by rowOf

/** The row of a signal that waits for evaluation. */
export const rowOf = ({ detail, ...signal }: NewSignal) => ({
  ...signal,
  detail: JSON.stringify(detail),
  done_at: null,
});

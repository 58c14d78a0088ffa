import { ErrorStatus, NotificationTrigger as Trigger } from "@faultline/proto";
import { detailOf } from "../signals/detail.ts";
import type { SignalRow } from "../tables.ts";

/** The kinds of messages: the type that webhooks get, and the headline. */
const kinds = {
  created: ["error.created", "New error"],
  new_value: ["error.created", "New for this rule"],
  reopened: ["error.reopened", "Back after it was resolved"],
  resolved: ["error.resolved", "Resolved"],
  ignored: ["error.ignored", "Ignored"],
  unresolved: ["error.unresolved", "Reopened by hand"],
  spike: ["error.spike", "Spike"],
  spike_over: ["error.spike_over", "Spike over"],
  milestone: ["error.milestone", "Milestone"],
  release: ["error.release", "First new error of a release"],
  refused: ["project.refused", "Events refused"],
  quota_near: ["project.quota_near", "Limit nearly reached"],
  quota_reached: ["project.quota_reached", "Limit reached"],
  backend_failing: ["backend.failing", "External system failing"],
  backend_recovered: ["backend.recovered", "External system responds again"],
  channel_failing: ["channel.failing", "Channel failing"],
  digest: ["digest", ""],
  test: ["test", "Test of this channel"],
} as const;

export type MessageKind = keyof typeof kinds;

/** All of them. */
export const messageKinds = Object.keys(kinds) as MessageKind[]; // the keys above

/** The type in the body of webhooks. */
export const typeOf = (kind: MessageKind): string => kinds[kind][0];

export const headlineOf = (kind: MessageKind): string => kinds[kind][1];

/** Kinds that end what an earlier message of the same thread began. */
const endings: ReadonlySet<MessageKind> = new Set(["resolved", "ignored", "spike_over", "backend_recovered"]);

export const isEnding = (kind: MessageKind): boolean => endings.has(kind);

const kindOfTrigger: Readonly<Partial<Record<Trigger, MessageKind>>> = {
  [Trigger.CREATED]: "created",
  [Trigger.REOPENED]: "reopened",
  [Trigger.MILESTONE]: "milestone",
  [Trigger.RELEASE]: "release",
  [Trigger.REFUSED]: "refused",
  [Trigger.QUOTA_NEAR]: "quota_near",
  [Trigger.QUOTA_REACHED]: "quota_reached",
  [Trigger.CHANNEL_FAILING]: "channel_failing",
};

/** The kind of the message about a change. */
export function kindOf(change: Pick<SignalRow, "notification_trigger" | "status" | "detail">): MessageKind {
  const { notification_trigger: trigger, status } = change;
  const { isOver = false, value } = detailOf(change);
  if (value) return "new_value";
  if (trigger === Trigger.SPIKE) return isOver ? "spike_over" : "spike";
  if (trigger === Trigger.BACKEND_FAILING) return isOver ? "backend_recovered" : "backend_failing";
  if (trigger !== Trigger.STATUS) return kindOfTrigger[trigger] ?? "created";
  if (status === ErrorStatus.RESOLVED) return "resolved";
  return status === ErrorStatus.IGNORED ? "ignored" : "unresolved";
}

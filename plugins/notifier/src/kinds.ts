import { createHash } from "node:crypto";
import type { Host, NotificationKind } from "@faultline/plugin";
import {
  Backend,
  ErrorStatus,
  NotificationTrigger as Trigger,
  NotificationTriggerSchema,
  wordOf,
} from "@faultline/proto";
import { detailOf } from "./signal-detail.ts";
import type { KindNumber, SignalRow } from "./tables.ts";

/** A kind of notification in the registry. */
interface Kind extends NotificationKind {
  readonly number: KindNumber;
  /** The trigger that names it in interfaces. */
  readonly trigger: Trigger;
}

/** A kind that the notifier itself announces. */
interface OwnKind extends Kind {
  /** It concerns the project, not one of its errors. */
  readonly isAboutProject?: true;
  /** It lasts, so its beginning and its end are reported, and it is not repeated. */
  readonly isEpisode?: true;
  /** A single event causes it, so that a filter applies to this event. */
  readonly isMadeByEvent?: true;
  /** Why a project with this backend cannot have it, in a sentence. */
  readonly unavailable?: Readonly<Partial<Record<Backend, string>>>;
  /** Why a preview cannot replay it, in a sentence. */
  readonly notReplayed?: string;
  /** The names of its messages, by their kind. */
  readonly messages: Readonly<Record<string, MessageWords>>;
  /** Which of the messages reports a change. Default: the first. */
  readonly messageOf?: (change: Change) => string;
}

interface MessageWords {
  /** The type in the body of webhooks. */
  readonly type: string;
  readonly headline: string;
  /** The headline before the name of the person who did it. Default: the headline. */
  readonly headlineBy?: string;
  /** It ends a condition that an earlier message of the same thread began. */
  readonly isEnding?: true;
}

type Change = Pick<SignalRow, "notification_trigger" | "status" | "detail">;

type Declared = Omit<OwnKind, "kind" | "number" | "trigger" | "headline"> & Partial<Pick<OwnKind, "headline">>;

const own = (trigger: Trigger, kind: Declared): OwnKind => ({
  kind: wordOf(NotificationTriggerSchema, trigger) ?? "",
  number: trigger,
  trigger,
  headline: Object.values(kind.messages)[0]?.headline ?? "",
  ...kind,
});

const overOr = (over: string, otherwise: string) => (change: Change) => (detailOf(change).isOver ? over : otherwise);

const eventsElsewhere = {
  [Backend.EXTERNAL]: "The project's events go to an external system, which does not report them.",
};
const limitsNotReplayed = "The times at which limits were reached are not kept.";

/** The kinds of the notifier, in the order of the rule form. A kind that is added here appears in every interface. */
export const ownKinds: readonly OwnKind[] = [
  own(Trigger.CREATED, {
    label: "New errors",
    counted: ["new error", "new errors"],
    audience: "members",
    isMadeByEvent: true,
    messages: {
      created: { type: "error.created", headline: "New error" },
      new_value: { type: "error.created", headline: "New for this rule" },
    },
    messageOf: (change) => (detailOf(change).value ? "new_value" : "created"),
  }),
  own(Trigger.REOPENED, {
    label: "Errors that came back",
    counted: ["reopened error", "reopened errors"],
    audience: "members",
    isMadeByEvent: true,
    unavailable: {
      [Backend.EXTERNAL]:
        "External systems do not report their changes to Faultline. It checks for new errors and counts once a minute.",
    },
    messages: { reopened: { type: "error.reopened", headline: "Back after it was resolved" } },
  }),
  own(Trigger.SPIKE, {
    label: "Spikes",
    counted: ["spike", "spikes"],
    audience: "channels",
    isEpisode: true,
    messages: {
      spike: { type: "error.spike", headline: "Spike" },
      spike_over: { type: "error.spike_over", headline: "Spike over", isEnding: true },
    },
    messageOf: overOr("spike_over", "spike"),
  }),
  own(Trigger.MILESTONE, {
    label: "The 10th, 100th, … event of an error",
    counted: ["milestone", "milestones"],
    audience: "channels",
    notReplayed: "The times of the tenth, hundredth, ... event are not kept.",
    messages: { milestone: { type: "error.milestone", headline: "Milestone" } },
  }),
  own(Trigger.RELEASE, {
    label: "The first new error of a release",
    counted: ["release with new errors", "releases with new errors"],
    audience: "channels",
    isMadeByEvent: true,
    unavailable: { [Backend.EXTERNAL]: "The external system's list does not name the releases of new errors." },
    messages: { release: { type: "error.release", headline: "First new error of a release" } },
  }),
  own(Trigger.STATUS, {
    label: "Status changes",
    headline: "Status change",
    counted: ["status change", "status changes"],
    audience: "subscribers",
    messages: {
      resolved: { type: "error.resolved", headline: "Resolved", isEnding: true },
      ignored: { type: "error.ignored", headline: "Ignored", isEnding: true },
      unresolved: { type: "error.unresolved", headline: "Reopened by hand", headlineBy: "Reopened" },
    },
    messageOf({ status }) {
      if (status === ErrorStatus.RESOLVED) return "resolved";
      return status === ErrorStatus.IGNORED ? "ignored" : "unresolved";
    },
  }),
  own(Trigger.REFUSED, {
    label: "Refused events",
    counted: ["report of refused events", "reports of refused events"],
    audience: "channels",
    isAboutProject: true,
    unavailable: eventsElsewhere,
    notReplayed: "Refused events are counted by hour, without the minute of the first event.",
    messages: { refused: { type: "project.refused", headline: "Events refused" } },
  }),
  own(Trigger.QUOTA_NEAR, {
    label: "A limit at 80 %",
    counted: ["limit nearly reached", "limits nearly reached"],
    audience: "channels",
    isAboutProject: true,
    unavailable: eventsElsewhere,
    notReplayed: limitsNotReplayed,
    messages: { quota_near: { type: "project.quota_near", headline: "Limit nearly reached" } },
  }),
  own(Trigger.QUOTA_REACHED, {
    label: "A limit that is reached",
    counted: ["limit reached", "limits reached"],
    audience: "channels",
    isAboutProject: true,
    unavailable: eventsElsewhere,
    notReplayed: limitsNotReplayed,
    messages: { quota_reached: { type: "project.quota_reached", headline: "Limit reached" } },
  }),
  own(Trigger.BACKEND_FAILING, {
    label: "A failing external system",
    counted: ["report of the external system", "reports of the external system"],
    audience: "channels",
    isAboutProject: true,
    isEpisode: true,
    unavailable: { [Backend.INTEGRATED]: "The project's errors are stored here, not in an external system." },
    notReplayed: "Failures of external systems are not kept.",
    messages: {
      backend_failing: { type: "backend.failing", headline: "External system failing" },
      backend_recovered: { type: "backend.recovered", headline: "External system responds again", isEnding: true },
    },
    messageOf: overOr("backend_recovered", "backend_failing"),
  }),
  own(Trigger.CHANNEL_FAILING, {
    label: "A failing channel (to the others)",
    counted: ["failing channel", "failing channels"],
    audience: "channels",
    isAboutProject: true,
    notReplayed: "Failures of channels are not kept.",
    messages: { channel_failing: { type: "channel.failing", headline: "Channel failing" } },
  }),
];

const ownKind = new Map(ownKinds.map((kind) => [kind.number, kind]));

export const isAboutProject = (number: KindNumber): boolean => ownKind.get(number)?.isAboutProject === true;
export const isEpisode = (number: KindNumber): boolean => ownKind.get(number)?.isEpisode === true;
export const isMadeByEvent = (number: KindNumber): boolean => ownKind.get(number)?.isMadeByEvent === true;

/** The people who get a change. */
export const audienceOf = (change: Pick<SignalRow, "notification_trigger" | "detail">): NotificationKind["audience"] =>
  ownKind.get(change.notification_trigger)?.audience ?? detailOf(change).notice?.kind.audience ?? "channels";

/** Why a project with this backend cannot have a kind, in a sentence. Empty if it can. */
export const unavailableBecause = (number: KindNumber, backend: Backend): string =>
  ownKind.get(number)?.unavailable?.[backend] ?? "";

/** Why a preview cannot replay a kind, in a sentence. Empty if it can. */
export function notReplayedBecause(number: KindNumber): string {
  const kind = ownKind.get(number);
  return kind ? (kind.notReplayed ?? "") : "Notices of plugins are not kept.";
}

export const testHeadline = "Test of this channel";

/** Messages that belong to no kind. */
const otherMessages: Readonly<Record<string, MessageWords>> = {
  digest: { type: "digest", headline: "" },
  test: { type: "test", headline: testHeadline },
};

const messages = new Map(
  [...ownKinds.toSorted((one, other) => one.number - other.number).map((kind) => kind.messages), otherMessages].flatMap(
    (words) => Object.entries(words),
  ),
);

/** The kinds of messages of the notifier itself, in the order of the triggers. */
export const messageKinds: readonly string[] = [...messages.keys()];

/** The kind of the message about a change. The kind `comment` of a plugin has the messages `notice.comment`. */
export function messageKindOf(change: Change): string {
  const kind = ownKind.get(change.notification_trigger);
  if (!kind) return `notice.${detailOf(change).notice?.kind.kind ?? "unknown"}`;
  return kind.messageOf?.(change) ?? Object.keys(kind.messages)[0] ?? "";
}

/** The type of a message in the body of webhooks. */
export const typeOf = (messageKind: string): string => messages.get(messageKind)?.type ?? messageKind;

/** Whether a message ends a condition that an earlier message of the same thread began. */
export const isEnding = (messageKind: string): boolean => messages.get(messageKind)?.isEnding === true;

/** The headline of the message about a change. */
export const headlineOf = (change: Change): string =>
  messages.get(messageKindOf(change))?.headline ?? detailOf(change).notice?.kind.headline ?? "Notice";

/** Whether a plugin announced it. Each notice is new, so none repeats an earlier notice. */
export const isNotice = (number: KindNumber): boolean => number >= belowNumbers;

/**
 * The number of another plugin's kind. It never changes, so that processes and releases agree on it without a table.
 */
export const numberOf = (kind: string): KindNumber =>
  belowNumbers + createHash("sha256").update(kind).digest().readUIntBE(0, 4);

/** Higher than any value that NotificationTrigger will ever have. */
const belowNumbers = 1_000;

/** All kinds of an installation. */
export class Kinds {
  /** The notifier's own kinds, in the order of the rule form, and then the kinds of other plugins. */
  readonly all: readonly Kind[];
  readonly #byNumber: ReadonlyMap<KindNumber, Kind>;

  constructor({ notificationKinds }: Pick<Host, "notificationKinds">) {
    const others = notificationKinds.filter(({ kind }) => ownKinds.every((one) => one.kind !== kind));
    this.all = [
      ...ownKinds,
      ...others.map((kind) => ({ ...kind, number: numberOf(kind.kind), trigger: Trigger.ANNOUNCED })),
    ];
    this.#byNumber = new Map(this.all.map((kind) => [kind.number, kind]));
  }

  /** The kinds that reach people, by number. */
  get personal(): readonly KindNumber[] {
    return this.all.filter(({ audience }) => audience !== "channels").map(({ number }) => number);
  }

  /** Undefined if the plugin that announced it no longer runs. */
  of(number: KindNumber): Kind | undefined {
    return this.#byNumber.get(number);
  }

  /** The trigger and the kind that name a number in interfaces. The kind is empty if the notifier announces it. */
  named(number: KindNumber): { readonly trigger: Trigger; readonly kind: string } {
    if (number < belowNumbers) return { trigger: number as Trigger, kind: "" };
    return { trigger: Trigger.ANNOUNCED, kind: this.of(number)?.kind ?? "" };
  }

  /** The headline of one change. Empty for the number 0 of entries that gather several changes. */
  headlineOf(number: KindNumber): string {
    return number === Trigger.UNSPECIFIED ? "" : (this.of(number)?.headline ?? "Notice");
  }

  /** The headline of an entry, with the person who did it: `Resolved by bob`. Empty if it gathers several changes. */
  entryHeadline(entry: Pick<SignalRow, "notification_trigger" | "status" | "made_by">): string {
    const words = messages.get(messageKindOf({ ...entry, detail: "" }));
    const headline = words?.headline ?? this.headlineOf(entry.notification_trigger);
    return entry.made_by === "" ? headline : `${words?.headlineBy ?? headline} by ${entry.made_by}`;
  }

  /** A number of changes in words: `3 new errors`. */
  counted(number: KindNumber, count: number): string {
    const [one, many] = this.of(number)?.counted ?? ["notice", "notices"];
    return `${count} ${count === 1 ? one : many}`;
  }
}

/** The data of a fake external system, in the form that tests write. wire.ts turns it into the shapes of the API. */

export interface FakeOrganization {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

export interface FakeProject {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** The slug of its organization. */
  readonly organization: string;
  readonly status: string;
}

export type FakeStatus = "unresolved" | "resolved" | "ignored";

export interface FakeIssue {
  readonly id: string;
  /** The id of its project. */
  readonly project: string;
  readonly title: string;
  /** The exception's type; empty for a message. */
  readonly type: string;
  readonly value: string;
  readonly culprit: string;
  readonly level: string;
  readonly platform: string;
  readonly logger: string;
  status: FakeStatus;
  /** Whether an event reopened it after it was resolved. */
  readonly cameBack: boolean;
  readonly count: number;
  readonly userCount: number;
  /** Milliseconds since 1970, like all times here. */
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly firstRelease: string;
  readonly lastRelease: string;
  /** Tags for `key:value` in a search, in addition to level and release. */
  readonly tags: Readonly<Record<string, string>>;
  /** Events by the start of their hour, in seconds since 1970. Default: counted from the events. */
  readonly hours: Readonly<Record<number, number>>;
  /** Newest first. */
  readonly events: readonly FakeEvent[];
}

export interface FakeEvent {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly occurredAt: number;
  readonly receivedAt: number;
  /** The event in the form of SDKs: `exception`, `message`, `tags`, `user`, `request`, `breadcrumbs`, and so on. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** An issue in the form that tests write. Missing fields get defaults. */
export type FakeIssueInit = Partial<Omit<FakeIssue, "events">> & {
  readonly events?: readonly (Partial<FakeEvent> & Pick<FakeEvent, "payload">)[];
};

export interface FakeData {
  readonly organizations: readonly FakeOrganization[];
  readonly projects: readonly FakeProject[];
  readonly issues: FakeIssue[];
}

export interface FakeDataInit {
  /** Default: `acme`. */
  readonly organizations?: readonly FakeOrganization[];
  /** Default: `shop` of `acme`, with the id 11. */
  readonly projects?: readonly FakeProject[];
  /** Default: none. */
  readonly issues?: readonly FakeIssueInit[];
}

export const acme: FakeOrganization = { id: "1", slug: "acme", name: "Acme Works" };
export const shop: FakeProject = { id: "11", slug: "shop", name: "Shop", organization: "acme", status: "active" };

/**
 * Completes the data of a test. Issues without an id get 1001, 1002, and so on; events get 32 digits that end in their
 * number.
 */
export function fakeData(
  { organizations = [acme], projects = [shop], issues = [] }: FakeDataInit,
  now: number,
): FakeData {
  return { organizations, projects, issues: issues.map((issue, index) => completed(issue, index, projects, now)) };
}

function completed(init: FakeIssueInit, index: number, projects: readonly FakeProject[], now: number): FakeIssue {
  const id = init.id ?? `${1001 + index}`;
  const type = init.type ?? "TypeError";
  const value = init.value ?? `value ${id}`;
  const lastSeen = init.lastSeen ?? now - (index + 1) * 60_000;
  const events = (init.events ?? []).map((event, number): FakeEvent => {
    const occurredAt = event.occurredAt ?? lastSeen - number * 60_000;
    const eventId = event.id ?? (Number(id) * 10_000 + number).toString(16).padStart(32, "0");
    return { id: eventId, occurredAt, receivedAt: occurredAt + 1_000, ...event };
  });
  return {
    project: projects[0]?.id ?? "11",
    title: type === "" ? value : `${type}: ${value}`,
    culprit: "checkout in pay",
    level: "error",
    platform: "node",
    logger: "",
    status: "unresolved",
    cameBack: false,
    count: Math.max(1, events.length),
    userCount: 0,
    firstSeen: events.at(-1)?.occurredAt ?? lastSeen - 3_600_000,
    firstRelease: "",
    lastRelease: "",
    tags: {},
    hours: hoursOf(events),
    ...init,
    id,
    type,
    value,
    lastSeen,
    events,
  };
}

function hoursOf(events: readonly FakeEvent[]): Record<number, number> {
  const hours: Record<number, number> = {};
  for (const { occurredAt } of events) {
    const hour = Math.floor(occurredAt / 3_600_000) * 3_600;
    hours[hour] = (hours[hour] ?? 0) + 1;
  }
  return hours;
}

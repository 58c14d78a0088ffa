import type { Event, SessionCounts } from "@faultline/proto";
import * as assert from "uvu/assert";
import { eventOf, type Feature, type Outcome } from "./feature.ts";

/** In what SDKs differ by design. */
export interface Expected {
  /** Types of the handled chain, the cause first. */
  readonly types: readonly string[];
  /** The function that raised it. Undefined: this SDK sends no stack of a handled error. */
  readonly raisedIn?: string;
  readonly unhandled: {
    readonly type: string;
    readonly level: "error" | "fatal";
    /** Whether the SDK says how an error was caught; false if it has no hook. */
    readonly statesHandled: boolean;
  };
  /** How the SDK sends 50 texts of 4,000 characters. */
  readonly large: { readonly texts: number; readonly length: number };
  /** The sessions of the program by how they ended. Undefined: the SDK sends none. */
  readonly sessions?: Partial<Counts>;
  /** The address of users for whom the program names none, where the SDK asks for the sender's by default. */
  readonly senderAddress?: string;
}

type Counts = Pick<SessionCounts, "healthy" | "errored" | "crashed" | "abnormal">;

export const wholeLarge = { texts: 50, length: 4000 };

const levels = ["debug", "info", "warning", "error", "fatal"];
const users = {
  "user-id": { id: "4711" },
  "user-username": { username: "ann" },
  "user-email": { email: "ann@shop.example" },
  "user-ip": { ipAddress: "203.0.113.7" },
};
const cases = [
  "handled",
  "unhandled",
  ...levels.map((level) => `level-${level}`),
  ...Object.keys(users),
  "fingerprint-1",
  "fingerprint-2",
  "large",
  "unicode",
].toSorted();

/** The stored result of the program `report` of an SDK at `version`. */
export function reportFeatures(version: string, expected: Expected): Feature[] {
  const features: readonly (readonly [name: string, check: Feature["check"]])[] = [
    ["each event is stored once and nothing else", assertCases],
    ["each request is answered 200", assertAccepted],
    [
      "version of the SDK",
      ({ events }) => {
        for (const { sdk } of events) assert.is(sdk?.version, version);
      },
    ],
    ["handled chained exception", (outcome) => assertChain(eventOf(outcome, "handled"), expected)],
    ["unhandled exception", (outcome) => assertUnhandled(eventOf(outcome, "unhandled"), expected)],
    ["messages at five levels", assertLevels],
    ["users by id, username, email, IP", (outcome) => assertUsers(outcome, expected)],
    ["tags", (outcome) => assert.is(eventOf(outcome, "handled").tags["region"], "eu-west")],
    ["release and environment", assertRelease],
    ["custom fingerprint", assertFingerprint],
    ["large event", (outcome) => assertLarge(eventOf(outcome, "large"), expected)],
    ["Unicode, without NUL", (outcome) => assert.is(eventOf(outcome, "unicode").message, "beforeafter naïve 漢字 🙂")],
  ];
  const { sessions } = expected;
  if (sessions === undefined) return features.map(ofReport);
  return [...features, ["sessions by release" as const, sessionsCheck(sessions)] as const].map(ofReport);
}

function ofReport([name, check]: readonly [string, Feature["check"]]): Feature {
  return { name, program: "report", check };
}

function assertCases({ events }: Outcome): void {
  assert.equal(events.map((event) => event.tags["case"]).toSorted(), cases);
}

/** Also of sessions and client reports. */
export function assertAccepted({ exchanges }: Outcome): void {
  assert.equal(new Set(exchanges.map(({ status }) => status)), new Set([200]));
}

function assertLevels(outcome: Outcome): void {
  for (const level of levels) {
    const event = eventOf(outcome, `level-${level}`);
    assert.is(event.message, `level ${level}`);
    assert.is(event.title, `level ${level}`);
    assert.is(event.level, level);
  }
}

function assertUsers(outcome: Outcome, { senderAddress = "" }: Expected): void {
  for (const [name, wanted] of Object.entries(users)) {
    const { id = "", username = "", email = "", ipAddress = "" } = eventOf(outcome, name).user ?? {};
    assert.equal(
      { id, username, email, ipAddress },
      { id: "", username: "", email: "", ipAddress: senderAddress, ...wanted },
    );
  }
}

function assertRelease({ events }: Outcome): void {
  for (const { release, environment } of events) assert.equal([release, environment], ["shop@1.2.3", "staging"]);
}

function assertFingerprint(outcome: Outcome): void {
  const { errorId } = eventOf(outcome, "fingerprint-1");
  assert.is(eventOf(outcome, "fingerprint-2").errorId, errorId);
  assert.equal(outcome.events.filter((event) => event.errorId === errorId).length, 2);
}

function assertChain({ exceptions, level, title }: Event, { types, raisedIn }: Expected): void {
  assert.equal(
    exceptions.map(({ type, value }) => [type, value]),
    types.map((type, index) => [type, index === 0 ? "unknown card" : "payment refused"]),
  );
  assert.is(level, "error");
  assert.is(title, `${types.at(-1)}: payment refused`);
  if (raisedIn === undefined) return;
  const raising = exceptions.at(-1)?.frames.at(-1);
  assert.ok(raising);
  assert.is(raising.function, raisedIn);
  assert.ok(raising.inApp);
  assert.ok(raising.lineno > 0);
}

function assertUnhandled({ exceptions, level }: Event, { unhandled }: Expected): void {
  const last = exceptions.at(-1);
  assert.ok(last);
  assert.is(last.type, unhandled.type);
  assert.is(last.value, "the till fell down");
  assert.is(level, unhandled.level);
  assert.ok(last.frames.length > 0);
  assert.is(last.mechanism?.handled, unhandled.statesHandled ? false : undefined);
}

/** Most programs send the texts as extra data, Go's as a context: its newest SDK knows no extra data. */
function assertLarge({ extra, payloadJson }: Event, { large }: Expected): void {
  const wanted = Array.from({ length: large.texts }, (_, part) => `part-${String(part).padStart(2, "0")}`);
  const payload = JSON.parse(payloadJson) as { readonly contexts?: { readonly large?: object } };
  const texts = { ...extra, ...payload.contexts?.large };
  const stored = Object.entries(texts).filter(([key]) => key.startsWith("part-"));
  assert.equal(stored.map(([key]) => key).toSorted(), wanted);
  assert.equal(new Set(stored.map(([, text]) => String(text).length)), new Set([large.length]));
  assert.ok(payloadJson.length > large.texts * large.length);
}

function sessionsCheck(wanted: Partial<Counts>): Feature["check"] {
  return async ({ releases }) => {
    const [release, ...others] = await releases();
    assert.is(others.length, 0);
    assert.is(release?.version, "shop@1.2.3");
    const { healthy = 0, errored = 0, crashed = 0, abnormal = 0 } = release?.sessions ?? {};
    assert.equal(
      { healthy, errored, crashed, abnormal },
      { healthy: 0, errored: 0, crashed: 0, abnormal: 0, ...wanted },
    );
  };
}

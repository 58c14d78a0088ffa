import type { Event } from "@faultline/proto";
import * as assert from "uvu/assert";
import type { Expected, Language } from "./language.ts";
import type { Exchange } from "./recorder.ts";

/** What one run of a program left: its events by the tag `case`, and its requests. */
export interface Outcome {
  readonly language: Language;
  readonly events: readonly Event[];
  readonly exchanges: readonly Exchange[];
}

/** `applies` tells whether the SDK has the feature at all; default: it has. */
export type Feature = readonly [
  name: string,
  check: (outcome: Outcome) => void,
  applies?: (expected: Expected) => boolean,
];

/** What comes before all features. */
export const builds = "the program builds and runs";

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

/** The features of the matrix, in its order. */
export const features: readonly Feature[] = [
  [
    "each event is stored once and nothing else",
    ({ events }) => {
      assert.equal(events.map((event) => event.tags["case"]).toSorted(), cases);
    },
  ],
  [
    "each request is answered 200",
    ({ exchanges }) => {
      assert.equal(new Set(exchanges.map(({ status }) => status)), new Set([200]));
    },
  ],
  [
    "version of the SDK",
    ({ language, events }) => {
      for (const { sdk } of events) assert.is(sdk?.version, language.version);
    },
  ],
  ["handled chained exception", (outcome) => assertChain(find(outcome, "handled"), outcome.language.expect)],
  ["unhandled exception", (outcome) => assertUnhandled(find(outcome, "unhandled"), outcome.language.expect)],
  [
    "messages at five levels",
    (outcome) => {
      for (const level of levels) {
        const event = find(outcome, `level-${level}`);
        assert.is(event.message, `level ${level}`);
        assert.is(event.title, `level ${level}`);
        assert.is(event.level, level);
        assert.is(event.exceptions.length, 0);
      }
    },
  ],
  [
    "users by id, username, email, IP",
    (outcome) => {
      for (const [name, wanted] of Object.entries(users)) {
        const { id = "", username = "", email = "", ipAddress = "" } = find(outcome, name).user ?? {};
        assert.equal({ id, username, email, ipAddress }, { id: "", username: "", email: "", ipAddress: "", ...wanted });
      }
    },
  ],
  ["tags", (outcome) => assert.is(find(outcome, "handled").tags["region"], "eu-west")],
  [
    "release and environment",
    ({ events }) => {
      for (const { release, environment } of events) assert.equal([release, environment], ["shop@1.2.3", "staging"]);
    },
  ],
  [
    "custom fingerprint",
    (outcome) => {
      const { errorId } = find(outcome, "fingerprint-1");
      assert.is(find(outcome, "fingerprint-2").errorId, errorId);
      assert.equal(outcome.events.filter((event) => event.errorId === errorId).length, 2);
    },
  ],
  ["large event", (outcome) => assertLarge(find(outcome, "large"), outcome.language.expect)],
  [
    "Unicode, NUL left out",
    (outcome) => {
      assert.is(find(outcome, "unicode").message, "beforeafter naïve 漢字 🙂");
    },
  ],
  [
    "session, accepted beside the errors",
    ({ exchanges }) => assert.ok(exchanges.some(({ body }) => /"type": ?"session"/.test(body))),
    ({ sendsSessions }) => sendsSessions,
  ],
];

function find({ events }: Outcome, name: string): Event {
  const event = events.find(({ tags }) => tags["case"] === name);
  if (event === undefined) throw new Error(`no event has the tag case=${name}`);
  return event;
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
  assert.is(last.mechanism?.handled, unhandled.tellsHandled ? false : undefined);
}

function assertLarge({ extra = {}, payloadJson }: Event, { large }: Expected): void {
  const wanted = Array.from({ length: large.texts }, (_, part) => `part-${String(part).padStart(2, "0")}`);
  const stored = Object.entries(extra).filter(([key]) => key.startsWith("part-"));
  assert.equal(stored.map(([key]) => key).toSorted(), wanted);
  assert.equal(new Set(stored.map(([, text]) => String(text).length)), new Set([large.length]));
  assert.ok(payloadJson.length > large.texts * large.length);
}

import { emptyIntake, type Intake } from "@faultline/plugin";
import { SessionStatus } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  itemCount,
  messageOf,
  packIntake,
  readMessage,
  UnreadableMessage,
} from "../../plugins/jetstream-queue/src/message.ts";
import { errorEvent } from "../support/sentry/error-event.ts";

const message = suite("messages of the queue");

const event = (title: string, bytes = 0) => errorEvent({ title, payload: new Uint8Array(bytes).fill(7) });
const intake = (...events: Intake["events"]): Intake => ({ ...emptyIntake, events });
const endless = Number.POSITIVE_INFINITY;

const everything: Intake = {
  events: [event("a", 10), event("b")],
  sessions: [
    {
      $typeName: "faultline.v1.SessionUpdate",
      projectId: 1,
      sessionId: "1".repeat(32),
      release: "1.0",
      environment: "",
      userDigest: "",
      sequence: 2n ** 53n,
      status: SessionStatus.CRASHED,
      errorCount: 3,
    },
  ],
  aggregates: [
    {
      $typeName: "faultline.v1.SessionAggregate",
      projectId: 1,
      release: "1.0",
      environment: "",
      userDigest: "",
      exited: 4,
      errored: 3,
      unhandled: 2,
      abnormal: 1,
      crashed: 0,
    },
  ],
  feedback: [
    {
      $typeName: "faultline.v1.UserFeedback",
      projectId: 1,
      eventId: "2".repeat(32),
      name: "Ann",
      email: "",
      comments: "It broke. \u{1f4a5}",
      url: "https://shop.example/cart",
      source: "widget",
      environment: "prod",
      release: "shop@1",
      sentId: "3".repeat(32),
      feedbackId: 0n,
      errorId: "",
      errorTitle: "",
      hasEvent: false,
    },
  ],
};

/** As plain values, since what is decoded has the prototypes of its messages. */
const plain = (value: Intake) =>
  JSON.parse(
    JSON.stringify(value, (_, field: unknown) => (typeof field === "bigint" ? `${field}n` : field)),
  ) as unknown;

message("what is packed is read again, of every kind, also when several intakes share a message", () => {
  const packed = [...packIntake(everything, endless), ...packIntake(intake(event("c")), endless)];
  const bytes = messageOf(packed);
  assert.is(itemCount(bytes), 6);
  const read = readMessage(bytes);
  assert.equal(plain(read), plain({ ...everything, events: [...everything.events, event("c")] }));
  assert.is(read.sessions[0]?.sequence, 2n ** 53n);
});

message("an empty intake takes no message", () => {
  assert.equal(packIntake(emptyIntake, endless), []);
});

for (const [what, limit, sizes, expected] of [
  ["what fits stays together", 4_000, [1_000, 1_000, 1_000], [3]],
  ["what is larger is cut between items", 4_000, [1_500, 1_500, 1_500, 1_500, 100], [2, 3]],
  ["an item that is larger than a message may be is by itself", 4_000, [100, 9_000, 100], [1, 1, 1]],
] as const) {
  message(what, () => {
    const packed = packIntake(intake(...sizes.map((bytes, n) => event(`${n}`, bytes))), limit);
    assert.equal(
      packed.map(({ items }) => items),
      expected,
    );
    const read = packed.flatMap((one) => readMessage(messageOf([one])).events.map(({ title }) => title));
    assert.equal(
      read,
      sizes.map((_, n) => `${n}`),
    );
  });
}

const whole = messageOf(packIntake(intake(event("a", 100)), endless));
const changed = (at: number, value: number) => {
  const bytes = whole.slice();
  bytes[at] = value;
  return bytes;
};

for (const [what, bytes, text] of [
  ["nothing", new Uint8Array(), "This is not a message of Faultline."],
  ["something else", Buffer.from("hello, stream"), "This is not a message of Faultline."],
  ["a message cut short", whole.subarray(0, whole.length - 1), "The message ends too early."],
  [
    "a message with something behind it",
    Buffer.concat([whole, Buffer.from("x")]),
    "The message is longer than its items.",
  ],
  ["more items than there are", changed(2, 2), "The message ends too early."],
  ["an unknown kind of item", changed(6, 99), "The message holds an item of the unknown kind 99."],
  ["an item that is no protobuf message", changed(11, 0xff), "An item is not a valid ErrorEvent"],
] as const) {
  message(`${what} is refused in words`, () => {
    assert.throws(
      () => readMessage(bytes),
      (error: unknown) => error instanceof UnreadableMessage && error.message.startsWith(text) && !error.isNewer,
    );
  });
}

message("the reader distinguishes a message of a later release from garbage", () => {
  assert.throws(
    () => readMessage(changed(1, 2)),
    (error: unknown) => error instanceof UnreadableMessage && error.isNewer && /version 2/.test(error.message),
  );
  assert.throws(
    () => readMessage(changed(1, 0)),
    (error: unknown) => error instanceof UnreadableMessage && !error.isNewer,
  );
});

message.run();

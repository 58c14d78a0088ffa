import { NotificationDeliveryState as State } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Tried } from "../../../plugins/notifier/src/channels/call-channel.ts";
import { verdictOf } from "../../../plugins/notifier/src/channels/verdict.ts";

/** The consequences of an attempt to send a message. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const now = Date.UTC(2026, 10, 27);

interface Case {
  readonly outcome: Tried["outcome"];
  readonly failedTries?: number;
  readonly tries?: number;
  readonly isIdempotent?: boolean;
  readonly ageMs?: number;
  readonly random?: number;
}

const verdict = ({ outcome, failedTries = 0, tries = 1, isIdempotent = false, ageMs = 0, random = 0.5 }: Case) =>
  verdictOf(
    { outcome, answer: "503", httpStatus: 503 },
    {
      kind: { isIdempotent, expiresAfterMs: 72 * hourMs },
      channel: { failed_tries: failedTries },
      delivery: { tries, created_at: now - ageMs },
      now,
      random,
    },
  );

const retry = { is: "retry" } as const;

for (const [failedTries, waitMs] of [
  [0, 5_000],
  [1, 5 * minuteMs],
  [2, 30 * minuteMs],
  [3, 2 * hourMs],
  [4, 5 * hourMs],
  [5, 10 * hourMs],
  [6, 14 * hourMs],
  [7, 20 * hourMs],
  [8, 24 * hourMs],
  [50, 24 * hourMs],
] as const)
  test(`after ${failedTries} failed tries in a row a channel waits ${waitMs / minuteMs} minutes`, () => {
    const { state, isAccepted, waitMs: found } = verdict({ outcome: retry, failedTries });
    assert.equal([state, isAccepted, found], [State.PENDING, false, waitMs]);
  });

test("a wait is at most a fifth shorter or longer, so that channels do not come back simultaneously", () => {
  assert.is(verdict({ outcome: retry, random: 0 }).waitMs, 4_000);
  assert.is(verdict({ outcome: retry, random: 1 }).waitMs, 6_000);
});

test("a server that says when to come back is called no earlier", () => {
  assert.is(verdict({ outcome: { is: "retry", afterMs: hourMs } }).waitMs, hourMs);
  assert.is(verdict({ outcome: { is: "retry", afterMs: 1_000 } }).waitMs, 5_000);
});

test("a message that may have arrived is sent twice at most where the other side would show it twice", () => {
  const unknown = { is: "unknown" } as const;
  assert.is(verdict({ outcome: unknown, tries: 1 }).state, State.PENDING);
  const second = verdict({ outcome: unknown, tries: 2 });
  assert.equal([second.state, second.reason], [State.FAILED, "It may have arrived. 503"]);
  assert.is(verdict({ outcome: unknown, tries: 20, isIdempotent: true }).state, State.PENDING);
});

test("a message that is too old is given up, with its age and the last answer", () => {
  assert.is(verdict({ outcome: retry, ageMs: 72 * hourMs }).state, State.PENDING);
  const late = verdict({ outcome: retry, ageMs: 72 * hourMs + 1 });
  assert.equal([late.state, late.reason], [State.FAILED, "Delivery was abandoned after 72 hours. 503"]);
});

test.run();

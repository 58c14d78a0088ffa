import { type JsonValue, readEvent, readTime } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { day, head, hour, milliseconds, receivedAt } from "../../support/sentry/sentry-event.ts";

const times = suite("times");

const at = Date.UTC(2026, 10, 20, 22, 58, 36);
const timestamps: [sent: JsonValue, found: number][] = [
  [at / 1000, at],
  [at / 1000 + 0.25, at + 250],
  [String(at / 1000), at],
  [`${at / 1000}.5`, at + 500],
  [at + 7, at + 7],
  [(at + 7) * 1000, at + 7],
  [(at + 7) * 1e6, at + 7],
  [String((at + 7) * 1000), at + 7],
  [`${at + 7}000000`, at + 7],
  ["2026-11-20T22:58:36Z", at],
  ["2026-11-20T22:58:36", at],
  ["2026-11-20T22:58:36.5", at + 500],
  ["2026-11-20t22:58:36.123z", at + 123],
  ["2026-11-21T00:58:36+02:00", at],
  ["2026-11-20T20:28:36-0230", at],
  ["yesterday", receivedAt],
  ["", receivedAt],
  [null, receivedAt],
  [{}, receivedAt],
  [true, receivedAt],
  ["2026-13-20T22:58:36Z", receivedAt],
  [1e300, receivedAt],
  [-5, receivedAt],
  [0, receivedAt],
  ["9999-12-31T23:59:59Z", receivedAt + 60_000],
  [(receivedAt + hour) / 1000, receivedAt + 60_000],
  [(receivedAt - 31 * day) / 1000, receivedAt - 31 * day],
  [(receivedAt - 90 * day) / 1000, receivedAt - 90 * day],
  [(receivedAt - 90 * day) / 1000 - 1, receivedAt - 90 * day],
  [(receivedAt - 200 * day) / 1000, receivedAt - 90 * day],
];

for (const [timestamp, found] of timestamps) {
  times(`a timestamp of ${JSON.stringify(timestamp)} is ${new Date(found).toISOString()}`, () => {
    assert.is(milliseconds(head({ timestamp }).occurredTime), found);
  });
}

times("microseconds survive, and nanoseconds are cut to them", () => {
  assert.is(head({ timestamp: "2026-11-20T22:58:36.622919625Z" }).occurredTime?.nanos, 622_920_000);
  assert.is(head({ timestamp: 1795216832.2650886 }).occurredTime?.nanos, 265_089_000);
  assert.is(head({ timestamp: "2026-11-20T22:58:36.9999999Z" }).occurredTime?.nanos, 0);
});

times("a sender's clock a day ahead is corrected, half an hour is not", () => {
  const stated = receivedAt - 5000;
  const occurred = (ahead: number) =>
    milliseconds(head({ timestamp: (stated + ahead) / 1000 }, { sentAt: receivedAt + ahead }).occurredTime);
  assert.is(occurred(day), stated);
  assert.is(occurred(-400 * day), stated);
  assert.is(occurred(-30 * 60_000), stated - 30 * 60_000);
  assert.is(milliseconds(head({ timestamp: stated / 1000 }, { sentAt: undefined }).occurredTime), stated);
});

times("breadcrumbs move with their event", () => {
  const event = { timestamp: "2020-01-01T00:00:10Z", breadcrumbs: [{ timestamp: "2020-01-01T00:00:00Z" }] };
  const time = (occurredAt?: number) =>
    milliseconds(readEvent(JSON.stringify(event), { occurredAt }).breadcrumbs[0]?.time);
  assert.is(time(), Date.UTC(2020, 0, 1));
  assert.is(time(receivedAt), receivedAt - 10_000);
  assert.is(time(Date.UTC(2020, 0, 1, 0, 0, 10)), Date.UTC(2020, 0, 1));
});

const bounded: [claim: string, timestamp: JsonValue, occurredAt: number, sentAt: number | undefined | null][] = [
  ["90 days ago is no bound", (receivedAt - 90 * day) / 1000, receivedAt - 90 * day, null],
  ["a minute ahead is no bound", (receivedAt + 60_000) / 1000, receivedAt + 60_000, null],
  ["more than 90 days ago", (receivedAt - 91 * day) / 1000, receivedAt - 90 * day, receivedAt - 91 * day],
  ["ahead", "2999-01-01T00:00:00Z", receivedAt + 60_000, Date.UTC(2999, 0, 1)],
  [
    "a time of the version before, which had 30 days",
    "2026-06-01T00:00:00Z",
    receivedAt - 30 * day,
    Date.UTC(2026, 5, 1),
  ],
  ["no time in the event, which a service reported", null, receivedAt - 90 * day, undefined],
  ["a clock a day ahead, corrected", (receivedAt + day) / 1000, receivedAt - 1000, null],
  ["no time, which is that of receipt", null, receivedAt, null],
];

for (const [claim, timestamp, occurredAt, sentAt] of bounded) {
  times(`${claim}: the event says ${sentAt === null ? "nothing" : "that its time was bounded"}`, () => {
    const { timeBound } = readEvent(JSON.stringify({ timestamp }), { occurredAt, receivedAt });
    if (sentAt === null) assert.is(timeBound, undefined);
    else assert.is(milliseconds((timeBound ?? assert.unreachable("no bound"))?.sentTime), sentAt);
  });
}

times("of an event that another system dated nothing is said", () => {
  assert.is(readEvent('{"timestamp":1}', { occurredAt: receivedAt - 90 * day }).timeBound, undefined);
});

times("the time of receipt is kept", () => {
  assert.is(milliseconds(head({}).receivedTime), receivedAt);
  assert.is(readTime("nonsense"), undefined);
});

times.run();

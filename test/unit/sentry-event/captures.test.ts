import { type EventDetails, readEvent, titleOf } from "@faultline/sentry-event";
import { type ErrorEvent } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decodeContent } from "../../../plugins/http-bridge/src/ingest/body/decoding/content-encoding.ts";
import { parseEnvelope } from "../../../plugins/http-bridge/src/ingest/body/envelope.ts";
import { parseEventJson } from "../../../plugins/http-bridge/src/ingest/body/event-json.ts";
import { readStoreBody } from "../../../plugins/http-bridge/src/ingest/body/store-body.ts";
import { type Capture, readCaptures } from "../../support/sentry/capture.ts";
import { head, plain } from "../../support/sentry/sentry-event.ts";

const captured = suite("captures");

for (const capture of readCaptures()) {
  captured(`${capture.name} is read as its program meant it`, () => {
    const events = readCapture(capture);
    assert.equal(
      events.map((event) => event.head.eventId),
      capture.eventIds,
    );
    const meant = capture.expect.filter(({ kind }) => kind === "exception" || kind === "message");
    for (const [index, event] of events.entries()) assertMeaning(event, meant[index], capture);
  });
}

interface CapturedEvent {
  readonly head: ErrorEvent;
  readonly details: EventDetails;
}

function readCapture(capture: Capture): CapturedEvent[] {
  const encoding = capture.headers.find(([name]) => name.toLowerCase() === "content-encoding")?.[1];
  const body = decodeContent(capture.body, encoding, 2 ** 20);
  if (capture.target.includes("/store/")) return [readBoth(readStoreBody(body, 2 ** 20))];
  const { header, items } = parseEnvelope(body);
  return items.flatMap(({ type, payload }) => (type === "event" && payload ? [readBoth(payload, header.eventId)] : []));
}

function readBoth(bytes: Buffer, envelopeEventId?: string): CapturedEvent {
  const { event, payload } = parseEventJson(bytes);
  return { head: head(event, { envelopeEventId, payload: plain(payload) }), details: readEvent(payload) };
}

function assertMeaning(event: CapturedEvent, meant: Capture["expect"][number] | undefined, capture: Capture): void {
  assert.ok(meant, "the program meant an event");
  const exceptions = meant.exceptions?.map(({ type, value }) => ({ type, value })) ?? [];
  const level = meant.level === "log" ? "info" : (meant.level ?? "error");
  const outermost = exceptions.at(-1);
  for (const reading of [event.head, event.details]) {
    assert.equal(
      reading.exceptions.map(({ type, value }) => ({ type, value })),
      exceptions,
    );
    assert.is(reading.level, level);
    if (meant.message !== undefined) assert.is(reading.message, meant.message);
    if (meant.release !== undefined) assert.is(reading.release, meant.release);
    if (meant.environment !== undefined) assert.is(reading.environment, meant.environment);
    for (const [key, value] of Object.entries(meant.tags ?? {})) assert.is(reading.tags[key], String(value));
  }
  assert.is(event.details.title, outermost ? `${outermost.type}: ${outermost.value}` : meant.message);
  assert.is(titleOf(event.head), event.details.title);
  if (meant.user) assertUser(event, meant.user, capture.hidesIpAddress);
  for (const [key, value] of Object.entries(meant.extra ?? {})) {
    // Node 7 itself writes "[Object]" for what lies deeper than three levels.
    if (!JSON.stringify(event.details.extra).includes("[Object]")) assert.equal(event.details.extra?.[key], value);
  }
}

function assertUser(event: CapturedEvent, meant: Readonly<Record<string, unknown>>, hidesIpAddress: boolean): void {
  const text = (key: string) => (key in meant ? String(meant[key]) : "");
  const ipAddress = hidesIpAddress ? "" : text("ip_address");
  const { user } = event.details;
  assert.equal(
    [user?.id ?? "", user?.username ?? "", user?.email ?? "", user?.ipAddress ?? ""],
    [text("id"), text("username"), text("email"), ipAddress],
  );
  const [kind, name] = [
    ["id", text("id")],
    ["username", text("username")],
    ["email", text("email")],
    ["ip", ipAddress],
  ].find(([, value]) => value !== "") ?? ["", ""];
  assert.is(event.head.user, name ? `${kind}:${name}` : "");
}

captured.run();

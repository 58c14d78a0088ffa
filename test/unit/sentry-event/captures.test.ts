import { type EventDetails, readEvent, titleOf } from "@faultline/sentry-event";
import { type ErrorEvent } from "@faultline/proto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { groupHash } from "../../../plugins/integrated-backend/src/grouping/version-1/grouping.ts";
import { type Capture, readCaptures } from "../../support/sentry/capture.ts";
import { capturedEvents } from "../../support/sentry/captured-events.ts";
import { head, plain } from "../../support/sentry/sentry-event.ts";

const captured = suite("captures");
const groupHashes: Record<string, readonly string[]> = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../fixtures/captures/group-hashes.json"), "utf8"),
);

for (const capture of readCaptures()) {
  captured(`${capture.name} is read as its program meant it`, () => {
    const events = readCapture(capture);
    assert.equal(
      events.map((event) => event.head.eventId),
      capture.eventIds,
    );
    const meant = capture.expect.filter(({ kind }) => kind === "exception" || kind === "message");
    for (const [index, event] of events.entries()) assertMeaning(event, meant[index], capture);
    assert.equal(
      events.map((event) => groupHash(event.head)),
      groupHashes[capture.name] ?? [], // as stored by grouping version 1 before library frames were corrected
    );
  });
}

// The frames that the captured SDKs mark, or leave open, and that are not the application's.
const corrected: ReadonlySet<string> = new Set(["lib/sentry-ruby.rb", "lib/sentry/hub.rb", "Thread.java"]);

captured("the frames shown as the application's lie in the programs' own files", () => {
  const files = new Set<string>();
  const libraries = new Set<string>();
  for (const { details } of readCaptures().flatMap(readCapture)) {
    for (const { frames } of [...details.exceptions, ...details.threads]) {
      for (const { inApp, filename } of frames) (inApp ? files : libraries).add(filename.replace(/^.*[\\/]/, ""));
    }
  }
  assert.equal([...files].toSorted(), ["App.java", "app.cjs", "app.php", "app.py", "app.rb", "bundle.js", "main.go"]);
  for (const file of corrected) assert.ok(libraries.has(file.replace(/^.*[\\/]/, "")), file);
});

interface ReadEvent {
  readonly head: ErrorEvent;
  readonly details: EventDetails;
}

function readCapture(capture: Capture): ReadEvent[] {
  return capturedEvents(capture).map(({ event, payload, envelopeEventId }) => ({
    head: head(event, { envelopeEventId, payload: plain(payload) }),
    details: readEvent(payload),
  }));
}

function assertMeaning(event: ReadEvent, meant: Capture["expect"][number] | undefined, capture: Capture): void {
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
    // Node 7 itself writes "[Object]" for values deeper than three levels.
    if (!JSON.stringify(event.details.extra).includes("[Object]")) assert.equal(event.details.extra?.[key], value);
  }
}

function assertUser(event: ReadEvent, meant: Readonly<Record<string, unknown>>, hidesIpAddress: boolean): void {
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

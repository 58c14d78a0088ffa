import type { Event } from "@faultline/proto";
import * as assert from "uvu/assert";
import { readCaptures, replay, type Expectation } from "../support/sentry/capture.ts";
import { createProject } from "../support/core/project.ts";
import type { Server } from "../support/service/server.ts";
import { storedEvents } from "./observe.ts";
import { doorOf } from "./recorder.ts";

/** A capture that was sent again: what its program meant, the answer, and what is stored of it. */
interface Sent {
  readonly name: string;
  readonly door: string;
  readonly status: number;
  readonly meant: Expectation;
  /** The event; undefined if the capture holds no error event. */
  readonly event: Event | undefined;
}

/** A row of the matrix; `cases` picks the captures that show it. */
export interface CapturedFeature {
  readonly name: string;
  readonly cases: RegExp;
  readonly check: (sent: Sent) => void;
}

/** The features with captures that show what their program meant. */
export function capturedFeatures(version: string): readonly CapturedFeature[] {
  return [
    { name: "each request is answered 200", cases: /./, check: ({ status }) => assert.is(status, 200) },
    {
      name: "version of the SDK",
      cases: /01-handled|03-message|04-users/,
      check: ({ event }) => assert.is(event?.sdk?.version, version),
    },
    { name: "handled chained exception", cases: /01-handled/, check: assertChain },
    { name: "messages at five levels", cases: /03-message/, check: assertMessage },
    { name: "users by id, username, email, IP", cases: /04-users/, check: assertUser },
    { name: "tags", cases: /05-context/, check: assertTags },
    { name: "release and environment", cases: /01-handled/, check: assertRelease },
  ];
}

/** Sends all captures of an SDK, such as `php-3.18.0`, to a new project. */
export async function sendCaptures(server: Server, folder: string): Promise<readonly Sent[]> {
  const project = await createProject(server);
  const captures = readCaptures().filter(({ name }) => name.startsWith(`${folder}/`));
  const statuses: number[] = [];
  for (const capture of captures) statuses.push((await replay(server, project, capture)).status);
  const events = await storedEvents(server, project.id);
  return captures.flatMap(({ name, target, expect, eventIds }, index) =>
    expect.map((meant) => ({
      name,
      door: doorOf(target),
      status: statuses[index] ?? 0,
      meant,
      event: events.find(({ eventId }) => eventIds.includes(eventId)),
    })),
  );
}

function assertChain({ event, meant }: Sent): void {
  const shortened = ({ type, value }: { readonly type: string; readonly value: string }) => [type, value];
  assert.ok(meant.exceptions);
  assert.equal(event?.exceptions.map(shortened), meant.exceptions.map(shortened));
}

function assertMessage({ event, meant }: Sent): void {
  assert.equal([event?.message, event?.level], [meant.message, meant.level]);
}

function assertUser({ event, meant }: Sent): void {
  const { id = "", username = "", email = "", ip_address: ipAddress = "" } = meant.user ?? {};
  const { user } = event ?? {};
  assert.equal([user?.id, user?.username, user?.email, user?.ipAddress], [`${id}`, username, email, ipAddress]);
}

function assertTags({ event, meant }: Sent): void {
  assert.ok(meant.tags);
  for (const [key, value] of Object.entries(meant.tags)) assert.is(event?.tags[key], String(value));
}

function assertRelease({ event, meant }: Sent): void {
  assert.ok(meant.release);
  assert.equal([event?.release, event?.environment], [meant.release, meant.environment]);
}

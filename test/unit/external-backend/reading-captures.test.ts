import { create, toJson } from "@bufbuild/protobuf";
import { type JsonObject, readEvent as readSentEvent } from "@faultline/sentry-event";
import { EventSchema } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readEvent } from "../../../plugins/external-backend/src/reading/index.ts";
import { type Capture, readCaptures } from "../../support/sentry/capture.ts";
import { capturedEvents } from "../../support/sentry/captured-events.ts";
import { fakeData } from "../../support/external/played-sentry/data.ts";
import { wireEvent } from "../../support/external/played-sentry/wire-event.ts";
import { contextOf, now, parsed } from "../../support/external/sentry-answers.ts";

const captures = suite("captures");

for (const capture of readCaptures()) {
  const sent = eventsOf(capture);
  if (sent.length === 0) continue; // transactions and sessions are no events
  captures(`${capture.name} shows the same when it is read from an external system`, () => {
    for (const payload of sent) assert.equal(external(payload), inApi(integrated(payload)));
  });
}

/**
 * The web API has only tags for four fields of an event. So a tag with such a name, which the Node SDK 7 sends with a
 * span, becomes the field there.
 */
function inApi({ tags = {}, ...event }: JsonObject): JsonObject {
  const { transaction, ...others } = tags as JsonObject;
  return {
    ...event,
    ...(Object.keys(others).length > 0 && { tags: others }),
    ...(transaction !== undefined && event["transaction"] === undefined && { transaction }),
  };
}

captures("there are captures of nine SDKs", () => {
  const sdks = readCaptures().filter((capture) => eventsOf(capture).length > 0);
  assert.is(new Set(sdks.map(({ name }) => name.split("/")[0])).size, 9);
});

/** The shown fields of the event where it was sent to us. */
function integrated(payload: string): JsonObject {
  return shown(create(EventSchema, readSentEvent(payload)));
}

/** The fields if the event was sent to an external system, which decides title, culprit and level. */
function external(payload: string): JsonObject {
  const { title, culprit, level, platform } = readSentEvent(payload);
  const events = [{ payload: parsed(payload) as JsonObject }];
  const [issue] = fakeData({ issues: [{ title, culprit, level, platform, events }] }, now).issues;
  const [event] = issue?.events ?? [];
  if (!issue || !event) throw new Error("the external system has no event");
  const answer = parsed(JSON.stringify(wireEvent(event, issue)));
  return shown(create(EventSchema, readEvent(answer, contextOf()).event));
}

/** All but what names and times an event, and how it was sent. */
function shown(event: ReturnType<typeof create<typeof EventSchema>>): JsonObject {
  // The fake system's times have no more than milliseconds.
  const json = JSON.stringify(toJson(EventSchema, event)).replaceAll(/("time":"[^"]*\.\d{3})\d+Z/g, "$1Z");
  return Object.fromEntries(Object.entries(parsed(json) ?? {}).filter(([key]) => !ofTheSystem.has(key)));
}

const ofTheSystem = new Set(["eventId", "errorId", "projectId", "occurredTime", "receivedTime", "payloadJson"]);

function eventsOf(capture: Capture): string[] {
  return capturedEvents(capture).map(({ payload }) => payload.toString());
}

captures.run();

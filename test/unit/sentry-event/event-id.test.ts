import { type JsonValue, readEventId } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { generated, head, id } from "../../support/sentry/sentry-event.ts";

const identity = suite("event id");

const ids: [claim: string, sent: JsonValue, envelope: string | undefined, found: string][] = [
  ["an id is kept", id, undefined, id],
  ["an id is lower-cased", id.toUpperCase(), undefined, id],
  ["a hyphenated id loses its hyphens", "01234567-89AB-cdef-0123-456789abcdef", undefined, id],
  ["the envelope's id wins", "a".repeat(32), id, id],
  ["the envelope's id fills in", null, id, id],
  ["an envelope's id that is none leaves the event's own", id, "not-a-uuid", id],
  ["no id at all gets a new one", null, undefined, generated],
  ["not-a-uuid gets a new one", "not-a-uuid", undefined, generated],
  ["the nil id gets a new one", "0".repeat(32), undefined, generated],
  ["hyphens in other places make no id", "0123-456789abcdef0123456789abcdef", undefined, generated],
  ["a number gets a new one", 42, undefined, generated],
];

for (const [claim, sent, envelopeEventId, found] of ids) {
  identity(claim, () => assert.is(head({ event_id: sent }, { envelopeEventId }).eventId, found));
}

identity("an id is read the same at every door", () => {
  assert.is(readEventId("01234567-89ab-cdef-0123-456789abcdef"), id);
  assert.is(readEventId(undefined), undefined);
});

identity.run();

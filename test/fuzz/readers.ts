import { toBinary } from "@bufbuild/protobuf";
import { groupParts, readErrorEvent, readEvent, type JsonObject, type JsonValue } from "@faultline/sentry-event";
import {
  ErrorEventSchema,
  EventSchema,
  SessionAggregateSchema,
  SessionUpdateSchema,
  UserFeedbackSchema,
} from "@faultline/proto";
import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { groupHash } from "../../plugins/integrated-backend/src/grouping/version-1/grouping.ts";
import { readCspReports } from "../../plugins/http-bridge/src/ingest/items/csp-report.ts";
import { readFeedback } from "../../plugins/http-bridge/src/ingest/items/feedback.ts";
import { isLeftAside } from "../../plugins/http-bridge/src/ingest/items/left-aside.ts";
import { readSessionAggregates, readSessionUpdate } from "../../plugins/http-bridge/src/ingest/items/session.ts";
import { plain, receivedAt } from "../support/sentry/sentry-event.ts";
import type { Claim } from "./claim.ts";
import { hostileObject, jsonValue, text } from "./hostile-event.ts";
import { readClientReport } from "../../plugins/http-bridge/src/ingest/items/envelope-items.ts";

const arrival = { projectId: 1, receivedAt, clientIp: "127.0.0.1" };
const nothing = plain(new Uint8Array());
const newEventId = () => "f".repeat(32);

/** Mostly right, so that sessions and buckets come out of it. */
const attrs = fc.record({ release: text, environment: text }) as fc.Arbitrary<JsonObject>;
const started = fc.constantFrom<JsonValue>("2026-11-21T11:00:00Z", receivedAt / 1000, null, "x");
const count = fc.oneof(fc.nat({ max: 9 }), fc.constantFrom<JsonValue>(-1, 1.5, 2 ** 31, 2 ** 53, 1e300, "5", null));
const bucket: fc.Arbitrary<JsonValue> = fc.record(
  { started, did: jsonValue, exited: count, errored: count, crashed: count, abnormal: count, unhandled: count },
  { requiredKeys: ["started"] },
);
const session: fc.Arbitrary<JsonObject> = fc
  .tuple(hostileObject, fc.record({ attrs, started, aggregates: fc.array(bucket, { maxLength: 3 }) }))
  .map(([hostile, sound]) => ({ ...sound, ...hostile }));

const cspReport: fc.Arbitrary<JsonValue> = fc.dictionary(
  fc.constantFrom("type", "body", "csp-report", "blocked-uri", "violated-directive", "document-uri", "blockedURL"),
  fc.oneof(jsonValue, fc.constantFrom("csp-violation", "https://[::1]:0/x", "data:", "blob:https://a"), hostileObject),
);

/** The claims on every reader of JSON: it never throws for an object, and its result can be sent and stored. */
export const readerClaims: readonly Claim[] = [
  {
    claim: "the head of any event can be read, grouped and sent",
    property: fc.property(hostileObject, (object) => {
      const event = readErrorEvent(object, { ...arrival, payload: nothing, newEventId });
      assert.match(groupHash(event), /^[0-9a-f]{32}$/);
      assert.equal(groupParts(event, { notes: { reasons: [], show: (shown) => shown } }), groupParts(event));
      toBinary(ErrorEventSchema, event);
    }),
  },
  {
    claim: "any event can be shown",
    property: fc.property(hostileObject, (object) => sendable(JSON.stringify(object))),
  },
  {
    claim: "any text that should be an event can be shown",
    property: fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), sendable),
  },
  {
    claim: "any object is a session update, or left aside",
    property: fc.property(session, (object) => {
      const update = readSessionUpdate(object, arrival);
      if (!isLeftAside(update)) toBinary(SessionUpdateSchema, update);
    }),
  },
  {
    claim: "any object is counted sessions or left aside, and no counter is negative or more than its column holds",
    property: fc.property(session, (object) => {
      for (const counted of readSessionAggregates(object, arrival))
        if (!isLeftAside(counted)) toBinary(SessionAggregateSchema, counted);
    }),
  },
  {
    claim: "any object is feedback, or left aside",
    property: fc.property(hostileObject, (object) => {
      const feedback = readFeedback(object, arrival);
      if (!isLeftAside(feedback)) toBinary(UserFeedbackSchema, feedback);
    }),
  },
  {
    claim: "any object is a client report of whole numbers",
    property: fc.property(hostileObject, (object) => {
      for (const { quantity } of readClientReport(object)) assert.ok(Number.isInteger(quantity) && quantity > 0);
    }),
  },
  {
    claim: "any value is a list of CSP reports, each an event that can be read, or left aside",
    property: fc.property(fc.oneof(fc.array(cspReport, { maxLength: 3 }), cspReport), (value) => {
      for (const event of readCspReports(value, { release: null, environment: "e", userAgent: undefined }))
        if (!isLeftAside(event)) readErrorEvent(event, { ...arrival, payload: nothing, newEventId });
    }),
  },
];

/** Reads a payload as a page of it does, and writes it as gRPC does: a field out of its range would fail there. */
function sendable(payload: string): void {
  toBinary(EventSchema, {
    $typeName: "faultline.v1.Event",
    clientKeyId: 0,
    eventId: newEventId(),
    errorId: "",
    projectId: 1,
    feedback: [],
    ...readEvent(payload, { occurredAt: receivedAt, user: "id:1" }),
  });
}

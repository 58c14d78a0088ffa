import { bodyOf, hours, operation, paramsOf, periodParam, single } from "@faultline/plugin/rest";
import {
  DeleteUnstoredEventsResponseSchema,
  IngestService,
  ListOutcomesResponseSchema,
  ListUnstoredEventsResponseSchema,
  OutcomeSchema,
  OutcomeService,
  ReplayUnstoredEventsResponseSchema,
  UnstoredEventSchema,
} from "@faultline/proto";

const tag = "Releases";
const { listOutcomes: outcomesMethod } = OutcomeService.method;
const { method } = IngestService;

const outcomes = bodyOf(
  ListOutcomesResponseSchema,
  { outcomes: { of: bodyOf(OutcomeSchema), maxItems: 200 }, refusedPerHour: "refused_counts", startTime: false },
  { name: "Outcomes", description: "What was not stored.", further: hours },
);

export const listOutcomes = operation(outcomesMethod, "GET /projects/:project/error_tracking/outcomes", {
  tag,
  summary: "Count what was not stored",
  params: paramsOf(outcomesMethod.input, { hourCount: { as: "period", ...periodParam("24h") } }),
  answer: single(200, "The counts.", outcomes),
});
const address = "/projects/:project/error_tracking/unstored_events" as const;

export const unstoredEvent = bodyOf(UnstoredEventSchema, {
  unstoredEventId: null,
  projectId: null,
  eventId: null,
  receivedTime: null,
  deadLetterId: null,
  givenUpTime: null,
});

export const listUnstoredEvents = operation(method.listUnstoredEvents, `GET ${address}`, {
  tag,
  summary: "List what was accepted and could not be stored",
  answer: single(
    200,
    "At most 100 items, the newest first.",
    bodyOf(ListUnstoredEventsResponseSchema, { unstoredEvents: { of: unstoredEvent } }, { name: "UnstoredEvents" }),
  ),
});

export const replayUnstoredEvents = operation(method.replayUnstoredEvents, `POST ${address}/replay`, {
  tag,
  summary: "Try again to store what could not be stored",
  more: "Without ids all of it, and of dead letters the oldest 1,000.",
  answer: single(200, "The result.", bodyOf(ReplayUnstoredEventsResponseSchema, {}, { name: "ReplayedEvents" })),
});

export const deleteUnstoredEvents = operation(method.deleteUnstoredEvents, `DELETE ${address}`, {
  tag,
  summary: "Delete what could not be stored",
  more: "Without ids all of it.",
  answer: single(
    200,
    "How many were deleted.",
    bodyOf(DeleteUnstoredEventsResponseSchema, {}, { name: "DeletedEvents" }),
  ),
});

import { create } from "@bufbuild/protobuf";
import {
  EventPosition,
  GetEventRequestSchema,
  ListEventsRequestSchema,
  type Event,
  type EventSummary,
  type GetEventResponse,
} from "@faultline/proto";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import { perPageOf, setCursorLinks } from "../pages.ts";
import { choiceParam, textParam } from "../params.ts";
import type { Operation, RestAnswer, RestCall } from "../rest.ts";
import { namedError } from "./errors.ts";
import { eventBody } from "./event-body.ts";

/** The events of an error, the newest first. */
export const listEvents: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  choiceParam(params, "sort", ["occurred_at_desc"]);
  const request = create(ListEventsRequestSchema, {
    ...namedError(restCall),
    pageSize: perPageOf(params),
    pageToken: textParam(params, "cursor") ?? "",
  });
  const { events = [], nextPageToken = "" } = await visit.host.core.errors.listEvents(request, call);
  setCursorLinks(visit, { next: nextPageToken });
  return { status: 200, body: (events as EventSummary[]).map(summaryBody) };
};

/** The newest or oldest event of an error. */
export const getEventAt =
  (position: EventPosition): Operation =>
  async (restCall) => {
    const { visit, call } = restCall;
    const request = create(GetEventRequestSchema, { ...namedError(restCall), position });
    return answer((await visit.host.core.errors.getEvent(request, call)) as GetEventResponse);
  };

export const getEvent: Operation = async (restCall) => answer(await read(restCall));

/** The event as it was sent. */
export const getEventPayload: Operation = async (restCall) => {
  const { event } = await read(restCall);
  return { status: 200, json: (event as Event).payloadJson };
};

function answer(response: GetEventResponse): RestAnswer {
  return { status: 200, body: eventBody(response.event as Event, response) }; // the guarded core answers whole messages
}

async function read(restCall: RestCall): Promise<GetEventResponse> {
  const { visit, call } = restCall;
  const eventId = visit.path["event_id"] ?? "";
  const request = create(GetEventRequestSchema, { projectId: projectOf(restCall).projectId, eventId });
  return (await visit.host.core.errors.getEvent(request, call)) as GetEventResponse;
}

function summaryBody(event: EventSummary): object {
  return {
    id: event.eventId,
    title: event.title,
    level: event.level,
    user: event.user || null,
    release: event.release || null,
    environment: event.environment || null,
    occurred_at: isoTime(event.occurredTime),
    received_at: isoTime(event.receivedTime),
  };
}

import { toJson } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import {
  EventPosition,
  EventSchema,
  EventSummarySchema,
  type GetEventResponse,
  type ListEventsResponse,
} from "@faultline/proto";
import type { Case } from "../case.ts";
import { errors, hour } from "../data.ts";
import { wholeEvent } from "../whole-event.ts";
import { type Project, seen } from "../world.ts";

/** The events of CheckoutFailed, newest first. */
const ids = (errors[0]?.events ?? []).map(({ id }) => id).toReversed();
const [newest = "", second = "", third = "", fourth = "", oldest = ""] = ids;

type Listing = Omit<Parameters<Project["events"]>[0], "errorId">;
type Asking = Parameters<Project["event"]>[0];

const idsOf = ({ events }: ListEventsResponse) => events.map(({ eventId }) => eventId);
const shownId = ({ event, newerEventId, olderEventId }: GetEventResponse) => ({
  id: event?.eventId,
  newer: newerEventId,
  older: olderEventId,
});

const listed = (name: string, request: Listing, answer: unknown): Case => ({
  name: `events ${name}`,
  answer,
  observe: async (project) => seen(project.events({ errorId: await project.id("CheckoutFailed"), ...request }), idsOf),
});

const ofError = (name: string, request: Asking, answer: unknown): Case => ({
  name,
  answer,
  observe: async (project) => seen(project.event({ errorId: await project.id("CheckoutFailed"), ...request }), shownId),
});

const byId = (name: string, eventId: string, answer: unknown): Case => ({
  name,
  answer,
  observe: (project) => seen(project.event({ eventId }), shownId),
});

const summary = {
  eventId: newest,
  occurredTime: "2026-01-10T11:55:00Z",
  receivedTime: "2026-01-10T12:30:00Z",
  title: "CheckoutFailed: the cart is broken",
  user: "id:u1",
  release: "shop@2",
  environment: "production",
  level: "error",
};

const at = (minutes: number) => timestamp(hour + minutes * 60_000);

export const eventCases: readonly Case[] = [
  listed("of an error, newest first", {}, ids),
  listed("from a time on, which belongs to them", { startTime: at(-140) }, [newest, second, third]),
  listed("before a time, which does not belong to them", { endTime: at(-140) }, [fourth, oldest]),
  listed("between two times", { startTime: at(-200), endTime: at(-60) }, [second, third, fourth]),
  listed("of a window that ends before it begins", { startTime: at(-60), endTime: at(-200) }, []),
  listed("of a window without any", { startTime: at(-1000), endTime: at(-900) }, []),
  listed("with a page token that is none", { pageToken: "x" }, "INVALID_PAGE_TOKEN of page_token"),
  {
    name: "events in pages of two",
    answer: [[newest, second], [third, fourth], [oldest]],
    async observe(project) {
      const errorId = await project.id("CheckoutFailed");
      const pages: string[][] = [];
      let pageToken = "";
      do {
        const page = await project.events({ errorId, pageSize: 2, pageToken });
        pages.push(idsOf(page));
        pageToken = page.nextPageToken;
      } while (pageToken !== "" && pages.length < 10);
      return pages;
    },
  },
  {
    name: "a page token of another error's events is refused",
    answer: "INVALID_PAGE_TOKEN of page_token",
    async observe(project) {
      const { nextPageToken } = await project.events({ errorId: await project.id("CheckoutFailed"), pageSize: 2 });
      return seen(project.events({ errorId: await project.id("Timeout"), pageToken: nextPageToken }), idsOf);
    },
  },
  {
    name: "events of an error that there is not",
    answer: "ERROR_NOT_FOUND",
    observe: (project) => seen(project.events({ errorId: "999999" }), idsOf),
  },
  {
    name: "events of an error of another project",
    answer: "ERROR_NOT_FOUND",
    observe: (project) => seen(project.events({ errorId: project.world.other.errorId }), idsOf),
  },
  {
    name: "an event in a list",
    answer: summary,
    async observe(project) {
      const { events } = await project.events({ errorId: await project.id("CheckoutFailed"), pageSize: 1 });
      return events[0] ? toJson(EventSummarySchema, events[0]) : "nothing";
    },
    differs: {
      sentry: {
        because: "a list there does not say when an event was received",
        answer: { ...summary, receivedTime: summary.occurredTime },
      },
    },
  },
  ofError("the newest event", {}, { id: newest, newer: "", older: second }),
  ofError("the newest event by name", { position: EventPosition.NEWEST }, { id: newest, newer: "", older: second }),
  ofError("the oldest event", { position: EventPosition.OLDEST }, { id: oldest, newer: fourth, older: "" }),
  ofError("an event between its neighbours", { eventId: third }, { id: third, newer: second, older: fourth }),
  ofError(
    "an event by its id, which counts more than the position",
    { eventId: third, position: EventPosition.OLDEST },
    { id: third, newer: second, older: fourth },
  ),
  byId("an event by its id alone", third, { id: third, newer: second, older: fourth }),
  byId("an event by its id with hyphens, in capitals", hyphenated(third).toUpperCase(), {
    id: third,
    newer: second,
    older: fourth,
  }),
  byId("an event that there is not", "e".repeat(32), "EVENT_NOT_FOUND"),
  byId("an event whose id is none", "x", "EVENT_NOT_FOUND"),
  byId("an event whose id leads elsewhere", "../../x", "EVENT_NOT_FOUND"),
  byId("an event whose id has NUL", "\0", "INVALID_FIELD of event_id"),
  byId("an event whose id is all zeros", "0".repeat(32), "EVENT_NOT_FOUND"),
  byId("no event of no error", "", "ERROR_NOT_FOUND"),
  {
    name: "an event of another project",
    answer: "EVENT_NOT_FOUND",
    observe: (project) => seen(project.event({ eventId: project.world.other.eventId }), shownId),
  },
  {
    name: "an event of another error",
    answer: "EVENT_NOT_FOUND",
    observe: async (project) => seen(project.event({ eventId: third, errorId: await project.id("Timeout") }), shownId),
  },
  {
    name: "the newest event of an error that there is not",
    answer: "ERROR_NOT_FOUND",
    observe: (project) => seen(project.event({ errorId: "999999" }), shownId),
  },
  {
    name: "the newest event of an error of another project",
    answer: "ERROR_NOT_FOUND",
    observe: (project) => seen(project.event({ errorId: project.world.other.errorId }), shownId),
  },
  {
    name: "an event whole",
    answer: wholeEvent,
    async observe(project) {
      const { event } = await project.event({ errorId: await project.id("CheckoutFailed") });
      if (!event) return "nothing";
      const { errorId: _, projectId: __, payloadJson: ___, clientKeyId: ____, ...rest } = toJson(EventSchema, event);
      return rest;
    },
  },
  {
    name: "what the limits cut from an event",
    answer: ["extra.note: 16380 of 20000"],
    async observe(project) {
      const { event } = await project.event({ errorId: await project.id("Payment") });
      return event?.trimmed.map(({ part, kept, sent }) => `${part}: ${kept} of ${sent}`);
    },
  },
  {
    name: "an event belongs to its error and its project",
    answer: true,
    async observe(project) {
      const errorId = await project.id("CheckoutFailed");
      const { event } = await project.event({ eventId: third });
      return event?.errorId === errorId && event.projectId === project.world.projectId;
    },
  },
  {
    name: "the JSON of an event",
    answer: "exception",
    async observe(project) {
      const { event } = await project.event({ errorId: await project.id("CheckoutFailed") });
      const sent = JSON.parse(event?.payloadJson ?? "{}") as Record<string, unknown>;
      return ["exception", "entries"].filter((key) => key in sent).join();
    },
    differs: {
      faultline: { because: "it is what the external system reports of the event", answer: "entries" },
      sentry: { because: "it is what the external system reports of the event", answer: "entries" },
    },
  },
];

function hyphenated(id: string): string {
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

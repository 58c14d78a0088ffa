import { cursorPage, json } from "../answers.ts";
import { resource } from "../operation.ts";
import { cursor, period, perPage, query } from "../parameters.ts";
import { choice, ref, text, type Schema } from "../schema.ts";

const errors = "/projects/{project}/error_tracking/errors";
const events = "/projects/{project}/error_tracking/events";
const status = choice("The status to set.", ["unresolved", "resolved", "ignored"]);
const sorts = ["last_seen", "first_seen", "frequency", "last_seen_desc", "first_seen_desc", "frequency_desc"];

export const errorIds: Schema = {
  description: "The errors, 1 to 1,000: a list, or their ids joined by commas.",
  anyOf: [
    { type: "array", items: { type: "string", pattern: "^[1-9]\\d{0,17}$" }, minItems: 1, maxItems: 1000 },
    { type: "string", pattern: "^[1-9]\\d{0,17}(,[1-9]\\d{0,17})*$" },
  ],
};

export const errorPaths = resource("Errors", {
  [errors]: {
    get: {
      id: "listErrors",
      summary: "List the errors of a project",
      needs: ["Reporter", "read"],
      query: [
        query("query", text("Words, and `key:value` for level, release, environment and tags.", { maxLength: 200 })),
        query(
          "status",
          choice("Only this status.", ["unresolved", "resolved", "ignored", "all"], { default: "unresolved" }),
        ),
        query("sort", choice("The order, always descending.", sorts, { default: "last_seen" })),
        perPage,
        cursor,
      ],
      answers: { 200: cursorPage("The errors.", "ListedError") },
      refuses: [422, 429],
    },
  },
  [`${errors}/bulk`]: {
    post: {
      id: "updateErrors",
      summary: "Set the status of several errors",
      needs: ["Developer", "write"],
      body: { fields: { ids: errorIds, status }, required: ["ids", "status"] },
      answers: { 200: json("What was changed, and how to undo it.", ref("ChangedErrors")) },
    },
  },
  [`${errors}/{error_id}`]: {
    get: {
      id: "getError",
      summary: "Read an error",
      needs: ["Reporter", "read"],
      answers: { 200: json("The error.", ref("Error")) },
    },
    put: {
      id: "updateError",
      summary: "Set the status of an error",
      needs: ["Developer", "write"],
      body: { fields: { status }, required: ["status"] },
      answers: { 200: json("The changed error.", ref("Error")) },
    },
    delete: {
      id: "deleteError",
      summary: "Delete an error with its events",
      more: "It can be undone for ten minutes.",
      needs: ["Maintainer", "write"],
      answers: { 202: json("The deletion.", ref("Deletion")) },
    },
  },
  [`${errors}/{error_id}/stats`]: {
    get: {
      id: "getErrorStats",
      summary: "Count the events of an error by hour",
      needs: ["Reporter", "read"],
      query: [period("24h")],
      answers: { 200: json("The bar graph.", ref("ErrorStats")) },
    },
  },
  [`${errors}/{error_id}/events`]: {
    get: {
      id: "listEvents",
      summary: "List the events of an error",
      needs: ["Reporter", "read"],
      query: [query("sort", choice("The order.", ["occurred_at_desc"])), perPage, cursor],
      answers: { 200: cursorPage("The events, the newest first.", "EventSummary") },
    },
  },
  [`${errors}/{error_id}/events/latest`]: {
    get: {
      id: "getLatestEvent",
      summary: "Read the newest event of an error",
      needs: ["Reporter", "read"],
      answers: { 200: json("The event.", ref("Event")) },
    },
  },
  [`${errors}/{error_id}/events/oldest`]: {
    get: {
      id: "getOldestEvent",
      summary: "Read the oldest event of an error that is kept",
      needs: ["Reporter", "read"],
      answers: { 200: json("The event.", ref("Event")) },
    },
  },
  [`${events}/{event_id}`]: {
    get: {
      id: "getEvent",
      summary: "Read an event",
      needs: ["Reporter", "read"],
      answers: { 200: json("The event.", ref("Event")) },
    },
  },
  [`${events}/{event_id}/payload`]: {
    get: {
      id: "getEventPayload",
      summary: "Read an event as it was sent",
      needs: ["Reporter", "read"],
      answers: { 200: json("The event in the form of the SDK.", { type: "object" }) },
    },
  },
});

import { invalidField } from "@faultline/plugin";
import type { UpdateClientKeyRequest } from "@faultline/proto";
import type { ClientKeyRow } from "./client-key.ts";
import { readOrigins } from "./origins.ts";

const most = { perMinute: 1_000_000, perDay: 100_000_000 };

/** Applies the changes of a request to a key's row, or refuses them with INVALID_FIELD. */
export function applyChanges(row: ClientKeyRow, request: UpdateClientKeyRequest): void {
  const { active = row.active, eventsPerMinute = row.eventsPerMinute, eventsPerDay = row.eventsPerDay } = request;
  if (eventsPerMinute > most.perMinute) {
    throw invalidField("events_per_minute", "The limit per minute is 1 to 1,000,000 events; 0 means no limit.");
  }
  if (eventsPerDay > most.perDay) {
    throw invalidField("events_per_day", "The limit per day is 1 to 100,000,000 events; 0 means no limit.");
  }
  if (eventsPerDay > 0 && eventsPerMinute > eventsPerDay) {
    throw invalidField(
      request.eventsPerMinute === undefined ? "events_per_day" : "events_per_minute",
      `The limit per minute (${eventsPerMinute}) is above the limit per day (${eventsPerDay}). Lower the first or raise the second.`,
    );
  }
  const origins = request.allowedOrigins && readOrigins(request.allowedOrigins.origins).join(" ");
  Object.assign(row, {
    active,
    eventsPerMinute,
    eventsPerDay,
    ...(origins !== undefined && { allowedOrigins: origins }),
  });
}

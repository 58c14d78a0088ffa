import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import {
  type JsonObject,
  type JsonValue,
  limits,
  readEnvironment,
  readEventId,
  readLevel,
  readRelease,
  readUserKey,
  readUserNames,
  userKey,
} from "@faultline/sentry-event";
import type { EventSummarySchema } from "@faultline/proto";
import { sentTags } from "./event-tags.ts";
import { nameOf, readItems, textOf, timeOf } from "./fields.ts";
import { missingKeys } from "./invalid-answer.ts";

/** A page of the events of an issue, at most 100; with the names of their users where these are asked for. */
export function readEventSummaries(
  json: JsonValue,
  { userNames = false }: { userNames?: boolean } = {},
): MessageInitShape<typeof EventSummarySchema>[] {
  return readItems(
    json,
    (sent) => readSummary(sent, userNames),
    ({ eventId }) => eventId,
  );
}

function readSummary(sent: JsonObject, userNames: boolean): MessageInitShape<typeof EventSummarySchema> {
  const { eventId, occurredAt, receivedAt } = readEventHead(sent);
  const tags = sentTags(sent);
  const { user = null } = sent;
  const names = readUserNames({ user });
  return {
    eventId,
    occurredTime: timestamp(occurredAt),
    receivedTime: timestamp(receivedAt),
    title: nameOf(sent["title"], limits.text.title) || "<unlabeled event>",
    user: userKey(names) || readUserKey(textOf(tags.get("user"), limits.text.userName)),
    release: readRelease({ release: textOf(tags.get("release"), limits.text.release) }),
    environment: readEnvironment({ environment: textOf(tags.get("environment"), limits.text.environment) }),
    level: readLevel(tags.get("level")),
    ...(userNames && userKey(names) !== "" && { names }),
  };
}

/** The identity of an event: its id and its times. Refuses an event without them. */
export function readEventHead(sent: JsonObject): { eventId: string; occurredAt: number; receivedAt: number } {
  const eventId = readEventId(sent["eventID"]);
  const created = timeOf(sent["dateCreated"]);
  const received = timeOf(sent["dateReceived"]);
  const occurredAt = created ?? received;
  const receivedAt = received ?? created;
  if (eventId === undefined) throw missingKeys("eventID");
  if (occurredAt === undefined || receivedAt === undefined) throw missingKeys("dateCreated");
  return { eventId, occurredAt, receivedAt };
}

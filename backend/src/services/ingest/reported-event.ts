import { gunzipSync } from "node:zlib";
import { ScalarType } from "@bufbuild/protobuf";
import { invalidField, millisecondsOf, timestamp } from "@faultline/plugin";
import { boundedTime, limits, readUserKey, type UserNames } from "@faultline/sentry-event";
import { ErrorEventSchema, PayloadEncoding, type ErrorEvent, UserNamesSchema } from "@faultline/proto";

const maxPayloadBytes = 1024 * 1024;
const levels = ["fatal", "error", "warning", "info", "debug"];

/** The longest texts. An SDK's texts are cut to these lengths; longer texts of an internal service are refused. */
const lengths: Readonly<Record<string, number>> = {
  ...limits.text,
  eventId: 32,
  groupingCulprit: limits.text.culprit,
  level: limits.text.word,
  messageTemplate: limits.text.message,
  user: limits.text.userName + "username:".length,
};

type TextKey = {
  [Key in keyof ErrorEvent]-?: NonNullable<ErrorEvent[Key]> extends string ? Key : never;
}[keyof ErrorEvent];

const texts = ErrorEventSchema.fields
  .filter(({ fieldKind, scalar }) => fieldKind === "scalar" && scalar === ScalarType.STRING)
  .map(({ name, localName }) => {
    const length = lengths[localName];
    if (length === undefined) throw new Error(`The text ${name} of an event has no limit.`);
    return { name, key: localName as TextKey, length };
  });

/**
 * An event that a service reports, with its defaults, its time within the bounds, and its user in the form that is
 * counted. Refuses an event that breaks a limit of ingest.proto. `field` names the event in the refusal, such as
 * `events[0]`.
 */
export function reportedEvent(event: ErrorEvent, field: string, receivedAt: number): ErrorEvent {
  if (!/^[0-9a-f]{32}$/.test(event.eventId)) {
    throw invalidField(`${field}.event_id`, "An event id has 32 lower-case hexadecimal digits.");
  }
  const level = event.level || "error";
  if (!levels.includes(level)) throw invalidField(`${field}.level`, `A level is one of ${levels.join(", ")}.`);
  for (const { name, key, length } of texts) {
    if ((event[key] ?? "").length > length)
      throw invalidField(`${field}.${name}`, `It has at most ${length} characters.`);
  }
  checkNames(event.userNames, `${field}.user_names`);
  checkTags(event.tags, `${field}.tags`);
  checkPayload(event, `${field}.payload`);

  const occurredAt = event.occurredTime ? millisecondsOf(event.occurredTime) : receivedAt;
  return {
    ...event,
    keyId: 0,
    occurredTime: timestamp(boundedTime(occurredAt, receivedAt)),
    receivedTime: timestamp(receivedAt),
    level,
    user: readUserKey(event.user),
    platform: event.platform || "other",
  };
}

function checkNames(names: ErrorEvent["userNames"], field: string): void {
  for (const { name, localName } of UserNamesSchema.fields) {
    const length = localName === "email" ? limits.text.email : limits.text.userName;
    const text = names?.[localName as keyof UserNames] ?? "";
    if (text.length > length) throw invalidField(`${field}.${name}`, `It has at most ${length} characters.`);
  }
}

function checkTags(tags: ErrorEvent["tags"], field: string): void {
  const entries = Object.entries(tags);
  if (entries.length > limits.count.tags) throw invalidField(field, `An event has at most ${limits.count.tags} tags.`);
  if (entries.some((entry) => entry.some((text) => text.length > limits.text.tag))) {
    throw invalidField(field, `Tag keys and values have at most ${limits.text.tag} characters.`);
  }
}

/** Refuses a payload that could not be read again later. */
function checkPayload({ payload, payloadEncoding }: ErrorEvent, field: string): void {
  if (payload.length > maxPayloadBytes) throw invalidField(field, "An event has at most 1 MiB.");
  if (payloadEncoding !== PayloadEncoding.GZIP) return;
  try {
    gunzipSync(payload, { maxOutputLength: 2 * maxPayloadBytes });
  } catch {
    throw invalidField(field, "The payload is not valid gzip of at most 2 MiB.");
  }
}

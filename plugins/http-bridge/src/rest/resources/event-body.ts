import { toJson, type DescMessage, type JsonValue, type MessageShape } from "@bufbuild/protobuf";
import {
  EventUserSchema,
  ExceptionSchema,
  HttpRequestSchema,
  SdkSchema,
  ThreadSchema,
  TrimUnit,
  type Breadcrumb,
  type Event,
  type GetEventResponse,
  type Trim,
  type UserFeedback,
} from "@faultline/proto";
import { isoTime } from "../iso-time.ts";

/** An event whole. Its parts have the names of the schema, which are those SDKs use. */
export function eventBody(event: Event, { newerEventId, olderEventId }: GetEventResponse): object {
  return {
    id: event.eventId,
    error_id: event.errorId,
    project_id: event.projectId,
    title: event.title,
    culprit: event.culprit,
    level: event.level,
    platform: event.platform,
    occurred_at: isoTime(event.occurredTime),
    received_at: isoTime(event.receivedTime),
    message: event.message || null,
    message_template: event.messageTemplate || null,
    logger: event.logger || null,
    transaction: event.transaction || null,
    release: event.release || null,
    commit: event.commit || null,
    environment: event.environment || null,
    server_name: event.serverName || null,
    exceptions: event.exceptions.map((exception) => asJson(ExceptionSchema, exception)),
    threads: event.threads.map((thread) => asJson(ThreadSchema, thread)),
    breadcrumbs: event.breadcrumbs.map(breadcrumbBody),
    ...attachedTo(event),
    trimmed: event.trimmed.map(trimBody),
    time_bound: event.timeBound ? { sent_at: isoTime(event.timeBound.sentTime) } : null,
    feedback: event.feedback.map(feedbackBody),
    newer_event_id: newerEventId || null,
    older_event_id: olderEventId || null,
  };
}

function attachedTo({ user, request, sdk, tags, contexts, extra, modules }: Event) {
  return {
    user: user ? asJson(EventUserSchema, user) : null,
    request: request ? asJson(HttpRequestSchema, request) : null,
    sdk: sdk ? asJson(SdkSchema, sdk) : null,
    tags,
    contexts: contexts ?? {},
    extra: extra ?? {},
    modules,
  };
}

function asJson<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): JsonValue {
  return toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true });
}

function breadcrumbBody({ time, type, category, level, message, data }: Breadcrumb): object {
  return { timestamp: isoTime(time), type, category, level, message, data: data ?? null };
}

function trimBody({ part, kept, sent, unit }: Trim): object {
  return {
    part,
    kept,
    sent,
    unit: unit === TrimUnit.CHARACTERS ? "characters" : unit === TrimUnit.ENTRIES ? "entries" : null,
  };
}

function feedbackBody({ name, email, comments, receivedTime }: UserFeedback): object {
  return { name, email, comments, received_at: isoTime(receivedTime) };
}

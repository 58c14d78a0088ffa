import { createInterface } from "node:readline";
import { once } from "node:events";
import { hash } from "node:crypto";
import { fromJson, toJson } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { asObject, readErrorEvent, readUserNames, type JsonObject } from "@faultline/sentry-event";
import {
  ErrorReason,
  ErrorSort,
  ErrorStatus,
  ErrorStatusSchema,
  PayloadEncoding,
  UserFeedbackSchema,
  wordOf,
  words,
  type ErrorEvent,
  type EventSummary,
  type UserFeedback,
  type UserFeedbackJson,
} from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import type { Command } from "commander";
import { CommandFault, printLine, progress } from "./output.ts";
import { projectNamed, withService, type Service } from "./service.ts";

/** A line of an export: an error with its status, an event of the previous error (newest first), or feedback. */
type Line =
  { readonly error: ExportedError } | { readonly event: ExportedEvent } | { readonly feedback: UserFeedbackJson };

interface ExportedError {
  readonly errorId: string;
  /** Its status as a word, such as `resolved`. */
  readonly status: string;
}

interface ExportedEvent {
  readonly eventId: string;
  readonly errorId: string;
  /** ISO 8601. */
  readonly occurredTime: string;
  readonly title: string;
  /** See EventSummary. */
  readonly user: string;
  readonly release: string;
  readonly environment: string;
  readonly level: string;
  /** The unchanged event. */
  readonly payload: unknown;
}

/** Events fetched simultaneously. Each is a separate call. */
const fetchedAtOnce = 16;
const importedAtOnce = 100;
const importedBytes = 8 * 1024 * 1024;

/** `faultline export`: the errors, events and feedback of a project as JSON lines. */
export function exportCommand(command: Command): void {
  command.action((named: string) => withService((service) => exportProject(service, named)));
}

/** `faultline import`, which reads an export. */
export function importCommand(command: Command): void {
  command.action((named: string) => withService((service) => importProject(service, named)));
}

async function exportProject(service: Service, named: string): Promise<void> {
  const { projectId } = await projectNamed(service, named);
  const counter = everySecond((count) => `exported ${count} events`);
  for (let pageToken = ""; ;) {
    const page = await service.errors.listErrors(
      { projectId, pageSize: 100, pageToken, sort: ErrorSort.FIRST_SEEN },
      service.call,
    );
    for (const { errorId, status } of page.errors) {
      await write({ error: { errorId, status: wordOf(ErrorStatusSchema, status) ?? "unresolved" } });
      await exportEvents(service, { projectId, errorId }, counter.count);
    }
    pageToken = page.nextPageToken;
    if (pageToken === "") break;
  }
  await exportFeedback(service, projectId);
  counter.end();
}

/** Exports feedback, newest first: oldest first would need all pages together, and an import accepts any order. */
async function exportFeedback(service: Service, projectId: number): Promise<void> {
  for await (const page of pages((pageToken) =>
    service.errors.listFeedback({ projectId, pageSize: 100, pageToken }, service.call),
  )) {
    for (const entry of page.feedback) {
      const sentId = hash("sha256", `${projectId}/${entry.feedbackId}`).slice(0, 32);
      const kept = { ...entry, sentId, feedbackId: 0n, errorId: "", errorTitle: "", hasEvent: false };
      await write({ feedback: toJson(UserFeedbackSchema, kept) });
    }
  }
}

async function exportEvents(
  service: Service,
  error: { projectId: number; errorId: string },
  count: (events: number) => void,
): Promise<void> {
  for await (const page of pages((pageToken) =>
    service.errors.listEvents({ ...error, pageSize: 100, pageToken }, service.call),
  )) {
    for (let start = 0; start < page.events.length; start += fetchedAtOnce) {
      const some = page.events.slice(start, start + fetchedAtOnce);
      for (const line of await Promise.all(some.map((event) => exported(service, error, event)))) {
        if (line) await write({ event: line });
      }
      count(some.length);
    }
  }
}

/** Undefined if retention deleted the event meanwhile. */
async function exported(
  service: Service,
  { projectId, errorId }: { projectId: number; errorId: string },
  { eventId, occurredTime, title, user, release, environment, level }: EventSummary,
): Promise<ExportedEvent | undefined> {
  const { event } = await service.errors
    .getEvent({ projectId, errorId, eventId }, service.call)
    .catch((error: unknown) => {
      if (error instanceof CallError && error.reason === ErrorReason.EVENT_NOT_FOUND) return { event: undefined };
      throw error; // an export that lacks anything else must not look complete
    });
  if (!event || !occurredTime) return undefined;
  const payload: unknown = JSON.parse(event.payloadJson || "{}");
  return {
    eventId,
    errorId,
    occurredTime: timestampDate(occurredTime).toISOString(),
    title,
    user,
    release,
    environment,
    level,
    payload,
  };
}

async function importProject(service: Service, named: string): Promise<void> {
  const { projectId } = await projectNamed(service, named);
  const counter = everySecond((count) => `imported ${count} events`);
  /** An event of each error with a status to set: the error has another id here, and is found by its event. */
  const statuses = new Map<string, { status: ErrorStatus; eventId: string }>();
  let waiting: ErrorEvent[] = [];
  let bytes = 0;
  const send = async () => {
    if (waiting.length === 0) return;
    await service.ingest.reportEvents({ events: waiting }, service.call);
    counter.count(waiting.length);
    [waiting, bytes] = [[], 0];
  };
  let feedback: UserFeedback[] = [];
  const sendFeedback = async () => {
    if (feedback.length > 0) await service.ingest.reportFeedback({ feedback }, service.call);
    feedback = [];
  };
  let number = 0;
  for await (const text of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    number++;
    if (text.trim() === "") continue;
    const line = lineOf(text, number);
    if ("feedback" in line) {
      const entry = fromJson(UserFeedbackSchema, line.feedback);
      feedback.push({ ...entry, projectId });
      if (feedback.length >= importedAtOnce) await sendFeedback();
      continue;
    }
    if ("error" in line) {
      const status = statusOf(line.error.status);
      if (status !== ErrorStatus.UNRESOLVED) statuses.set(line.error.errorId, { status, eventId: "" });
      continue;
    }
    const found = statuses.get(line.event.errorId);
    if (found && found.eventId === "") found.eventId = line.event.eventId;
    const event = reported(line.event, projectId);
    waiting.push(event);
    bytes += event.payload.length;
    if (waiting.length >= importedAtOnce || bytes >= importedBytes) await send();
  }
  await send();
  await sendFeedback();
  for (const { status, eventId } of statuses.values()) {
    if (eventId === "") continue;
    const { event } = await service.errors.getEvent({ projectId, eventId }, service.call);
    if (!event) continue;
    await service.errors.updateErrors({ projectId, changes: [{ errorId: event.errorId, status }] }, service.call);
  }
  counter.end();
}

function lineOf(text: string, number: number): Line {
  try {
    const parsed = JSON.parse(text) as Line;
    if ("error" in parsed || "event" in parsed || "feedback" in parsed) return parsed;
  } catch {
    // Refused below, like any line that is not of an export.
  }
  throw new CommandFault(`Line ${number} is not part of an export. The lines before it are stored.`);
}

const named = words(ErrorStatusSchema);
const statusOf = (name: string) => named[name] ?? ErrorStatus.UNRESOLVED;

/** The event as services report it. Its head is read from its payload, like for an event of an SDK. */
function reported(line: ExportedEvent, projectId: number): ErrorEvent {
  const payload = (asObject(line.payload as JsonObject) ?? {}) as JsonObject;
  const content = Buffer.from(JSON.stringify(payload));
  const event = readErrorEvent(payload, {
    projectId,
    envelopeEventId: line.eventId,
    payload: { content, encoding: PayloadEncoding.UNSPECIFIED, offset: 0, length: content.length },
    receivedAt: Date.now(),
    newEventId: () => line.eventId,
  });
  const { user, release, environment, level } = line;
  const hasTitle = event.exceptions.length > 0 || event.message !== "" || event.title !== "";
  return {
    ...event,
    occurredTime: timestampFromDate(new Date(line.occurredTime)),
    user,
    userNames: { $typeName: "faultline.v1.UserNames", ...readUserNames(payload) }, // with the sender's address, if it was stored
    release,
    environment,
    level,
    ...(!hasTitle && { title: line.title }), // reported by a service, with a payload of another form
  };
}

/** Writes a line and waits for the reader, so that a long export is not held in memory. */
async function write(line: Line): Promise<void> {
  printLine(line);
  if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
}

function everySecond(text: (count: number) => string) {
  let sum = 0;
  const timer = setInterval(() => progress(text(sum)), 1_000);
  return {
    count: (events: number) => void (sum += events),
    end: () => {
      clearInterval(timer);
      progress(text(sum));
    },
  };
}

/** Reads a list page by page, to its end. */
async function* pages<P extends { readonly nextPageToken: string }>(
  read: (pageToken: string) => Promise<P>,
): AsyncGenerator<P> {
  let pageToken = "";
  do {
    const page = await read(pageToken);
    yield page;
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
}

import { emptyIntake, type Admission, type CostAccount } from "@faultline/plugin";
import type { JsonObject } from "@faultline/sentry-event";
import { OutcomeKind } from "@faultline/proto";
import { sendJson, setHeaders, type Handler, type RequestContext } from "../request-context.ts";
import { admitEnvelope, admitKey, admitRequest } from "./admission.ts";
import { readDecodedBody } from "./body/decoded-body.ts";
import { parseEnvelope } from "./body/envelope.ts";
import { parseEventJson } from "./body/event-json.ts";
import { MemoryReservation } from "./body/memory-budget.ts";
import { readEnvelope, readUnadmittedEnvelope, type ReceivedEnvelope } from "./body/read-envelope.ts";
import { receivedBytes } from "./body/received-bytes.ts";
import type { Sender } from "./body/sender.ts";
import { holdsEnvelope, readStoreBody } from "./body/store-body.ts";
import type { Body } from "./body/stored-payload.ts";
import { FairParse } from "./body/fair-parse.ts";
import type { ItemArrival } from "./items/arrival.ts";
import { readCspReports } from "./items/csp-report.ts";
import { EnvelopeItems, outcomeOf, eventFilterOf } from "./items/envelope-items.ts";
import { isReadEvent, readEventItem, type EventItem } from "./items/event.ts";
import { isLargeEvent, readLargeEvent } from "./items/large-event.ts";
import { isLeftAside } from "./items/left-aside.ts";
import { maxBodyBytes, maxEventBytes } from "./limits.ts";
import { noteRefusal } from "./outcomes.ts";
import { sendPixel } from "./pixel.ts";
import { IngestRefusal } from "./refusal.ts";
import { RateLimitUse } from "./rate-limit-use.ts";

/** Runs the work of each project in sequence; different projects run concurrently. */
export class OneAtATime {
  readonly #last = new Map<number, Promise<unknown>>();

  /** Begins when all earlier work of the project has ended, successfully or not. */
  async run<T>(projectId: number, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(projectId);
    const done = before ? before.then(work, work) : work();
    this.#last.set(projectId, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(projectId) === done) this.#last.delete(projectId);
    }
  }
}

/** `POST .../store/`: the body is an event (protocol reference, section 4). */
export const receiveStore: Handler = async (context) => {
  const admitted = await admitKey(context);
  const rateLimits = rateLimitsOf(context, admitted);
  rateLimits.take("error"); // before the body is read, so that a refusal costs next to nothing
  const body = await storeBody(context, rateLimits);
  if (holdsEnvelope(body.decoded, context.request.headers["content-type"])) {
    await acceptEnvelope(context, { envelope: parseEnvelope(body.decoded), body }, admitted);
    return;
  }
  const json = readStoreBody(body.decoded, maxEventBytes);
  const arrival = arrivalOf(context, admitted);
  const item = isLargeEvent(json)
    ? await readLargeEvent(json, arrival, { sender: rateLimits, original: body })
    : readEventItem(json, arrival, body);
  await accept(context, admitted, item);
  answer(context, isReadEvent(item) ? item.event.eventId : undefined);
};

/** `GET .../store/`: the event is in the query, the form of the oldest browser SDKs (section 4.6). */
export const receivePixel: Handler = async (context) => {
  const data = context.query.get("sentry_data");
  if (data === null) {
    context.response.setHeader("allow", "POST, OPTIONS");
    throw new IngestRefusal(405, "This address accepts only POST requests, or GET with sentry_data.");
  }
  const admission = await admitKey(context);
  rateLimitsOf(context, admission).take("error");
  const json = readStoreBody(Buffer.from(data), maxEventBytes);
  await accept(context, admission, readEventItem(json, arrivalOf(context, admission)));
  setHeaders(context.response, context.headers);
  sendPixel(context.response, 200);
};

/** `POST .../envelope/`: the body is a header and items (protocol reference, section 3). */
export const receiveEnvelope: Handler = async (context) => {
  const admitted = await admitRequest(context);
  const received = admitted
    ? await readEnvelope(context.request, rateLimitsOf(context, admitted))
    : await readUnadmittedEnvelope(context.request, async (header) =>
        rateLimitsOf(context, await admitEnvelope(context, header, undefined)),
      );
  await acceptEnvelope(context, received, admitted);
};

/** `POST .../security/`: browsers report violations of a page's Content Security Policy (section 7.4). */
export const receiveSecurityReports: Handler = async (context) => {
  const admission = await admitKey(context);
  const rateLimits = rateLimitsOf(context, admission, "security");
  const { decoded } = await storeBody(context, rateLimits);
  using reservation = new MemoryReservation();
  reservation.hold(decoded.length);
  await reportTurn(admission, rateLimits);
  const { event: body } = parseEventJson(asObjectJson(decoded));
  const read = readCspReports(body["reports"] ?? body, {
    release: context.query.get("sentry_release"),
    environment: context.query.get("sentry_environment"),
    userAgent: context.request.headers["user-agent"],
  });
  noteLeftAside(context, admission, { items: read, category: "security" });
  const reports = read.flatMap((one) => (isLeftAside(one) ? [] : [one]));
  const { taken, refusal } = takeReports(rateLimits, reports.length);
  if (refusal && taken === 0) throw refusal;
  rateLimits.takeRequest();
  await acceptReports(context, { admission, rateLimits, reports: reports.slice(0, taken) });
  if (refusal) noteRefusal(context, refusal);
  context.response.writeHead(200, [...context.headers, "content-length", "0"]).end();
};

/**
 * Reports that are read and then stored in one step: reading 100 takes 20 ms of the event loop, storing them another
 * 20.
 */
const reportsAStep = 20;

/** Separate from the turns of bodies: a page's reports, 32 concurrent requests, must not delay its events. */
const reportTurns = new FairParse();

/**
 * A project has one step at a time: otherwise steps of many requests are stored together, and a batch of events waits.
 */
const reportSteps = new OneAtATime();

function reportTurn({ projectId }: Admission, rateLimits: RateLimitUse): Promise<void> {
  return reportTurns.next(projectId, (ms) => rateLimits.charge({ ms }));
}

/** Resolves when all reports are stored. Other requests, including the project's own, are served between two steps. */
async function acceptReports(
  context: RequestContext,
  {
    admission,
    rateLimits,
    reports,
  }: { admission: Admission; rateLimits: RateLimitUse; reports: readonly JsonObject[] },
): Promise<void> {
  const arrival = arrivalOf(context, admission);
  let stored = 0;
  try {
    for (let from = 0; from < reports.length; from += reportsAStep) {
      const some = reports.slice(from, from + reportsAStep);
      stored += await reportSteps.run(admission.projectId, async () => {
        await reportTurn(admission, rateLimits);
        const read = some.map((report) => readEventItem(Buffer.from(JSON.stringify(report)), arrival));
        return store(context, admission, read);
      });
    }
  } catch (error) {
    if (stored > 0) context.host.events.received(admission, { events: stored, bytes: 0 }); // the refusal has the bytes
    throw error;
  }
  noteReceived(context, admission, stored);
}

/** Takes room for the maximum number of reports of a request; refuses the rest together. */
function takeReports(rateLimits: RateLimitUse, count: number): { taken: number; refusal?: IngestRefusal } {
  for (let taken = 0; taken < count; taken++) {
    try {
      rateLimits.take("security");
    } catch (error) {
      if (!(error instanceof IngestRefusal)) throw error;
      return { taken, refusal: error.of("security", count - taken) };
    }
  }
  return { taken: count };
}

/** Wraps the list that the Reporting API sends in an object, so that it can be parsed like an event. */
function asObjectJson(body: Buffer): Buffer {
  const isList = /^\s*\[/.test(body.toString("latin1", 0, 64));
  return isList ? Buffer.concat([Buffer.from('{"reports":'), body, Buffer.from("}")]) : body;
}

/**
 * The use that a request makes of its sender's limits. Refuses a body if its project has no room for it, and the next
 * body of a sender whose earlier bodies cost too much.
 */
function rateLimitsOf(context: RequestContext, admission: Admission, account?: CostAccount): RateLimitUse {
  const refusal = context.host.events.quotaRefusal(admission);
  if (refusal) throw refusal;
  const rateLimits = new RateLimitUse(context, admission, account);
  rateLimits.checkCost();
  return rateLimits;
}

async function storeBody({ request }: RequestContext, sender: Sender): Promise<Body> {
  const body = await readDecodedBody(request, maxBodyBytes.store, sender);
  if (body.decoded.length === 0) throw new IngestRefusal(400, "The request body is empty.");
  return body;
}

async function acceptEnvelope(
  context: RequestContext,
  received: ReceivedEnvelope,
  admitted: Admission | undefined,
): Promise<void> {
  const { header } = received.envelope;
  const admission = await admitEnvelope(context, header, admitted);
  const arrival = arrivalOf(context, admission, { sentAt: header.sentAt, envelopeEventId: header.eventId });
  const rateLimits = new RateLimitUse(context, admission);
  const items = new EnvelopeItems(received, { arrival, rateLimits, filter: eventFilterOf(context, admission) });
  if (items.hasLargeEvent) await items.readLargeEvent();
  rateLimits.takeRequest();
  const { isEmpty, intake, eventId } = items;
  // If an envelope has nothing else, a refused event refuses the whole envelope: otherwise its sender would not notice.
  const fatal =
    isEmpty && eventId === undefined
      ? items.refusals.find(({ status, category }) => category === "error" || status === 429)
      : undefined;
  if (!isEmpty) await context.host.events.accept(intake, admission);
  if (!fatal) noteReceived(context, admission, intake.events.length);
  noteItems(context, admission, items, fatal);
  if (fatal) throw fatal;
  answer(context, eventId ?? header.eventId);
}

/** Counts an envelope's items, stored or not, except for the refusal that is thrown later. */
function noteItems(
  context: RequestContext,
  { projectId }: Admission,
  items: EnvelopeItems,
  fatal: IngestRefusal | undefined,
): void {
  const { events } = context.host;
  for (const outcome of items.leftAside) events.note({ projectId, kind: OutcomeKind.LEFT_ASIDE, ...outcome });
  for (const outcome of items.notSent) events.note({ projectId, kind: OutcomeKind.NOT_SENT, ...outcome });
  for (const refusal of items.refusals) if (refusal !== fatal) noteRefusal(context, refusal);
}

function arrivalOf(
  { clientIp, host }: RequestContext,
  { keyId, projectId }: Admission,
  header: Pick<ItemArrival, "sentAt" | "envelopeEventId"> = {},
): ItemArrival {
  return { projectId, keyId, receivedAt: host.clock.now(), clientIp, ...header };
}

/** Stores the content of a request with one event. */
async function accept(context: RequestContext, admission: Admission, item: EventItem): Promise<void> {
  if (!isReadEvent(item) && !isLeftAside(item)) new RateLimitUse(context, admission).take("feedback");
  noteReceived(context, admission, await store(context, admission, [item]));
}

/** Stores feedback and the events that pass the project's filters; counts the rest. Returns the number of events. */
async function store(context: RequestContext, admission: Admission, items: readonly EventItem[]): Promise<number> {
  const isWanted = eventFilterOf(context, admission);
  const events = items
    .filter(isReadEvent)
    .filter(isWanted)
    .map(({ event }) => event);
  const feedback = items.flatMap((item) => (isReadEvent(item) || isLeftAside(item) ? [] : [item]));
  noteLeftAside(context, admission, { items, category: "error" });
  if (events.length + feedback.length > 0) {
    await context.host.events.accept({ ...emptyIntake, events, feedback }, admission);
  }
  return events.length;
}

/** Counts the items that are not stored. */
function noteLeftAside(
  { host }: RequestContext,
  { projectId }: Admission,
  { items, category }: { items: readonly object[]; category: string },
): void {
  for (const item of items) {
    if (!isLeftAside(item)) continue;
    host.events.note({ projectId, kind: OutcomeKind.LEFT_ASIDE, ...outcomeOf(item, category) });
  }
}

function noteReceived({ host, request }: RequestContext, admission: Admission, events: number): void {
  host.events.received(admission, { events, bytes: receivedBytes(request) });
}

/** Sends exactly 200, the only success for some SDKs. The id helps with debugging. */
function answer({ response, headers }: RequestContext, eventId: string | undefined): void {
  sendJson(response, 200, eventId === undefined ? {} : { id: eventId }, headers);
}

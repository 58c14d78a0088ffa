import { emptyIntake, type Admission, type CostAccount } from "@faultline/plugin";
import type { JsonObject } from "@faultline/sentry-event";
import { OutcomeKind } from "@faultline/proto";
import { sendJson, setHeaders, type Handler, type Visit } from "../visit.ts";
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
import { eventFilterOf } from "./event-filter.ts";
import type { ItemArrival } from "./items/arrival.ts";
import { readCspReports } from "./items/csp-report.ts";
import { EnvelopeItems } from "./items/envelope-items.ts";
import { readEventItem, type ReadEvent } from "./items/event.ts";
import { isLargeEvent, readLargeEvent } from "./items/large-event.ts";
import { maxBodyBytes, maxEventBytes } from "./limits.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { noteRefusal } from "./outcomes.ts";
import { sendPixel } from "./pixel.ts";
import { IngestRefusal } from "./refusal.ts";
import { RateLimitUse } from "./rate-limit-use.ts";

/** `POST .../store/`: the body is one event (protocol reference, section 4). */
export const receiveStore: Handler = async (visit) => {
  const admitted = await admitKey(visit);
  const rateLimits = rateLimitsOf(visit, admitted);
  rateLimits.take("error"); // before the body is read: what is refused costs next to nothing
  const body = await storeBody(visit, rateLimits);
  if (holdsEnvelope(body.decoded, visit.request.headers["content-type"])) {
    await acceptEnvelope(visit, { envelope: parseEnvelope(body.decoded), body }, admitted);
    return;
  }
  const json = readStoreBody(body.decoded, maxEventBytes);
  const arrival = arrivalOf(visit, admitted);
  const read = isLargeEvent(json)
    ? await readLargeEvent(json, arrival, { sender: rateLimits, original: body })
    : readEventItem(json, arrival, body);
  if (!read) visit.host.events.note({ projectId: admitted.projectId, ...transactionLeftAside });
  await accept(visit, admitted, read);
  answer(visit, read?.event.eventId);
};

const transactionLeftAside = {
  kind: OutcomeKind.LEFT_ASIDE,
  category: "transaction",
  reason: "not_kept",
  quantity: 1,
} as const;

/** `GET .../store/`: the event stands in the query, as the oldest browser SDKs send it (section 4.6). */
export const receivePixel: Handler = async (visit) => {
  const data = visit.query.get("sentry_data");
  if (data === null) {
    visit.response.setHeader("allow", "POST, OPTIONS");
    throw new IngestRefusal(405, "This address takes POST requests only, or GET with sentry_data.");
  }
  const admission = await admitKey(visit);
  rateLimitsOf(visit, admission).take("error");
  const json = readStoreBody(Buffer.from(data), maxEventBytes);
  await accept(visit, admission, readEventItem(json, arrivalOf(visit, admission)));
  setHeaders(visit.response, visit.headers);
  sendPixel(visit.response, 200);
};

/** `POST .../envelope/`: the body is a header and items (protocol reference, section 3). */
export const receiveEnvelope: Handler = async (visit) => {
  const admitted = await admitRequest(visit);
  const received = admitted
    ? await readEnvelope(visit.request, rateLimitsOf(visit, admitted))
    : await readUnadmittedEnvelope(visit.request, async (header) =>
        rateLimitsOf(visit, await admitEnvelope(visit, header, undefined)),
      );
  await acceptEnvelope(visit, received, admitted);
};

/** `POST .../security/`: browsers report what a page's Content Security Policy blocked (section 7.4). */
export const receiveSecurityReports: Handler = async (visit) => {
  const admission = await admitKey(visit);
  const rateLimits = rateLimitsOf(visit, admission, "security");
  const { decoded } = await storeBody(visit, rateLimits);
  using reservation = new MemoryReservation();
  reservation.hold(decoded.length);
  await reportTurn(admission, rateLimits);
  const { event: body } = parseEventJson(asObjectJson(decoded));
  const reports = readCspReports(body["reports"] ?? body, {
    release: visit.query.get("sentry_release"),
    environment: visit.query.get("sentry_environment"),
    userAgent: visit.request.headers["user-agent"],
  });
  const { taken, refusal } = takeReports(rateLimits, reports.length);
  if (refusal && taken === 0) throw refusal;
  rateLimits.takeRequest();
  await acceptReports(visit, { admission, rateLimits, reports: reports.slice(0, taken) });
  if (refusal) noteRefusal(visit, refusal);
  visit.response.writeHead(200, [...visit.headers, "content-length", "0"]).end();
};

/** Reports that are read, and then stored, in one step: 100 take 20 ms of the event loop, and as long to store. */
const reportsAStep = 20;

/** Apart from those of bodies: reports of a page, 32 requests at once, must not stand between its events. */
const reportTurns = new FairParse();

/** One step of a project at a time: else those of many requests are stored together, and a batch of events waits for it. */
const reportSteps = new OneAtATime();

function reportTurn({ projectId }: Admission, rateLimits: RateLimitUse): Promise<void> {
  return reportTurns.next(projectId, (ms) => rateLimits.charge({ ms }));
}

/** Resolves when all reports are stored. Between two steps others are served, also those of the same project. */
async function acceptReports(
  visit: Visit,
  {
    admission,
    rateLimits,
    reports,
  }: { admission: Admission; rateLimits: RateLimitUse; reports: readonly JsonObject[] },
): Promise<void> {
  const arrival = arrivalOf(visit, admission);
  let stored = 0;
  try {
    for (let from = 0; from < reports.length; from += reportsAStep) {
      const some = reports.slice(from, from + reportsAStep);
      stored += await reportSteps.run(admission.projectId, async () => {
        await reportTurn(admission, rateLimits);
        const read = some.map((report) => readEventItem(Buffer.from(JSON.stringify(report)), arrival));
        return storeWanted(visit, admission, read);
      });
    }
  } catch (error) {
    if (stored > 0) visit.host.events.received(admission, { events: stored, bytes: 0 }); // the bytes are the refusal's
    throw error;
  }
  noteReceived(visit, admission, stored);
}

/** Takes room for as many reports of a request as there is; those that find none are refused together. */
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

/** The Reporting API sends a list; as a part of an object it can be parsed like an event. */
function asObjectJson(body: Buffer): Buffer {
  const isList = /^\s*\[/.test(body.toString("latin1", 0, 64));
  return isList ? Buffer.concat([Buffer.from('{"reports":'), body, Buffer.from("}")]) : body;
}

/**
 * What a request takes from the limits of its sender; refuses a body whose project has no room for it, and the next one of a
 * sender whose bodies cost too much.
 */
function rateLimitsOf(visit: Visit, admission: Admission, account?: CostAccount): RateLimitUse {
  const refusal = visit.host.events.quotaRefusal(admission);
  if (refusal) throw refusal;
  const rateLimits = new RateLimitUse(visit, admission, account);
  rateLimits.checkCost();
  return rateLimits;
}

async function storeBody({ request }: Visit, sender: Sender): Promise<Body> {
  const body = await readDecodedBody(request, maxBodyBytes.store, sender);
  if (body.decoded.length === 0) throw new IngestRefusal(400, "The request body is empty.");
  return body;
}

async function acceptEnvelope(
  visit: Visit,
  received: ReceivedEnvelope,
  admitted: Admission | undefined,
): Promise<void> {
  const { header } = received.envelope;
  const admission = await admitEnvelope(visit, header, admitted);
  const arrival = arrivalOf(visit, admission, { sentAt: header.sentAt, envelopeEventId: header.eventId });
  const rateLimits = new RateLimitUse(visit, admission);
  const items = new EnvelopeItems(received, { arrival, rateLimits, filter: eventFilterOf(visit, admission) });
  if (items.hasLargeEvent) await items.readLargeEvent();
  rateLimits.takeRequest();
  const { isEmpty, intake, eventId } = items;
  // Of an envelope that brings nothing else, a refused event refuses the whole: else nobody would tell its sender.
  const fatal =
    isEmpty && eventId === undefined
      ? items.refusals.find(({ status, category }) => category === "error" || status === 429)
      : undefined;
  if (!isEmpty) await visit.host.events.accept(intake);
  if (!fatal) noteReceived(visit, admission, intake.events.length);
  noteItems(visit, admission, items, fatal);
  if (fatal) throw fatal;
  answer(visit, eventId ?? header.eventId);
}

/** Counts what an envelope brought and what was not stored, but for the refusal that is still to be thrown. */
function noteItems(
  visit: Visit,
  { projectId }: Admission,
  items: EnvelopeItems,
  fatal: IngestRefusal | undefined,
): void {
  const { events } = visit.host;
  for (const outcome of items.leftAside) events.note({ projectId, kind: OutcomeKind.LEFT_ASIDE, ...outcome });
  for (const outcome of items.notSent) events.note({ projectId, kind: OutcomeKind.NOT_SENT, ...outcome });
  for (const refusal of items.refusals) if (refusal !== fatal) noteRefusal(visit, refusal);
}

function arrivalOf(
  { clientIp, host }: Visit,
  { keyId, projectId }: Admission,
  header: Pick<ItemArrival, "sentAt" | "envelopeEventId"> = {},
): ItemArrival {
  return { projectId, keyId, receivedAt: host.clock.now(), clientIp, ...header };
}

async function accept(visit: Visit, admission: Admission, read: ReadEvent | undefined): Promise<void> {
  noteReceived(visit, admission, await storeWanted(visit, admission, [read]));
}

/** Stores the events that the project wants; how many these are. */
async function storeWanted(
  visit: Visit,
  admission: Admission,
  read: readonly (ReadEvent | undefined)[],
): Promise<number> {
  const isWanted = eventFilterOf(visit, admission);
  const events = read.flatMap((one) => (one && isWanted(one) ? [one.event] : []));
  if (events.length > 0) await visit.host.events.accept({ ...emptyIntake, events });
  return events.length;
}

function noteReceived({ host, request }: Visit, admission: Admission, events: number): void {
  host.events.received(admission, { events, bytes: receivedBytes(request) });
}

/** Exactly 200, which is the only success for some SDKs; the id is there for people who debug. */
function answer({ response, headers }: Visit, eventId: string | undefined): void {
  sendJson(response, 200, eventId === undefined ? {} : { id: eventId }, headers);
}

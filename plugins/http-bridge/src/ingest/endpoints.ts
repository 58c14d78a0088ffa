import { randomBytes } from "node:crypto";
import { emptyIntake } from "@faultline/plugin";
import { isTransaction, readErrorEvent } from "@faultline/plugin/sentry-event";
import type { ErrorEvent } from "@faultline/proto";
import { sendJson, type Handler, type Visit } from "../visit.ts";
import { readClientKey, readDsn, type ClientKey } from "./authentication.ts";
import { decodeContent, isGzipContent } from "./body/content-encoding.ts";
import { parseEnvelope, type Envelope } from "./body/envelope.ts";
import { parseEventJson } from "./body/event-json.ts";
import { maxBodyBytes, maxEventBytes } from "./limits.ts";
import { readBody } from "./body/read-body.ts";
import { IngestRefusal } from "./refusal.ts";
import { storedPayload, type Body } from "./body/stored-payload.ts";
import { holdsEnvelope, readStoreBody } from "./body/store-body.ts";

/** `POST .../store/`: the body is one event (protocol reference, section 4). */
export const receiveStore: Handler = async (visit) => {
  const key = admittedKey(visit) ?? missingKey();
  await key.admitted;
  const body = await decodedBody(visit, maxBodyBytes.store);
  if (holdsEnvelope(body.decoded, visit.request.headers["content-type"])) {
    await acceptEnvelope(visit, body, key);
    return;
  }
  await accept(visit, readItem(visit, readStoreBody(body.decoded, maxEventBytes), {}, body));
};

/** `POST .../envelope/`: the body is a header and items (protocol reference, section 3). */
export const receiveEnvelope: Handler = async (visit) => {
  const key = admittedKey(visit);
  await key?.admitted;
  await acceptEnvelope(visit, await decodedBody(visit, maxBodyBytes.envelope), key);
};

/** A key that the request names, and the core's answer to it. */
interface Admission {
  readonly publicKey: string;
  readonly admitted: unknown;
}

/** Asks the core before the body is read: a refusal costs next to nothing. Undefined when the request names no key. */
function admittedKey({ request, query, path, host }: Visit): Admission | undefined {
  const key: ClientKey = readClientKey(query, request.headers);
  if (key.conflict) throw new IngestRefusal(401, "The request names two different client keys.");
  if (key.publicKey === undefined) return undefined;
  return { publicKey: key.publicKey, admitted: host.events.admit(key.publicKey, projectIdOf(path)) };
}

function missingKey(): never {
  throw new IngestRefusal(401, "The request names no client key: send it in X-Sentry-Auth or as sentry_key.");
}

/** The project id of the path; 0, which no project has, for what is not a number. */
function projectIdOf(path: Visit["path"]): number {
  const text = path["project"] ?? "";
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
}

async function decodedBody({ request }: Visit, max: { compressed: number; decoded: number }): Promise<Body> {
  const sent = await readBody(request, max.compressed);
  const encoding = request.headers["content-encoding"];
  const decoded = decodeContent(sent, encoding, max.decoded);
  if (decoded.length === 0) throw new IngestRefusal(400, "The request body is empty.");
  return { sent, decoded, isGzip: isGzipContent(sent, encoding) };
}

async function acceptEnvelope(visit: Visit, body: Body, key: Admission | undefined): Promise<void> {
  const envelope = parseEnvelope(body.decoded);
  await checkDsn(visit, envelope, key);
  // One event an envelope; items of other kinds are left aside, whatever their content.
  const item = envelope.items.find(({ type }) => type === "event");
  if (item) {
    // Kept as it was sent when it brings nothing but the event; a DSN, which may hold a secret, is never kept.
    const original = envelope.items.length === 1 && envelope.header.dsn === undefined ? body : undefined;
    await accept(visit, readItem(visit, item.payload, envelope.header, original), envelope.header.eventId);
  } else {
    answer(visit, envelope.header.eventId);
  }
}

/** Tunnels send the key nowhere but in the envelope's own `dsn`; where both are given they must agree. */
async function checkDsn({ host, path }: Visit, { header }: Envelope, key: Admission | undefined): Promise<void> {
  const dsn = header.dsn === undefined ? undefined : readDsn(header.dsn);
  if (!dsn) {
    if (!key) missingKey();
    return;
  }
  const isSame = Number(dsn.projectId) === projectIdOf(path) && (!key || dsn.publicKey === key.publicKey);
  if (!isSame) throw new IngestRefusal(400, "The DSN in the envelope is not the one of the request.");
  if (!key) await host.events.admit(dsn.publicKey, projectIdOf(path));
}

/** The event in `bytes`; undefined for transactions, which are left aside. */
function readItem(
  { request, path, host }: Visit,
  bytes: Buffer,
  header: { eventId?: string; sentAt?: number },
  original: Body | undefined,
): ErrorEvent | undefined {
  if (bytes.length > maxEventBytes) throw new IngestRefusal(413, `The event is larger than ${maxEventBytes} bytes.`);
  const { event, payload } = parseEventJson(bytes);
  if (isTransaction(event)) return undefined;
  return readErrorEvent(event, {
    projectId: projectIdOf(path),
    payload: storedPayload(payload, original),
    receivedAt: host.clock.now(),
    sentAt: header.sentAt,
    envelopeEventId: header.eventId,
    clientIp: request.socket.remoteAddress?.replace(/^::ffff:/, ""),
    newEventId,
  });
}

function newEventId(): string {
  return randomBytes(16).toString("hex");
}

async function accept(visit: Visit, event: ErrorEvent | undefined, eventId?: string): Promise<void> {
  if (event) await visit.host.events.accept({ ...emptyIntake, events: [event] });
  answer(visit, event?.eventId ?? eventId);
}

/** Exactly 200, which is the only success for some SDKs; the id is there for people who debug. */
function answer({ response }: Visit, eventId: string | undefined): void {
  sendJson(response, 200, eventId === undefined ? {} : { id: eventId });
}

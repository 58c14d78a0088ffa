import type { IncomingMessage } from "node:http";
import type { Admission, Sender } from "@faultline/plugin";
import type { RequestContext } from "../request-context.ts";
import { readClientKey, readDsn } from "./authentication.ts";
import type { EnvelopeHeader } from "./body/envelope-header.ts";
import { IngestRefusal } from "./refusal.ts";

/**
 * Asks the core before the body is read: a refusal costs next to nothing. Undefined when the request names no key, which
 * an envelope may still do. A key that was seen before is admitted at once, without a promise.
 */
export function admitRequest(context: RequestContext): Admission | undefined | Promise<Admission> {
  const publicKey = keyOf(context);
  return publicKey === undefined ? undefined : admit(context, publicKey, projectIdOf(context.path));
}

/** The admission of a request that must name its key; refuses with 401 one that does not. */
export function admitKey(context: RequestContext): Admission | Promise<Admission> {
  return admitRequest(context) ?? missingKey();
}

/** Tunnels send the key only in the envelope's own `dsn`; where a request names both they must agree. */
export function admitEnvelope(
  context: RequestContext,
  header: EnvelopeHeader,
  request: Admission | undefined,
): Admission | Promise<Admission> {
  const dsn = header.dsn === undefined ? undefined : readDsn(header.dsn);
  if (!dsn) return request ?? missingKey();
  const projectId = request?.projectId ?? projectIdOf(context.path);
  const isSame = Number(dsn.projectId) === projectId && (!request || dsn.publicKey === keyOf(context));
  if (!isSame) throw twoDsns(400, "The DSN in the envelope differs from the DSN of the request.");
  return request ?? admit(context, dsn.publicKey, projectId);
}

/** The key of a request; of some addresses it is a part of the path. */
/** The admission by a DSN in full, which the addresses of the dialog for reports carry. */
export function admitDsn(context: RequestContext, text: string): Admission | Promise<Admission> {
  const dsn = readDsn(text);
  return dsn ? admit(context, dsn.publicKey, projectIdOf({ project: dsn.projectId })) : missingKey();
}

function keyOf({ path, query, request }: RequestContext): string | undefined {
  const { publicKey = path["key"], conflict } = readClientKey(query, request.headers);
  const isOther = path["key"] !== undefined && path["key"] !== publicKey;
  if (conflict || isOther) throw twoDsns(401, "The request names two different client keys.");
  return publicKey;
}

/** The admission of a request that named a client key anywhere, once there is one. */
const named = Symbol("admission of the client key that was named");

interface NamesKey extends IncomingMessage {
  [named]?: Admission | "refused";
}

/**
 * The project for whose people a refusal is counted: the one of the path. 0 when the request named no key: anybody may
 * send those to any project, whose counts would then say nothing about its own applications.
 */
export function refusedProject({ request, path }: { request: NamesKey; path: RequestContext["path"] }): number {
  return request[named] === undefined ? 0 : (projectIdOf(path) ?? 0);
}

/** The key with which a request was admitted; undefined when it was not. */
export function admittedKey(request: NamesKey): number | undefined {
  const admission = request[named];
  return admission === "refused" ? undefined : admission?.keyId;
}

function admit(
  context: RequestContext,
  publicKey: string,
  projectId: number | undefined,
): Admission | Promise<Admission> {
  const request: NamesKey = context.request;
  request[named] = "refused";
  const admission = context.host.events.admit(publicKey, projectId, senderOf(context));
  if (admission instanceof Promise) return admission.then((admitted) => (request[named] = admitted));
  request[named] = admission;
  return admission;
}

function senderOf({ request: { headers }, clientIp }: RequestContext): Sender {
  return { clientIp, origin: headers.origin ?? headers.referer };
}

/** The project id of the path; 0, which no project has, when it is not a number; undefined when the path has none. */
export function projectIdOf(path: RequestContext["path"]): number | undefined {
  const text = path["project"];
  if (text === undefined) return undefined;
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
}

function twoDsns(status: 400 | 401, detail: string): IngestRefusal {
  return new IngestRefusal(status, detail, [], { outcome: "two_dsns" });
}

function missingKey(): never {
  throw new IngestRefusal(401, "The request has no client key: send it in X-Sentry-Auth or as sentry_key.");
}

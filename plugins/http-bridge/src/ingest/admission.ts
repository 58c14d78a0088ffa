import type { IncomingMessage } from "node:http";
import type { Admission, Sender } from "@faultline/plugin";
import type { RequestContext } from "../request-context.ts";
import { readClientKey, readDsn } from "./authentication.ts";
import type { EnvelopeHeader } from "./body/envelope-header.ts";
import { IngestRefusal } from "./refusal.ts";

/**
 * Asks the core before the body is read, so a refusal costs next to nothing. Returns undefined if the request names no
 * key, because an envelope may still name it. A known key is admitted immediately, without a promise.
 */
export function admitRequest(context: RequestContext): Admission | undefined | Promise<Admission> {
  const publicKey = keyOf(context);
  return publicKey === undefined ? undefined : admit(context, publicKey, projectIdOf(context.path));
}

/** The admission of a request that must name its key. Refuses a request without a key with 401. */
export function admitKey(context: RequestContext): Admission | Promise<Admission> {
  return admitRequest(context) ?? missingKey();
}

/** Tunnels send the key only in the `dsn` of the envelope. If the request also names a key, both must agree. */
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

/** The admission by a full DSN, which the addresses of the report dialog carry. */
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

/** The admission of a request that named a client key anywhere, once admitted. */
const named = Symbol("admission of the client key that was named");

interface NamesKey extends IncomingMessage {
  [named]?: Admission | "refused";
}

/**
 * The project that a refusal is counted for: the project in the path. 0 if the request named no key: anybody can send
 * such requests to any project, so they say nothing about the project's own applications.
 */
export function refusedProject({ request, path }: { request: NamesKey; path: RequestContext["path"] }): number {
  return request[named] === undefined ? 0 : (projectIdOf(path) ?? 0);
}

/** The key that admitted a request; undefined if it was not admitted. */
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

/** The project id in the path; 0, which no project has, if it is not a number; undefined if the path has none. */
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

import type { Admission, Sender } from "@faultline/plugin";
import type { RequestContext } from "../request-context.ts";
import { readClientKey, readDsn } from "./authentication.ts";
import type { EnvelopeHeader } from "./body/envelope-header.ts";
import { IngestRefusal } from "./refusal.ts";

/** A client key that the request names in its query or headers, and the core's answer to it. */
export interface Admitted extends Admission {
  readonly publicKey: string;
}

/**
 * Asks the core before the body is read: a refusal costs next to nothing. Undefined when the request names no key, which
 * an envelope may still do.
 */
export async function admitRequest({
  request,
  query,
  path,
  host,
  clientIp,
}: RequestContext): Promise<Admitted | undefined> {
  const { publicKey, conflict } = readClientKey(query, request.headers);
  if (conflict) throw new IngestRefusal(401, "The request names two different client keys.");
  if (publicKey === undefined) return undefined;
  const admission = await admit({ request, host, clientIp }, publicKey, projectIdOf(path));
  return { ...admission, publicKey };
}

/** The admission of a request that must name its key; refuses with 401 one that does not. */
export async function admitKey(visit: RequestContext): Promise<Admitted> {
  return (await admitRequest(visit)) ?? missingKey();
}

/** Tunnels send the key nowhere but in the envelope's own `dsn`; where both are given they must agree. */
export async function admitEnvelope(
  { path, ...visit }: RequestContext,
  header: EnvelopeHeader,
  request: Admitted | undefined,
): Promise<Admission> {
  const dsn = header.dsn === undefined ? undefined : readDsn(header.dsn);
  if (!dsn) return request ?? missingKey();
  const projectId = request?.projectId ?? projectIdOf(path);
  const isSame = Number(dsn.projectId) === projectId && (!request || dsn.publicKey === request.publicKey);
  if (!isSame) throw new IngestRefusal(400, "The DSN in the envelope is not the one of the request.");
  return request ?? admit(visit, dsn.publicKey, projectId);
}

/** Requests that named a client key, wherever it stood; with its admission once there is one. */
const withKey = new WeakMap<RequestContext["request"], Admission | undefined>();

/**
 * The project for whose people a refusal is counted: the one of the path. 0 when the request named no key: anybody may
 * send those to any project, whose counts would then say nothing about its own applications.
 */
export function refusedProject({ request, path }: Pick<RequestContext, "request" | "path">): number {
  return withKey.has(request) ? (projectIdOf(path) ?? 0) : 0;
}

/** The key with which a request was admitted; undefined when it was not. */
export function admittedKey(request: RequestContext["request"]): number | undefined {
  return withKey.get(request)?.keyId;
}

async function admit(
  visit: Pick<RequestContext, "request" | "host" | "clientIp">,
  publicKey: string,
  projectId: number | undefined,
): Promise<Admission> {
  const { request, host } = visit;
  let admission: Admission | undefined;
  try {
    admission = await host.events.admit(publicKey, projectId, senderOf(visit));
    return admission;
  } finally {
    withKey.set(request, admission); // refused or not: once, as it takes a microsecond
  }
}

function senderOf({ request: { headers }, clientIp }: Pick<RequestContext, "request" | "clientIp">): Sender {
  return { clientIp, origin: headers.origin ?? headers.referer };
}

/** The project id of the path; 0, which no project has, for what is not a number; undefined where the path has none. */
export function projectIdOf(path: RequestContext["path"]): number | undefined {
  const text = path["project"];
  if (text === undefined) return undefined;
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
}

function missingKey(): never {
  throw new IngestRefusal(401, "The request names no client key: send it in X-Sentry-Auth or as sentry_key.");
}

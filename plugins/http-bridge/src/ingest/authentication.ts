import type { IncomingHttpHeaders } from "node:http";

/** The sender that a request names. */
export interface ClientKey {
  /** The public key of the DSN; undefined if the request names none. */
  readonly publicKey?: string;
  /** True if the request names two different keys. */
  readonly conflict?: true;
  /** The SDK as `name/version`; undefined if the request names none. */
  readonly client?: string;
}

/**
 * Finds the client key of a request: query, then `X-Sentry-Auth`, then `Authorization` (section 2). An unreadable
 * header counts as missing. The secret of legacy DSNs is ignored.
 */
export function readClientKey(query: URLSearchParams, headers: IncomingHttpHeaders): ClientKey {
  const sentryAuth = readSentryAuth(first(headers["x-sentry-auth"]));
  const authorization = readSentryAuth(headers.authorization);
  const keys = query.getAll("sentry_key");
  keys.push(
    sentryAuth.get("sentry_key") ?? "",
    authorization.get("sentry_key") ?? "",
    readBasic(headers.authorization) ?? "",
  );
  const publicKey = keys.find((key) => key !== "");
  const client =
    query.get("sentry_client") || sentryAuth.get("sentry_client") || authorization.get("sentry_client") || undefined;
  const read: { -readonly [Field in keyof ClientKey]: ClientKey[Field] } = {};
  if (publicKey !== undefined) read.publicKey = publicKey;
  if (keys.some((key) => key !== "" && key !== publicKey)) read.conflict = true;
  if (client !== undefined) read.client = client;
  return read;
}

/** The used parts of a DSN; `projectId` is its last path segment, unparsed. */
export interface Dsn {
  readonly publicKey: string;
  readonly projectId: string;
}

/**
 * Reads a DSN (section 1), for example from an envelope header. Undefined if it is invalid. Ignores host and secret.
 */
export function readDsn(text: string): Dsn | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  const projectId = url.pathname.split("/").findLast((segment) => segment !== "") ?? "";
  return url.username === "" || projectId === "" ? undefined : { publicKey: url.username, projectId };
}

/**
 * Reads `Sentry key=value, key=value`. Spaces after commas are optional (Java sends none); names are case-sensitive.
 */
function readSentryAuth(header = ""): ReadonlyMap<string, string> {
  if (!/^sentry\s/i.test(header)) return noFields;
  const fields = new Map<string, string>();
  for (const field of header.slice("sentry ".length).split(",")) {
    const at = field.indexOf("=");
    if (at > 0) fields.set(field.slice(0, at).trim(), field.slice(at + 1).trim());
  }
  return fields;
}

const noFields: ReadonlyMap<string, string> = new Map();

/** The user name of RFC 7617 Basic credentials. */
function readBasic(header = ""): string | undefined {
  if (!/^basic\s/i.test(header)) return undefined;
  return Buffer.from(header.slice("basic ".length).trim(), "base64").toString().split(":", 1)[0];
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

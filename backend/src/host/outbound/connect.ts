import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { OutboundFailure } from "@faultline/plugin";

/** Milliseconds for one address, so that a silent address leaves time for the next. */
const addressMs = 3_000;

/** The most addresses that are tried. A name may resolve to any number of addresses. */
const maxAddresses = 3;

/**
 * Connects to the first of `addresses` that answers and to nothing else. For https, the certificate must be valid for
 * the target's host. Throws an OutboundFailure. When `signal` aborts, the socket is destroyed.
 */
export async function connect(addresses: readonly string[], target: Target, signal: AbortSignal): Promise<Socket> {
  const socket = await firstOpen(addresses.slice(0, maxAddresses), target.port, signal);
  return target.isTls ? secured(socket, target.host, signal) : socket;
}

/** The meaning of a socket's failure. */
export function failureOf(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  return hasCode(error, "ECONNREFUSED")
    ? new OutboundFailure("refused", "the connection was refused", { cause: error })
    : new OutboundFailure("socket", "the connection broke or could not be established", { cause: error });
}

async function firstOpen(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const host of addresses) {
    signal.throwIfAborted();
    const socket = connectTcp({ host, port, noDelay: true });
    socket.on("error", ignored);
    signal.addEventListener("abort", () => socket.destroy());
    const late = new OutboundFailure("connect_timeout", "no connection was established in time");
    socket.setTimeout(addressMs, () => socket.destroy(late));
    try {
      await once(socket, "connect", { signal });
      socket.setTimeout(0);
      return socket;
    } catch (error) {
      socket.destroy();
      failure = error;
    }
  }
  signal.throwIfAborted();
  throw failureOf(failure);
}

async function secured(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const servername = isIP(host) === 0 ? host : ""; // RFC 6066, section 3: an address is not a server name
  // Set here, because NODE_TLS_REJECT_UNAUTHORIZED in the environment would turn the check off.
  const secure = connectTls({ socket, host, servername, ALPNProtocols: ["http/1.1"], rejectUnauthorized: true });
  secure.on("error", ignored);
  try {
    await once(secure, "secureConnect", { signal });
    return secure;
  } catch (error) {
    secure.destroy();
    socket.destroy();
    signal.throwIfAborted();
    if (hasCode(error, "ECONNRESET") || hasCode(error, "EPIPE")) throw failureOf(error);
    throw new OutboundFailure("tls", "the certificate or TLS of the other system cannot be trusted", {
      cause: error,
    });
  }
}

/**
 * Ignores a failure. Waiting callers report failures of sockets; a failure that nobody awaits must not end the process.
 */
function ignored(): void {}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** The destination of a request, from its URL. */
export interface Target {
  readonly isTls: boolean;
  /** An IP address without brackets, or a name in lower case without a final dot. */
  readonly host: string;
  readonly port: number;
  /** Host and port in the form of the `Host` header. */
  readonly authority: string;
  /** Path and query. */
  readonly path: string;
}

const maxLength = 2048;

/** A name of letters, digits, `-` and `_` with an optional final dot, or an IPv6 address without a zone. */
const hostAndPort = /^(?:(?:[a-z0-9_-]{1,63}\.){0,127}[a-z0-9_-]{1,63}\.?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/**
 * Reads the URL of a request; undefined if two parsers could understand it differently. The raw text is judged first,
 * because parsing deletes tabs and line breaks, reads `\` as `/`, unescapes hosts and resolves `..`.
 */
export function readTarget(text: string): Target | undefined {
  if (text.length > maxLength || !/^https?:\/\/[\x21-\x7e]+$/i.test(text) || /[@\\#]/.test(text)) return undefined;
  const [, authority = "", path = ""] = /^https?:\/\/([^/?]*)([^?]*)/i.exec(text) ?? [];
  const url = URL.parse(text);
  if (url === null || !hostAndPort.test(authority) || (path !== "" && path !== url.pathname)) return undefined;
  const host = url.hostname.replace(/\.$/, "").replace(/^\[|\]$/g, "");
  if (host.length > 253) return undefined;
  const isTls = url.protocol === "https:";
  return {
    isTls,
    host,
    port: url.port === "" ? (isTls ? 443 : 80) : Number(url.port),
    authority: url.host.replace(/\.(?=:|$)/, ""),
    path: url.pathname + url.search,
  };
}

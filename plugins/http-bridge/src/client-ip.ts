import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Networks } from "@faultline/plugin";
import { loopback } from "./this-machine.ts";

/**
 * The sender's address, IPv4 in its short form: the peer, or what the trusted proxies in front of us report. The last
 * address of `X-Forwarded-For` that is not a trusted proxy counts, because anybody may write those before it.
 */
export function clientIp(request: IncomingMessage, trusted: Networks): string {
  const peer = shortened(request.socket.remoteAddress ?? "");
  const forwarded = request.headers["x-forwarded-for"];
  if (forwarded === undefined || !trusted.has(peer)) return peer;
  let client = peer;
  for (const hop of String(forwarded).split(",").toReversed()) {
    const address = shortened(hop.trim());
    if (isIP(address) === 0) break;
    client = address;
    if (!trusted.has(address)) break;
  }
  return client;
}

/**
 * Whether `X-Forwarded-For` comes from this machine, which is not among the trusted proxies: most likely from a proxy that
 * was forgotten there, so that all its visitors count as one.
 */
export function isOfForgottenProxy({ socket, headers }: IncomingMessage, trusted: Networks): boolean {
  if (headers["x-forwarded-for"] === undefined) return false;
  const peer = shortened(socket.remoteAddress ?? "");
  return loopback.has(peer) && !trusted.has(peer);
}

function shortened(address: string): string {
  if (!address.startsWith(":")) return address;
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

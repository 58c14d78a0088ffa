import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { loopback } from "./this-machine.ts";

/** Proxies whose `X-Forwarded-For` is believed: addresses and subnets such as `10.0.0.0/8`. Throws for anything else. */
export function trustedProxies(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/", 2);
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/**
 * The sender's address, IPv4 in its short form: the peer, or the address that the trusted proxies in front of us
 * report. Of `X-Forwarded-For` the last address that is not a trusted proxy's counts, as anybody may write those before
 * it.
 */
export function clientIp(request: IncomingMessage, trusted: BlockList): string {
  const peer = shortened(request.socket.remoteAddress ?? "");
  const forwarded = request.headers["x-forwarded-for"];
  if (forwarded === undefined || !isTrusted(peer, trusted)) return peer;
  let client = peer;
  for (const hop of String(forwarded).split(",").toReversed()) {
    const address = shortened(hop.trim());
    if (isIP(address) === 0) break;
    client = address;
    if (!isTrusted(address, trusted)) break;
  }
  return client;
}

/**
 * Whether `X-Forwarded-For` comes from this machine, which is not among the trusted proxies: most likely from a proxy that
 * was forgotten there, so that all its visitors count as one.
 */
export function isOfForgottenProxy({ socket, headers }: IncomingMessage, trusted: BlockList): boolean {
  if (headers["x-forwarded-for"] === undefined) return false;
  const peer = shortened(socket.remoteAddress ?? "");
  return isTrusted(peer, loopback) && !isTrusted(peer, trusted);
}

function shortened(address: string): string {
  if (!address.startsWith(":")) return address;
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const family = isIP(address);
  return family !== 0 && trusted.check(address, family === 6 ? "ipv6" : "ipv4");
}

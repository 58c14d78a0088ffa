import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** Whether a request comes from this machine and by no proxy. Behind a proxy here the whole world has a loopback address. */
export function isFromThisMachine({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">): boolean {
  const peer = socket.remoteAddress ?? "";
  if (isIP(peer) === 0 || proxyHeaders.some((name) => name in headers)) return false;
  return loopback.check(peer, isIP(peer) === 6 ? "ipv6" : "ipv4");
}

/** Headers that proxies add. */
const proxyHeaders = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via"];

/** This machine's own addresses for itself. */
export const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8); // also in its IPv6 form, ::ffff:127.0.0.1
loopback.addAddress("::1", "ipv6");

import type { IncomingMessage } from "node:http";
import { networksOf } from "@faultline/plugin";

/** Whether a request comes directly from this machine. Behind a proxy here every client has a loopback address. */
export function isFromThisMachine({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">): boolean {
  return !proxyHeaders.some((name) => name in headers) && loopback.has(socket.remoteAddress ?? "");
}

/** Headers that proxies add. */
const proxyHeaders = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via"];

/** This machine's loopback addresses. */
export const loopback = networksOf(["127.0.0.0/8", "::ffff:127.0.0.0/104", "::1"]);

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** The TCP connections that this process tries to make, as `address:port`, whatever code makes them. */
export interface ConnectionAttempts {
  readonly attempts: readonly string[];
  stop(): void;
}

/** Watches sockets from now on. A database of PostgreSQL is at a Unix socket, which is no attempt. */
export function watchConnections(): ConnectionAttempts {
  const attempts: string[] = [];
  const note = (address: string, port: number | undefined) => {
    if (port !== undefined) attempts.push(`${address}:${port}`);
  };
  const watch = (message: unknown) => (message as { socket: Socket }).socket.on("connectionAttempt", note);
  subscribe("net.client.socket", watch);
  return { attempts, stop: () => unsubscribe("net.client.socket", watch) };
}

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** The TCP connections that any code of this process tries to make, as `address:port`. */
export interface ConnectionAttempts {
  readonly attempts: readonly string[];
  stop(): void;
}

/** Watches sockets from now on. Connections to PostgreSQL do not count, because they use a Unix socket. */
export function watchConnections(): ConnectionAttempts {
  const attempts: string[] = [];
  const note = (address: string, port: number | undefined) => {
    if (port !== undefined) attempts.push(`${address}:${port}`);
  };
  const watch = (message: unknown) => (message as { socket: Socket }).socket.on("connectionAttempt", note);
  subscribe("net.client.socket", watch);
  return { attempts, stop: () => unsubscribe("net.client.socket", watch) };
}

import { connect, type Socket } from "node:net";
import { readAnswer } from "../http/raw-answer.ts";

/** One HTTP/1.1 request, ready to be written. */
export interface LoadRequest {
  /** The caller's name for the request. */
  readonly id: string;
  /** The bytes of head and body, in any number of parts. */
  readonly parts: readonly Uint8Array[];
}

export interface LoadOptions {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** The number of keep-alive connections. Each has one request under way at a time. */
  readonly connections: number;
  /** The next request; undefined ends the load when all requests under way were answered. */
  readonly next: () => LoadRequest | undefined;
  /** The shortest time between two requests of a connection, in milliseconds. Default 0: as fast as answers come. */
  readonly everyMs?: number;
  /** Called when the complete answer has been read. `text` is its head and body. */
  readonly onAnswer: (request: LoadRequest, status: number, text: () => string) => void;
}

/**
 * Sends requests over raw sockets, the cheapest client there is. There are never more requests under way than
 * connections. Resolves when `next` has no more, or when all connections are lost.
 */
export async function load(options: LoadOptions): Promise<void> {
  const { hostname, port } = new URL(options.url);
  const connections = Array.from({ length: options.connections }, () => drive(hostname, Number(port), options));
  await Promise.all(connections);
}

/** Drives one connection until there is nothing to send, or until it is lost. */
function drive(host: string, port: number, { next, onAnswer, everyMs = 0 }: LoadOptions): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true });
    let current: LoadRequest | undefined;
    let received: Buffer = Buffer.alloc(0);
    let sentAt = Number.NEGATIVE_INFINITY;

    const sendNext = () => {
      if (socket.destroyed) return; // the connection was lost during the wait
      const waitMs = sentAt + everyMs - performance.now();
      if (waitMs > 0) {
        setTimeout(sendNext, waitMs);
        return;
      }
      sentAt = performance.now();
      current = next();
      if (current === undefined) socket.end();
      else write(socket, current);
    };
    socket.on("connect", sendNext);
    socket.on("data", (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = readAnswer(received);
      if (answer === undefined || current === undefined) return;
      const whole = received.subarray(0, answer.length);
      received = received.subarray(answer.length);
      onAnswer(current, answer.status, () => whole.toString());
      if (answer.closes) socket.end();
      else sendNext();
    });
    socket.on("error", () => {}); // a killed server is part of the tests; `close` follows, and open requests stay unanswered
    socket.on("close", () => resolve());
  });
}

function write(socket: Socket, { parts }: LoadRequest): void {
  socket.cork();
  for (const part of parts) socket.write(part);
  socket.uncork();
}

import { connect, type Socket } from "node:net";
import { readAnswer } from "../http/raw-answer.ts";

/** One HTTP/1.1 request, ready to be written. */
export interface LoadRequest {
  /** The caller's name for it. */
  readonly id: string;
  /** The bytes, head and body, in as many parts as suits the caller. */
  readonly parts: readonly Uint8Array[];
}

export interface LoadOptions {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Keep-alive connections; each has one request under way at a time. */
  readonly connections: number;
  /** The next request; undefined ends the load once those under way are answered. */
  readonly next: () => LoadRequest | undefined;
  /** A connection sends one so often at most, in milliseconds. Default 0: as fast as it is answered. */
  readonly everyMs?: number;
  /** Called when the whole answer has been read; `text` is its head and body. */
  readonly onAnswer: (request: LoadRequest, status: number, text: () => string) => void;
}

/**
 * Sends requests over raw sockets, the cheapest client there is. Bounded: never more requests
 * under way than connections. Resolves when `next` has no more, or when all connections are lost.
 */
export async function load(options: LoadOptions): Promise<void> {
  const { hostname, port } = new URL(options.url);
  const connections = Array.from({ length: options.connections }, () => drive(hostname, Number(port), options));
  await Promise.all(connections);
}

/** Drives one connection until there is nothing to send or it is lost. */
function drive(host: string, port: number, { next, onAnswer, everyMs = 0 }: LoadOptions): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true });
    let current: LoadRequest | undefined;
    let received: Buffer = Buffer.alloc(0);
    let sentAt = Number.NEGATIVE_INFINITY;

    const sendNext = () => {
      if (socket.destroyed) return; // it was lost while this waited
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
    socket.on("error", () => {}); // a killed server is part of the tests; `close` follows and what is unanswered stays so
    socket.on("close", () => resolve());
  });
}

function write(socket: Socket, { parts }: LoadRequest): void {
  socket.cork();
  for (const part of parts) socket.write(part);
  socket.uncork();
}

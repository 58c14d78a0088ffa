import { connect, type Socket } from "node:net";

/** One HTTP/1.1 request, ready to be written. */
export interface LoadRequest {
  /** What the caller knows it by. */
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
  /** Called when the whole answer has been read. */
  readonly onAnswer: (request: LoadRequest, status: number) => void;
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
function drive(host: string, port: number, { next, onAnswer }: LoadOptions): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true });
    let current: LoadRequest | undefined;
    let received: Buffer = Buffer.alloc(0);

    const sendNext = () => {
      current = next();
      if (current === undefined) socket.end();
      else write(socket, current);
    };
    socket.on("connect", sendNext);
    socket.on("data", (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = readAnswer(received);
      if (answer === undefined || current === undefined) return;
      received = received.subarray(answer.length);
      onAnswer(current, answer.status);
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

/** Reads the first answer in `bytes`; undefined while it is not complete. */
function readAnswer(bytes: Buffer): { status: number; length: number; closes: boolean } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd);
  const bodyStart = headEnd + 4;
  const bodyEnd = endOfBody(bytes, head, bodyStart);
  if (bodyEnd < 0 || bodyEnd > bytes.length) return undefined;
  return { status: Number(head.slice(9, 12)), length: bodyEnd, closes: /^connection: *close/im.test(head) };
}

function endOfBody(bytes: Buffer, head: string, bodyStart: number): number {
  const contentLength = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (contentLength !== undefined) return bodyStart + Number(contentLength);
  if (!/^transfer-encoding: *chunked/im.test(head)) return bodyStart; // no body
  const lastChunk = bytes.indexOf("0\r\n\r\n", bodyStart);
  return lastChunk < 0 ? -1 : lastChunk + 5;
}

import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { LoadRequest } from "../support/service/load.ts";
import { readAnswer, type RawAnswer } from "../support/http/raw-answer.ts";
import { until } from "../support/run/until.ts";

export interface ArrivalOptions {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly requests: readonly LoadRequest[];
  /** Requests a second, evenly spread, whatever the answers do. */
  readonly rate: number;
  /** Open from the start. */
  readonly connections: number;
  /** Opened when all are busy, up to this many; then a request waits, and its latency grows. */
  readonly maxConnections: number;
  /** Ends the arrivals before the last request. */
  readonly signal: AbortSignal;
  /** `latencyMs` counts from when the request was to be sent, `dueMs` after the start: waiting for a connection counts. */
  readonly onAnswer: (answer: RawAnswer, latencyMs: number, dueMs: number) => void;
}

export interface Arrived {
  /** Were to be sent. */
  readonly due: number;
  /** Were sent while arrivals lasted; the others found no free connection. */
  readonly sent: number;
}

/** How long answers are awaited after the last arrival. */
const lateMs = 15_000;

/**
 * An open loop: requests arrive at a constant rate, as from senders that do not know of each other. A closed loop sends
 * less while it waits, and so hides how long a stall is for requests that are due meanwhile.
 */
export async function arrive(options: ArrivalOptions): Promise<Arrived> {
  const { url, requests, rate, signal, maxConnections, onAnswer } = options;
  const connections = new Set<Connection>();
  const idle: Connection[] = [];
  let startedAt = 0;
  // Requests go in order: so many were to be sent, so many were.
  const count = { due: 0, sent: 0, underWay: 0 };

  const open = (onOpen: (connection: Connection) => void) => {
    const connection = new Connection(url, {
      onOpen: () => onOpen(connection),
      onAnswer(answer, dueAt) {
        count.underWay -= 1;
        onAnswer(answer, performance.now() - dueAt, dueAt - startedAt);
        if (!answer.closes) sendOrRest(connection);
      },
      onLost(wasBusy) {
        connections.delete(connection);
        if (wasBusy) count.underWay -= 1;
      },
    });
    connections.add(connection);
  };
  const sendOrRest = (connection: Connection) => {
    const request = count.sent < count.due ? requests[count.sent] : undefined;
    if (!request || signal.aborted) {
      idle.push(connection);
      return;
    }
    connection.send(request, startedAt + (count.sent / rate) * 1000);
    count.sent += 1;
    count.underWay += 1;
  };

  for (let n = 0; n < options.connections; n += 1) open((connection) => idle.push(connection));
  await until("the connections", () => idle.length === options.connections);
  startedAt = performance.now();
  while (count.due < requests.length && !signal.aborted) {
    count.due = Math.min(requests.length, 1 + Math.floor(((performance.now() - startedAt) / 1000) * rate));
    while (count.sent < count.due) {
      const connection = idle.shift(); // that which waits longest, so that the server's limit for idle ones meets none
      if (!connection) break;
      if (!connection.isLost) sendOrRest(connection);
    }
    for (let missing = count.due - count.sent; missing > 0 && connections.size < maxConnections; missing -= 1)
      open(sendOrRest);
    await delay(1);
  }
  const arrived = { due: count.due, sent: count.sent };
  count.due = count.sent; // what still waits for a connection stays unsent
  const giveUpAt = performance.now() + lateMs;
  while (count.underWay > 0 && performance.now() < giveUpAt) await delay(1);
  for (const connection of connections) connection.end();
  return arrived;
}

/** A keep-alive connection with at most one request under way. */
class Connection {
  readonly #socket: Socket;
  /** When the request under way was to be sent, by `performance.now()`. */
  #dueAt: number | undefined;
  #received: Buffer = Buffer.alloc(0);
  isLost = false;

  constructor(
    url: string,
    events: {
      readonly onOpen: () => void;
      readonly onAnswer: (answer: RawAnswer, dueAt: number) => void;
      readonly onLost: (wasBusy: boolean) => void;
    },
  ) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on("connect", events.onOpen);
    this.#socket.on("data", (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      const answer = readAnswer(this.#received);
      const dueAt = this.#dueAt;
      if (answer === undefined || dueAt === undefined) return;
      this.#received = this.#received.subarray(answer.length);
      this.#dueAt = undefined;
      if (answer.closes) this.end();
      events.onAnswer(answer, dueAt);
    });
    this.#socket.on("error", () => {}); // `close` follows
    this.#socket.on("close", () => {
      this.isLost = true;
      events.onLost(this.#dueAt !== undefined);
    });
  }

  send({ parts }: LoadRequest, dueAt: number): void {
    this.#dueAt = dueAt;
    this.#socket.cork();
    for (const part of parts) this.#socket.write(part);
    this.#socket.uncork();
  }

  end(): void {
    this.isLost = true;
    this.#socket.end();
  }
}

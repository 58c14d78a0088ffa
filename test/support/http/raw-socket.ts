import { connect } from "node:net";
import { readAnswer } from "./raw-answer.ts";
import type { Server } from "../service/server.ts";
import { stretched } from "../run/deadlines.ts";
import { until } from "../run/until.ts";

/** An answer that was read from a socket. */
export interface Answer {
  readonly status: number;
  /** The status line and headers. */
  readonly head: string;
  readonly text: string;
  /** Whether the server closes the connection after the answer. */
  readonly closes: boolean;
}

/** A TCP connection to the service, on which a test writes any bytes. */
export interface RawSocket {
  write(bytes: string | Uint8Array): void;
  /** Ends our side; the service may still answer. */
  end(): void;
  /** Drops the connection without a notice. */
  destroy(): void;
  /** The next answer; undefined if the service closed the connection. Fails after `answerMs`. */
  answer(): Promise<Answer | undefined>;
}

/** The longest time for any request on this machine. */
export const answerMs = stretched(5_000);

/** Opens a connection that sends only what the test writes. */
export async function openSocket(server: Pick<Server, "url">): Promise<RawSocket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true });
  let received: Buffer = Buffer.alloc(0);
  let hasEnded = false;
  let wake = () => {};
  const wakeAfter = (note: () => void) => () => {
    note();
    wake();
  };
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    wake();
  });
  socket.on(
    "end",
    wakeAfter(() => (hasEnded = true)),
  );
  socket.on(
    "close",
    wakeAfter(() => (hasEnded = true)),
  );
  socket.on("error", () => {}); // a reset is an answer too; `close` follows
  await until("a connection", () => socket.readyState === "open", { everyMs: 1 });

  const take = (): Answer | undefined => {
    const found = readAnswer(received);
    if (!found) return undefined;
    const text = received.toString("utf8", found.bodyStart, found.length);
    received = received.subarray(found.length);
    return { status: found.status, head: found.head, text, closes: found.closes };
  };
  return {
    write: (bytes) => void (socket.writable && socket.write(bytes)),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    async answer() {
      const deadline = performance.now() + answerMs;
      for (;;) {
        const answer = take();
        if (answer || hasEnded) return answer;
        const left = deadline - performance.now();
        if (left <= 0) throw new Error(`no answer within ${answerMs} ms`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
  };
}

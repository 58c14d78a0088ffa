import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { atEndOf } from "../run/end-of-file.ts";

/** A received request. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The receiver's answer. `hang`: it answers nothing and keeps the connection open. */
export type Answer =
  { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string } | "hang";

/** The server of a channel. It keeps POST requests and answers as the test says, by default 200 `ok`. */
export async function receiver(host = "127.0.0.1", portWanted = 0) {
  const received: Received[] = [];
  let answerTo: (request: Received) => Answer | Promise<Answer> = () => ({ status: 200, body: "ok" });
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.method !== "POST") throw new Error(`a receiver got ${request.method} ${request.url}`);
    const one = { path: request.url ?? "", headers: request.headers as Record<string, string>, body };
    received.push(one);
    const answer = await answerTo(one);
    if (answer === "hang") return;
    response.writeHead(answer.status, answer.headers).end(answer.body ?? "");
  });
  await new Promise<void>((resolve) => server.listen(portWanted, host, resolve));
  server.unref();
  atEndOf("file", () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    received,
    answers(next: Answer | ((request: Received) => Answer | Promise<Answer>)) {
      answerTo = typeof next === "function" ? next : () => next;
      if (next !== "hang") server.closeIdleConnections();
    },
    /** Closes the connections that got no answer. */
    drop: () => server.closeAllConnections(),
  };
}

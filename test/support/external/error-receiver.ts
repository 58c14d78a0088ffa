import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An event as it arrived. */
export type ReceivedEvent = Readonly<Record<string, unknown>>;

/** The system's answers about itself; undefined if the address does not exist. */
export interface Statements {
  /** At `/api/client-config/`. */
  readonly config?: unknown;
  /** At `/api/0/`. */
  readonly root?: unknown;
}

/**
 * Another error-tracking system. It accepts envelopes for one DSN, answers about itself, and complains about every
 * other call.
 */
export interface ErrorReceiver {
  readonly dsn: string;
  readonly publicKey: string;
  readonly events: readonly ReceivedEvent[];
  /** The received bodies. */
  readonly bodies: readonly string[];
  /** The faults of calls; must be empty at the end of a test. */
  readonly complaints: readonly string[];
  /** The paths of requests about the system itself. */
  readonly asked: string[];
  /**
   * Sets the answers about the system itself, or the function that makes them. By default, these addresses do not
   * exist.
   */
  say(statements: Statements | ((response: ServerResponse) => void)): void;
  /** Sets how events are answered; undefined restores `200`. */
  answerWith(answer: ((response: ServerResponse) => void) | undefined): void;
  /** The number of events that came, whatever the answer was. */
  callCount(): number;
  close(): Promise<void>;
}

const projectId = "7";

export async function errorReceiver(): Promise<ErrorReceiver> {
  const publicKey = "externalKey0123456789";
  const events: ReceivedEvent[] = [];
  const bodies: string[] = [];
  const complaints: string[] = [];
  const asked: string[] = [];
  let calls = 0;
  let statements: Statements | ((response: ServerResponse) => void) = {};
  let answer: ((response: ServerResponse) => void) | undefined;

  const beAsked = (request: IncomingMessage, response: ServerResponse) => {
    const path = String(request.url).slice("/prefix".length);
    const sent = [request.url, ...request.rawHeaders].join();
    asked.push(path);
    if (sent.includes(publicKey)) complaints.push("the key in a question");
    if (/cookie|authorization|x-sentry-auth|private-token/i.test(sent)) complaints.push("a secret in a question");
    if (typeof statements === "function") return statements(response);
    const said = path === "/api/0/" ? statements.root : statements.config;
    response.writeHead(said === undefined ? 404 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(said ?? { detail: "no such address" }));
  };
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = request;
    if (method === "GET" && /^\/prefix\/api\/(?:client-config|0)\/$/.test(String(url)))
      return beAsked(request, response);
    calls++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const [header, item, event, ...more] = body.split("\n").map((line) => parsed(line));
    const faults = [
      method !== "POST" && `method ${method}`,
      url !== `/prefix/api/${projectId}/envelope/` && `address ${url}`,
      headers["content-type"] !== "application/x-sentry-envelope" && `type ${headers["content-type"]}`,
      !String(headers["x-sentry-auth"]).includes(`sentry_key=${publicKey}`) && "no key",
      headers.cookie !== undefined && "a cookie",
      header?.["event_id"] !== event?.["event_id"] && "two event ids",
      item?.["type"] !== "event" && `item ${String(item?.["type"])}`,
      more.length > 0 && "more than one item",
      body.includes(publicKey) && "the key in the body",
    ].filter((fault) => fault !== false);
    complaints.push(...faults);
    bodies.push(body);
    if (answer) return answer(response);
    if (event) events.push(event);
    response.end("{}");
  };
  const server = createServer((request, response) => {
    receive(request, response).catch((error: unknown) => complaints.push(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    dsn: `http://${publicKey}@127.0.0.1:${port}/prefix/${projectId}`,
    publicKey,
    events,
    bodies,
    complaints,
    asked,
    say: (given) => (statements = given),
    answerWith: (given) => (answer = given),
    callCount: () => calls,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function parsed(line: string): ReceivedEvent | undefined {
  try {
    return JSON.parse(line) as ReceivedEvent;
  } catch {
    return undefined; // its reader reports a complaint
  }
}

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An event as it arrived. */
export type ReceivedEvent = Readonly<Record<string, unknown>>;

/** Another error-tracking system: takes envelopes of one DSN and complains about every other call. */
export interface ErrorReceiver {
  readonly dsn: string;
  readonly publicKey: string;
  readonly events: readonly ReceivedEvent[];
  /** The bodies as they came. */
  readonly bodies: readonly string[];
  /** What was wrong with a call; to be empty at the end of a test. */
  readonly complaints: readonly string[];
  /** Answers instead of `200`; undefined: as usual. */
  answerWith(answer: ((response: ServerResponse) => void) | undefined): void;
  /** How many calls came, whatever was answered. */
  callCount(): number;
  close(): Promise<void>;
}

const projectId = "7";

export async function errorReceiver(): Promise<ErrorReceiver> {
  const publicKey = "externalKey0123456789";
  const events: ReceivedEvent[] = [];
  const bodies: string[] = [];
  const complaints: string[] = [];
  let calls = 0;
  let answer: ((response: ServerResponse) => void) | undefined;

  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    calls++;
    const { method, url, headers } = request;
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
    return undefined; // told as a complaint by whoever looks at it
  }
}

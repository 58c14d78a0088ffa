import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync, inflateSync } from "node:zlib";

/** A request of an SDK as it passed by, and what Faultline answered. */
export interface Exchange {
  readonly door: string;
  readonly contentType: string | undefined;
  readonly status: number;
  /** The body, decompressed. */
  readonly body: string;
}

/** Stands between SDK and Faultline: hands on everything as it is and notes it. */
export interface Recorder {
  readonly host: string;
  readonly exchanges: readonly Exchange[];
  close(): void;
}

/** Starts a recorder; `beforePassing` is awaited before a body is handed on. */
export async function startRecorder(
  target: string,
  beforePassing: (body: string) => Promise<void> = async () => {},
): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  const server = createServer((incoming, outgoing) => {
    void pass(incoming, target, beforePassing).then(
      ({ exchange, headers, answered }) => {
        if (incoming.method === "POST") exchanges.push(exchange); // before the SDK knows that it may end
        outgoing.writeHead(exchange.status, headers).end(answered);
      },
      () => outgoing.destroy(), // the SDK sees a lost connection, the test that an event is missing
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    exchanges,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function pass(incoming: IncomingMessage, target: string, beforePassing: (body: string) => Promise<void>) {
  const url = incoming.url ?? "/";
  const bytes = await read(incoming);
  const body = textOf(bytes);
  await beforePassing(body);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const { method, rawHeaders } = incoming;
    request(new URL(url, target), { method, headers: rawHeaders, agent: false }, resolve)
      .on("error", reject)
      .end(bytes);
  });
  const contentType = incoming.headers["content-type"];
  const exchange: Exchange = { door: doorOf(url), contentType, status: answer.statusCode ?? 0, body };
  return { exchange, headers: answer.rawHeaders, answered: await read(answer) };
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/**
 * The endpoint of an address: `store`, `envelope` or the endpoint of the report dialog. For other addresses, the
 * address.
 */
export function doorOf(url: string): string {
  return /\/(store|envelope|error-page)\//.exec(url)?.[1] ?? url;
}

function textOf(body: Buffer): string {
  if (body[0] === 0x1f && body[1] === 0x8b) return gunzipSync(body).toString();
  const text = body.toString();
  return text.startsWith("eN") ? inflateSync(Buffer.from(text, "base64")).toString() : text; // raven: base64 of zlib
}

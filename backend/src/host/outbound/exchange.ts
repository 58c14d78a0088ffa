import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { OutboundFailure, type OutboundAnswer, type OutboundRequest, type OutboundFault } from "@faultline/plugin";
import { failureOf, type Target } from "./connect.ts";

const headerMs = 5_000;

/** An answer in chunks of one byte costs 1 microsecond and 100 bytes of memory per chunk: a second for a megabyte. */
const maxPieces = 20_000;

/** Bytes of the head of an answer. */
const maxHeaderSize = 16_384;

/** Sends one request over an open socket and reads its answer. Does not follow redirects. */
export async function exchange(
  socket: Socket,
  target: Target,
  { method, headers, body, maxBytes }: OutboundRequest,
  deadline: Deadline,
): Promise<Omit<OutboundAnswer, "isPublic">> {
  const { signal } = deadline;
  let broken: unknown; // the request reports the cause; the answer would only say that it was cut off
  try {
    deadline.expect("read_timeout", "the head of the answer", headerMs);
    // Our socket instead of an agent, which would read HTTP_PROXY and choose the address itself.
    const outgoing = httpRequest({
      method,
      path: target.path,
      headers: { ...headers, host: target.authority, connection: "close", "accept-encoding": "identity" },
      createConnection: () => socket,
      maxHeaderSize,
      insecureHTTPParser: false,
    });
    outgoing.on("error", (error) => (broken ??= error));
    outgoing.end(body);
    const incoming = await answerTo(outgoing, signal);
    deadline.expect("read_timeout", "the rest of the answer");
    return {
      status: incoming.statusCode ?? 0,
      headers: headersOf(incoming),
      body: await bodyOf(incoming, maxBytes),
    };
  } catch (error) {
    const failure = failureOf(signal.aborted ? signal.reason : meaningOf(broken ?? error));
    const { fault, message, bytes } = failure;
    throw new OutboundFailure(fault, message, { bytes, cause: failure.cause, mayHaveArrived: true });
  } finally {
    socket.destroy();
  }
}

function meaningOf(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error && String(error.code).startsWith("HPE_"))) return error;
  return new OutboundFailure("protocol", "the answer is not HTTP", { cause: error });
}

function answerTo(outgoing: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once("response", resolve);
    outgoing.once("upgrade", () => reject(new OutboundFailure("protocol", "the answer changes the protocol")));
    outgoing.once("error", reject);
    signal.addEventListener("abort", () => reject(signal.reason as OutboundFailure));
  });
}

function headersOf({ headersDistinct }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values?.join(", ") ?? ""]));
}

/** The body. No more than `maxBytes` are read. */
async function bodyOf(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = incoming.headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new OutboundFailure("protocol", "the answer is compressed, which was not requested");
  }
  const announced = Number(incoming.headers["content-length"] ?? 0);
  if (announced > maxBytes) throw tooBig(announced);
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw tooBig(size);
    if (pieces.push(piece) > maxPieces)
      throw new OutboundFailure("protocol", "the answer arrives in too many small parts");
  }
  return Buffer.concat(pieces, size);
}

function tooBig(bytes: number): OutboundFailure {
  return new OutboundFailure("too_big", "the answer is too large", { bytes });
}

/** The time limit of a request and of its caller. `signal` aborts with the OutboundFailure that ends the request. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #endsAt: number;
  readonly #given: AbortSignal | undefined;
  readonly #abort = () =>
    this.#controller.abort(new OutboundFailure("aborted", "the caller no longer waits for the answer"));
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, given: AbortSignal | undefined) {
    this.#endsAt = performance.now() + timeoutMs;
    this.#given = given;
    if (given?.aborted) this.#abort();
    given?.addEventListener("abort", this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Sets the awaited step and its time limit. The limit of the whole request still holds. */
  expect(fault: OutboundFault, awaited: string, ms = Infinity): void {
    clearTimeout(this.#timer);
    const late = () => this.#controller.abort(new OutboundFailure(fault, `${awaited} did not arrive in time`));
    this.#timer = setTimeout(late, Math.max(0, Math.min(ms, this.#endsAt - performance.now())));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#given?.removeEventListener("abort", this.#abort);
  }
}

/**
 * The one way out of the process: every request to another system goes through it. It connects to public addresses and
 * to what the operator allowed, to exactly the address it has judged, follows no redirection and reads no more than
 * `maxBytes`.
 */
export interface Outbound {
  /** Sends a request and reads the whole answer, whatever its status. Throws OutboundFailure when there is none. */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
}

export interface OutboundRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  /** http or https. The raw text is judged before it is parsed. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes of the answer's body that are read at most; an answer with more is a failure. */
  readonly maxBytes: number;
  /** Milliseconds for the whole, from the look-up of the name to the last byte. */
  readonly timeoutMs: number;
  /** Aborted when nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundAnswer {
  readonly status: number;
  /** Names in lower case; of several with one name, all joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether it came from a public address, which everybody may read. Otherwise the operator allowed the network. */
  readonly isPublic: boolean;
}

/**
 * Why a request has no answer. `address`: no connection was made, as the address is not public and not allowed, is our
 * own, or its name was not found. These look alike and take the same time, so that nobody can map a private network
 * with them.
 */
export type OutboundFault =
  "address" | "connect_timeout" | "read_timeout" | "refused" | "socket" | "tls" | "protocol" | "too_big" | "aborted";

/**
 * A request without an answer. Its message is for the log: it contains no secret, and no address that was looked up.
 */
export class OutboundFailure extends Error {
  readonly fault: OutboundFault;
  /** For `too_big`: the announced bytes, otherwise those read. */
  readonly bytes: number;
  /** Whether the other side may have the request, as it failed after it had begun to leave. */
  readonly mayHaveArrived: boolean;

  constructor(
    fault: OutboundFault,
    message: string,
    options: { bytes?: number; cause?: unknown; mayHaveArrived?: boolean } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "OutboundFailure";
    this.fault = fault;
    this.bytes = options.bytes ?? 0;
    this.mayHaveArrived = options.mayHaveArrived ?? false;
  }
}

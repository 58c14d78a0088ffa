/**
 * The only way to other systems: every outbound request of the process goes through it. It connects only to public
 * addresses and to networks that the operator allowed, and only to the exact address that it checked. It follows no
 * redirects and reads no more than `maxBytes`.
 */
export interface Outbound {
  /** Sends a request and reads the whole answer, whatever its status. Throws OutboundFailure if there is no answer. */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
}

export interface OutboundRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  /** http or https. The raw text is checked before it is parsed. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The maximum number of bytes in the answer's body. A longer answer is a failure. */
  readonly maxBytes: number;
  /** Milliseconds for the whole request, from the DNS lookup to the last byte. */
  readonly timeoutMs: number;
  /** Aborted when the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundAnswer {
  readonly status: number;
  /** Names are in lower case. Several values of a name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether it came from a public address, which everybody may read. If not, the operator allowed the network. */
  readonly isPublic: boolean;
}

/**
 * Why a request has no answer. `address` means that no connection was made, because the address is our own or is
 * neither public nor allowed, or because its name was not found. These cases look alike and take the same time, so that
 * nobody can use them to map a private network.
 */
export type OutboundFault =
  "address" | "connect_timeout" | "read_timeout" | "refused" | "socket" | "tls" | "protocol" | "too_big" | "aborted";

/** A request without an answer. Its message is for the log: it contains no secret and no resolved address. */
export class OutboundFailure extends Error {
  readonly fault: OutboundFault;
  /** For `too_big`, the announced number of bytes, or the number that was read if none was announced. */
  readonly bytes: number;
  /** Whether the other side may have received the request, because it failed after sending had begun. */
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

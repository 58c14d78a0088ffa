import type { DescMethodUnary } from "@bufbuild/protobuf";
import type { Call, Core } from "./core.ts";
import type { ServiceError } from "./service-error.ts";

/**
 * An HTTP API that a plugin serves on the public address. The bridge matches the path, reads token and body and sends the
 * answer; the plugin calls the core with the token, so that each call is authorised by the method's option.
 */
export interface HttpApi {
  /** Such as `/api/0`: unknown addresses below it are answered with `notFound`. */
  readonly prefix: string;
  readonly routes: readonly HttpApiRoute[];
  /** Parameters that no answer depends on, such as those about how much of it is shown. Any call may have them. */
  readonly ignores?: readonly string[];
  /** The answer for a refusal. A refusal with the reason INTERNAL is logged. */
  refusal(error: ServiceError): HttpAnswer;
  /** The answer to an unknown address or method. */
  readonly notFound: HttpAnswer;
}

export interface HttpApiRoute {
  /** `:name` matches one part of the path; a trailing slash may follow. */
  readonly path: string;
  /** Whether the handler reads the body as it was sent, by `HttpCall.rawBody`. Otherwise the body is read before the handler runs. */
  readonly isRaw?: boolean;
  /**
   * The parameters in the query that each method understands. Others are refused, because the answer would not be what they
   * ask for. If undefined, the handler checks its parameters itself.
   */
  readonly takes?: Readonly<Record<string, readonly string[]>>;
  /** By HTTP method, such as `GET`; a HEAD is answered as a GET without its body. */
  readonly methods: Readonly<Record<string, (call: HttpCall) => Promise<HttpAnswer>>>;
}

/** A request as the bridge has read it; it serves as the context of calls of the core. */
export interface HttpCall extends Call {
  /** The core's services. */
  readonly core: Core;
  /** The decoded parts of the path that the route names. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of the JSON body; empty without a body. */
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * Refuses the call, as the method would, for the project of its address, by id or path. To be called before a large body is read:
   * otherwise anybody could make the service hold it.
   */
  admit(method: DescMethodUnary, project: number | string): Promise<void>;
  /**
   * Takes more calls from the limits of the caller, for a request that does the work of several; one was taken before its body was
   * read. Refuses with RATE_LIMITED.
   */
  spend(count: number): Promise<void>;
  /** The bytes of the body of a raw route; undefined if there are more than `maxBytes`. */
  rawBody(maxBytes: number): Promise<Buffer | undefined>;
  /** The headers, with names in lower case; values of one name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The token of `Authorization: Bearer` or `PRIVATE-TOKEN`; undefined without a token, or with several that differ. */
  readonly token: string | undefined;
  /** The sender's address. */
  readonly clientAddress: string;
  /** Aborted when the client leaves before its answer is complete. */
  readonly signal: AbortSignal;
  /** The beginning of links to this service, such as `https://errors.example.com`. */
  readonly origin: string;
}

/** An answer: a JSON body, a text that is JSON already, or neither, as for a 204. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly json?: string;
}

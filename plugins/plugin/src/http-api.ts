import type { DescMethodUnary } from "@bufbuild/protobuf";
import type { Call, Core } from "./core.ts";
import type { ServiceError } from "./service-error.ts";

/**
 * An HTTP API that a plugin serves on the public address. The bridge matches the path, reads the token and the body,
 * and sends the answer. The plugin calls the core with the token, so that each call is authorized by the method's
 * option.
 */
export interface HttpApi {
  /** Such as `/api/0`. Unknown addresses below it are answered with `notFound`. */
  readonly prefix: string;
  readonly routes: readonly HttpApiRoute[];
  /** Parameters that do not change the answer, such as parameters for partial display. Every call accepts them. */
  readonly ignores?: readonly string[];
  /** The answer for a refusal. A refusal with the reason INTERNAL is logged. */
  refusal(error: ServiceError): HttpAnswer;
  /** The answer to an unknown address or method. */
  readonly notFound: HttpAnswer;
}

export interface HttpApiRoute {
  /** `:name` matches one part of the path; a trailing slash may follow. */
  readonly path: string;
  /**
   * Whether the handler reads the raw body with `HttpCall.rawBody`. If not, the body is read before the handler runs.
   */
  readonly isRaw?: boolean;
  /**
   * The query parameters that each method understands. Other parameters are refused, because the answer would ignore
   * them. If undefined, the handler checks its parameters.
   */
  readonly takes?: Readonly<Record<string, readonly string[]>>;
  /** By HTTP method, such as `GET`. HEAD is answered like GET, without the body. */
  readonly methods: Readonly<Record<string, (call: HttpCall) => Promise<HttpAnswer>>>;
}

/** A parsed request, which also serves as the context of calls to the core. */
export interface HttpCall extends Call {
  /** The core's services. */
  readonly core: Core;
  /** The decoded parts of the path, by the names in the route. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of the JSON body. Empty without a body. */
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * Refuses the call as the method would, for the project in its address, by id or path. Call it before a large body is
   * read, because otherwise anybody could make the service hold the body.
   */
  admit(method: DescMethodUnary, project: number | string): Promise<void>;
  /**
   * Takes further calls from the caller's limits, for a request that does the work of several. The first was taken
   * before the body was read. Refuses with RATE_LIMITED.
   */
  spend(count: number): Promise<void>;
  /** The body of a raw route. Undefined if it has more than `maxBytes`. */
  rawBody(maxBytes: number): Promise<Buffer | undefined>;
  /** The headers, with names in lower case. Several values of a name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The token of `Authorization: Bearer` or `PRIVATE-TOKEN`. Undefined if there is no token, or if several tokens
   * differ.
   */
  readonly token: string | undefined;
  /** The sender's address. */
  readonly clientAddress: string;
  /** Aborted when the client leaves before its answer is complete. */
  readonly signal: AbortSignal;
  /** The prefix of links to this service, such as `https://errors.example.com`. */
  readonly origin: string;
}

/** An answer: a value that becomes JSON, text that is already JSON, or no body (for example with 204). */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly json?: string;
}

/**
 * Joins protobuf-es services to grpc-js: definitions for a server, typed promise clients for a caller.
 * No published adapter exists between the two.
 */
import {
  create,
  fromBinary,
  toBinary,
  type DescMessage,
  type DescMethod,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  Client as GrpcClient,
  Metadata,
  type CallOptions,
  type ChannelCredentials,
  type ClientOptions,
  type MethodDefinition,
  type ServiceDefinition,
  type ServiceError as GrpcError,
} from "@grpc/grpc-js";
import { ErrorReason, ErrorReasonSchema } from "./gen/faultline/v1/error_reason_pb.ts";

/**
 * Trailers of a refused call, see error_reason.proto. The last one says the same as `google.rpc.Status`, because the libraries of
 * many languages decode it.
 */
export const reasonTrailer = "faultline-reason";
export const fieldTrailer = "faultline-field";
export const retryAfterTrailer = "faultline-retry-after";
export const statusDetailsTrailer = "grpc-status-details-bin";

/** The name of a reason as the trailer carries it, such as `PROJECT_NOT_FOUND`. */
export function reasonName(reason: ErrorReason): string {
  return ErrorReasonSchema.value[reason]?.localName ?? "UNSPECIFIED";
}

/** The grpc-js definition of a method. */
function methodDefinition(method: DescMethod): MethodDefinition<unknown, unknown> {
  const serialize = (schema: DescMessage) => (message: unknown) => {
    const bytes = toBinary(schema, message as MessageShape<DescMessage>);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength); // a view: toBinary's bytes are ours alone
  };
  const deserialize = (schema: DescMessage) => (bytes: Buffer) => fromBinary(schema, bytes);
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming",
    responseStream: method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming",
    requestSerialize: serialize(method.input),
    requestDeserialize: deserialize(method.input),
    responseSerialize: serialize(method.output),
    responseDeserialize: deserialize(method.output),
  };
}

/** The grpc-js definition of a whole service, keyed by the methods' local names (`listErrors`). */
export function serviceDefinition(service: DescService): ServiceDefinition {
  return Object.fromEntries(service.methods.map((method) => [method.localName, methodDefinition(method)]));
}

/** Options of one call. */
export interface CallContext {
  /** Session token or personal access token, sent as `authorization: Bearer <token>`. */
  readonly token?: string | undefined;
  /** Ends the call early. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the call fails with DEADLINE_EXCEEDED. Default 10,000 for unary calls, none for streams. */
  readonly timeoutMs?: number | undefined;
  /** The W3C `traceparent` of the work that the call is part of; a malformed `traceparent` is left out. */
  readonly traceparent?: string | undefined;
}

/** A typed client: one function a method, with the method's local name. */
export type ServiceClient<S extends DescService> = {
  [K in keyof S["method"]]: S["method"][K] extends DescMethod
    ? S["method"][K]["methodKind"] extends "server_streaming"
      ? (
          request: MessageInitShape<S["method"][K]["input"]>,
          context?: CallContext,
        ) => AsyncIterable<MessageShape<S["method"][K]["output"]>>
      : (
          request: MessageInitShape<S["method"][K]["input"]>,
          context?: CallContext,
        ) => Promise<MessageShape<S["method"][K]["output"]>>
    : never;
};

/** A call the service refused or that did not reach it. */
export class CallError extends Error {
  /** The gRPC status code. */
  readonly code: number;
  /** The reason that the service gave; UNSPECIFIED when it gave none. */
  readonly reason: ErrorReason;
  /** The request field at fault, as named in the proto file; empty if no field is. */
  readonly field: string;
  /** When trying again may help, in seconds. 0: the service did not say. */
  readonly retryAfterSeconds: number;

  constructor(error: GrpcError) {
    super(error.details || error.message, { cause: error });
    this.name = "CallError";
    this.code = error.code;
    const reason = error.metadata?.get(reasonTrailer)[0]?.toString() ?? "";
    this.reason = reason in ErrorReason ? ErrorReason[reason as keyof typeof ErrorReason] : ErrorReason.UNSPECIFIED;
    this.field = error.metadata?.get(fieldTrailer)[0]?.toString() ?? "";
    this.retryAfterSeconds = Number(error.metadata?.get(retryAfterTrailer)[0]?.toString() ?? 0);
  }
}

const defaultTimeoutMs = 10_000;

/**
 * Connects to `address` (host:port) lazily; services made from it share the connection. By default grpc-js sends even
 * calls to this machine to the proxy of `http_proxy`, which would read the token of a plaintext call: a caller that
 * speaks TLS may allow it.
 */
export function connect(address: string, channelCredentials: ChannelCredentials, options: ClientOptions = {}) {
  const client = new GrpcClient(address, channelCredentials, { "grpc.enable_http_proxy": 0, ...options });
  const service = <S extends DescService>(desc: S): ServiceClient<S> =>
    Object.fromEntries(
      desc.methods.map((method) => [
        method.localName,
        method.methodKind === "server_streaming" ? serverStreaming(client, method) : unary(client, method),
      ]),
    ) as unknown as ServiceClient<S>; // built from the same list of methods the type is made of
  return {
    service,
    /** A client of each service, under the same names. */
    services: <T extends Readonly<Record<string, DescService>>>(all: T) =>
      Object.fromEntries(Object.entries(all).map(([name, desc]) => [name, service(desc)])) as {
        readonly [K in keyof T]: ServiceClient<T[K]>;
      },
    close: () => client.close(),
  };
}

/** A connection made by `connect`. */
export type Connection = ReturnType<typeof connect>;

/** A header of a browser may be anything, and metadata throws at what it does not take. */
const traceparentForm = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

function metadataOf(context: CallContext): Metadata {
  const metadata = new Metadata();
  if (context.token) metadata.set("authorization", `Bearer ${context.token}`);
  const { traceparent = "" } = context;
  if (traceparentForm.test(traceparent)) metadata.set("traceparent", traceparent);
  return metadata;
}

function unary(client: GrpcClient, method: DescMethod) {
  const definition = methodDefinition(method);
  return (request: MessageInitShape<DescMessage>, context: CallContext = {}) =>
    new Promise<unknown>((resolve, reject) => {
      const options: CallOptions = { deadline: Date.now() + (context.timeoutMs ?? defaultTimeoutMs) };
      const call = client.makeUnaryRequest(
        definition.path,
        definition.requestSerialize,
        definition.responseDeserialize,
        create(method.input, request),
        metadataOf(context),
        options,
        (error, response) => (error ? reject(new CallError(error)) : resolve(response)),
      );
      if (context.signal?.aborted) call.cancel();
      context.signal?.addEventListener("abort", () => call.cancel(), { once: true });
    });
}

function serverStreaming(client: GrpcClient, method: DescMethod) {
  const definition = methodDefinition(method);
  return async function* (request: MessageInitShape<DescMessage>, context: CallContext = {}): AsyncGenerator<unknown> {
    const options: CallOptions = context.timeoutMs ? { deadline: Date.now() + context.timeoutMs } : {};
    const call = client.makeServerStreamRequest(
      definition.path,
      definition.requestSerialize,
      definition.responseDeserialize,
      create(method.input, request),
      metadataOf(context),
      options,
    );
    const cancel = () => call.cancel();
    context.signal?.addEventListener("abort", cancel, { once: true });
    try {
      yield* call;
    } catch (error) {
      if (context.signal?.aborted) return;
      throw new CallError(error as GrpcError); // grpc-js documents ServiceError as the only error of a call
    } finally {
      context.signal?.removeEventListener("abort", cancel);
      call.cancel();
    }
  };
}

import { once, setMaxListeners } from "node:events";
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  createFileRegistry,
  fromBinary,
  type DescEnum,
  type DescFile,
} from "@bufbuild/protobuf";
import {
  anyPack,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  type FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { ReflectionService } from "@grpc/reflection";
import { type Log, ServiceError, StartRefusal } from "@faultline/plugin";
import { answerTo, ErrorReason } from "@faultline/proto";
import {
  fieldTrailer,
  reasonName,
  reasonTrailer,
  retryAfterTrailer,
  serviceDefinition,
  statusDetailsTrailer,
} from "@faultline/proto/grpc";
import {
  Metadata,
  Server,
  ServerCredentials,
  logVerbosity,
  setLogVerbosity,
  status,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerInterceptor,
  type ServiceDefinition,
  type StatusObject,
} from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import { ErrorInfoSchema, RetryInfoSchema, StatusSchema } from "@faultline/proto/status";
import { descriptorImage } from "@faultline/proto/image";
import { bearerToken, callWall, maxMessageBytes, type CheckToken, UnparsedRequest } from "./call-wall.ts";
import type { ServedService, StreamingMethod, UnaryMethod } from "./served-service.ts";
import { tlsCredentials, type GrpcTls } from "./tls.ts";

setLogVerbosity(logVerbosity.NONE); // its relevant messages arrive as errors too, and we log them once

type AnyMessage = MessageShape<DescMessage>;

/**
 * The gRPC server of the core, with health and, on this machine, reflection, so that other clients do not need our
 * files.
 */
export class GrpcServer {
  readonly #server: Server;
  readonly #services: readonly ServedService[];
  readonly #health: HealthImplementation;
  readonly #log: Log;
  readonly #deadlineMs: number;
  /** Ends calls that never end by themselves, and calls that take too long. */
  readonly #stopping = { streams: new AbortController(), calls: new AbortController() };
  #stopped: Promise<void> | undefined;

  /**
   * `checkToken` refuses calls before their requests are read. `hasReflection`: off if strangers can connect.
   * `callsAtOnce`: the limit of a connection. `arrivalMs`: the time for requests to arrive after their headers.
   * `deadlineMs`: the limit of unary calls without a deadline, so that none waits forever. `interceptors` see all
   * calls.
   */
  constructor(
    services: readonly ServedService[],
    log: Log,
    options: {
      checkToken: CheckToken;
      hasReflection: boolean;
      callsAtOnce?: number;
      arrivalMs?: number;
      deadlineMs?: number;
      interceptors?: readonly ServerInterceptor[];
    },
  ) {
    const { checkToken, hasReflection, callsAtOnce = 100, arrivalMs, deadlineMs = 30_000, interceptors = [] } = options;
    this.#services = services;
    this.#log = log;
    const wall = callWall(checkToken, (path, thrown) => this.#status(path, thrown), arrivalMs);
    this.#server = new Server({
      "grpc.max_receive_message_length": maxMessageBytes,
      "grpc.max_concurrent_streams": callsAtOnce,
      interceptors: [wall.nearWire, ...interceptors, wall.nearHandler],
    });
    this.#deadlineMs = deadlineMs;
    for (const { signal } of Object.values(this.#stopping)) setMaxListeners(0, signal);
    const statuses: Record<string, "SERVING" | "NOT_SERVING"> = { "": "NOT_SERVING" };
    for (const guarded of services) {
      this.#addService(guarded);
      statuses[guarded.service.typeName] = "NOT_SERVING";
    }
    this.#health = new HealthImplementation(statuses);
    this.#health.addToServer(this.#server);
    if (hasReflection)
      addReflection(
        this.#server,
        services.map(({ service }) => service.file),
      );
  }

  /** Listens, with TLS if given, and returns the address with the bound port. May be called again. */
  async listen(address: string, tls?: GrpcTls): Promise<string> {
    const credentials = tls ? tlsCredentials(tls) : ServerCredentials.createInsecure();
    try {
      const port = await new Promise<number>((resolve, reject) =>
        this.#server.bindAsync(address, credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
      );
      return address.replace(/:\d+$/, `:${port}`);
    } catch (error) {
      throw new StartRefusal(
        `The gRPC address ${address} cannot be used, perhaps because another program listens there. Choose another with FAULTLINE_GRPC_ADDRESS.`,
        error,
      );
    }
  }

  /** Reports to health checks whether the server accepts calls. */
  setServing(isServing: boolean): void {
    for (const name of ["", ...this.#services.map(({ service }) => service.typeName)]) {
      this.#health.setStatus(name, isServing ? "SERVING" : "NOT_SERVING");
    }
  }

  /**
   * Accepts no new calls, ends streams immediately, and waits `graceMs` at most for running calls. Callers of longer
   * calls are asked to retry. May be called again.
   */
  stop(graceMs = 4_000): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#server.tryShutdown(() => resolve()));
    this.#stopping.streams.abort();
    const timers = [
      setTimeout(() => this.#stopping.calls.abort(), graceMs),
      setTimeout(() => this.#server.forceShutdown(), graceMs + flushMs), // for callers that do not read the answer
    ];
    await gone;
    for (const timer of timers) clearTimeout(timer);
  }

  #addService({ service, methods }: ServedService): void {
    const implementation = Object.fromEntries(
      service.methods.map((method) => {
        const guarded = methods[method.localName];
        return [
          method.localName,
          method.methodKind === "server_streaming"
            ? this.#streaming(method, guarded as StreamingMethod)
            : this.#unary(method, guarded as UnaryMethod),
        ];
      }),
    );
    this.#server.addService(unparsed(service), implementation);
  }

  #unary(method: DescMethod, guarded: UnaryMethod): handleUnaryCall<UnparsedRequest, AnyMessage> {
    return (call, callback) => {
      let request: AnyMessage;
      try {
        request = call.request.parse();
      } catch (error) {
        return callback(this.#status(method.name, error));
      }
      const abort = new AbortController();
      let answer = callback;
      const giveUp = () => {
        abort.abort();
        const details = `The call had no deadline and took longer than ${this.#deadlineMs / 1000} s.`;
        answer({ code: status.DEADLINE_EXCEEDED, details });
        answer = () => undefined; // the handler may still end
      };
      const late = call.getDeadline() === Infinity ? setTimeout(giveUp, this.#deadlineMs) : undefined;
      call.on("cancelled", () => abort.abort());
      const stop = () => {
        abort.abort();
        answer(stopping);
        answer = () => undefined;
      };
      const { signal: stopped } = this.#stopping.calls;
      stopped.addEventListener("abort", stop);
      guarded(request, { token: bearerToken(call.metadata), signal: abort.signal })
        .finally(() => {
          clearTimeout(late);
          stopped.removeEventListener("abort", stop);
        })
        .then(
          (response) => answer(null, response),
          (thrown: unknown) => answer(this.#status(method.name, thrown)),
        );
    };
  }

  #streaming(method: DescMethod, guarded: StreamingMethod): handleServerStreamingCall<UnparsedRequest, AnyMessage> {
    return (call) => {
      const abort = new AbortController();
      call.on("cancelled", () => abort.abort());
      const refuse = (refusal: Partial<StatusObject>) => {
        // Not `destroy`: grpc-js sends the status when the stream ends, and a destroyed stream never ends.
        call.emit("error", Object.assign(new Error("refused"), refusal));
      };
      const { signal: stopped } = this.#stopping.streams;
      const stop = () => {
        abort.abort();
        refuse(stopping);
      };
      stopped.addEventListener("abort", stop);
      const send = async () => {
        for await (const response of guarded(call.request.parse(), {
          token: bearerToken(call.metadata),
          signal: abort.signal,
        })) {
          if (abort.signal.aborted) return;
          const mayGoOn = call.write(create(method.output, response as MessageInitShape<DescMessage>));
          if (!mayGoOn) await once(call, "drain", { signal: abort.signal });
        }
        if (!abort.signal.aborted) call.end();
      };
      send()
        .catch((thrown: unknown) => stopped.aborted || refuse(this.#status(method.name, thrown)))
        .finally(() => stopped.removeEventListener("abort", stop));
      if (stopped.aborted) stop();
    };
  }

  /** The only place where errors leave over gRPC. */
  #status(method: string, thrown: unknown): Partial<StatusObject> {
    const error = ServiceError.from(thrown);
    if (error.reason === ErrorReason.INTERNAL) this.#log.error({ err: error.cause, method }, "call failed");
    const metadata = new Metadata();
    metadata.set(reasonTrailer, reasonName(error.reason));
    if (error.field) metadata.set(fieldTrailer, error.field);
    if (error.retryAfterSeconds > 0) metadata.set(retryAfterTrailer, String(error.retryAfterSeconds));
    const { code } = answerTo(error.reason);
    metadata.set(statusDetailsTrailer, statusDetails(error, code));
    return { code, details: error.message, metadata };
  }
}

/** Time for the last answers to reach their callers. */
const flushMs = 250;

const stopping: Partial<StatusObject> = {
  code: status.UNAVAILABLE,
  details: "The service is stopping. Call again in a moment.",
};

/** The methods of a service, with requests that are parsed after they have ended. */
function unparsed(service: DescService): ServiceDefinition {
  const definition = serviceDefinition(service);
  return Object.fromEntries(
    service.methods.map((method) => [
      method.localName,
      {
        ...definition[method.localName],
        requestDeserialize: (bytes: Buffer) => new UnparsedRequest(method.input, bytes),
      },
    ]),
  ) as ServiceDefinition;
}

/** A refusal as google.rpc.Status, which libraries of many languages decode (error_reason.proto). */
function statusDetails({ reason, field, message, retryAfterSeconds }: ServiceError, code: number): Buffer {
  const metadata: Record<string, string> = field === "" ? {} : { field };
  const info = create(ErrorInfoSchema, { reason: reasonName(reason), domain: "faultline", metadata });
  const retry = create(RetryInfoSchema, { retryDelay: { seconds: BigInt(retryAfterSeconds) } });
  const details = [anyPack(ErrorInfoSchema, info), ...(retryAfterSeconds > 0 ? [anyPack(RetryInfoSchema, retry)] : [])];
  return Buffer.from(toBinary(StatusSchema, create(StatusSchema, { code, message, details })));
}

/** Answers the calls of one client on a stream. */
type Handler = (stream: unknown) => void;

/**
 * Adds server reflection over our files, the files of the health service and the files of plugins, for clients without
 * them. The files are read at the first call: few clients need them, and reading them takes an eighth of a start, 0.13
 * s of a core.
 */
function addReflection(server: Server, files: readonly DescFile[]): void {
  let handlers: Map<string, Handler> | undefined;
  const empty = new ReflectionService({}); // knows the versions of the protocol, but no files
  empty.addToServer({
    addService(definition) {
      const lazy = Object.entries(definition).map(([name, { path }]): [string, Handler] => [
        name,
        (stream) => {
          handlers ??= handlersOf(reflection(files));
          handlers.get(path)?.(stream);
        },
      ]);
      server.addService(definition, Object.fromEntries(lazy));
    },
  });
}

/** The handlers by the paths of their methods. */
function handlersOf(service: ReflectionService): Map<string, Handler> {
  const handlers = new Map<string, Handler>();
  service.addToServer({
    addService(definition, implementation) {
      for (const [name, { path }] of Object.entries(definition)) handlers.set(path, implementation[name] as Handler);
    },
  });
  return handlers;
}

/**
 * The reflection service. It gets the descriptors as buf compiled them: proto-loader would merge all files of a package
 * and drop their imports, and clients that check them, such as grpcurl, refuse that.
 */
function reflection(served: readonly DescFile[]): ReflectionService {
  const files = new Map<string, DescFile>();
  const add = (file: DescFile) => {
    if (files.has(file.proto.name)) return;
    files.set(file.proto.name, file);
    for (const dependency of file.dependencies) add(dependency);
  };
  for (const file of createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorImage())).files) add(file);
  for (const file of served) add(file);
  const fileDescriptorProtos = [...files.values()].map((file) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, linked(file))),
  );
  return new ReflectionService({
    all: { format: "Protocol Buffer 3 DescriptorProto", type: {}, fileDescriptorProtos },
  });
}

/**
 * A file without our options of methods and the imports that only they need. With a file, the package returns only the
 * files that its fields and methods refer to, so a file with another import does not link.
 */
function linked(file: DescFile): FileDescriptorProto {
  const imports = referredTo(file);
  return {
    ...file.proto,
    extension: [],
    dependency: file.proto.dependency.filter((path) => imports.has(path)),
  };
}

/** The paths of the files that define types of the file. */
function referredTo(file: DescFile): ReadonlySet<string> {
  const types: (DescMessage | DescEnum | undefined)[] = [];
  for (const type of nestedTypes(file)) {
    if (type.kind === "message") types.push(...type.fields.flatMap((field) => [field.message, field.enum]));
    if (type.kind === "service") types.push(...type.methods.flatMap((method) => [method.input, method.output]));
  }
  return new Set(types.flatMap((type) => type?.file.proto.name ?? []));
}

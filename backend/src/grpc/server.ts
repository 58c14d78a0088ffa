import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { type Call, type Core, type Log, ServiceError, StartRefusal, statusOfReason } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { fieldTrailer, reasonName, reasonTrailer, serviceDefinition } from "@faultline/proto/grpc";
import {
  Metadata,
  Server,
  ServerCredentials,
  logVerbosity,
  setLogVerbosity,
  status,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type StatusObject,
} from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import { coreServices } from "../core.ts";
import { reflection } from "./reflection.ts";

setLogVerbosity(logVerbosity.NONE); // what matters of its messages comes as errors, and is said once, by us

const maxMessageBytes = 16 * 1024 * 1024;

type AnyMessage = MessageShape<DescMessage>;

/** The gRPC server of the core, with health and reflection so that foreign clients need none of our files. */
export class GrpcServer {
  readonly #server = new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_concurrent_streams": 100,
  });
  readonly #health: HealthImplementation;
  readonly #log: Log;

  constructor(core: Core, log: Log) {
    this.#log = log;
    const services: Record<string, "SERVING" | "NOT_SERVING"> = { "": "NOT_SERVING" };
    for (const [key, service] of Object.entries(coreServices)) {
      this.#addService(service, core[key as keyof Core] as unknown as Record<string, UnaryHandler | StreamHandler>);
      services[service.typeName] = "NOT_SERVING";
    }
    this.#health = new HealthImplementation(services);
    this.#health.addToServer(this.#server);
    reflection().addToServer(this.#server);
  }

  /** Listens; answers the address with the port that was bound. */
  async listen(address: string): Promise<string> {
    try {
      const port = await new Promise<number>((resolve, reject) =>
        this.#server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
          error ? reject(error) : resolve(bound),
        ),
      );
      return address.replace(/:\d+$/, `:${port}`);
    } catch (error) {
      throw new StartRefusal(
        `The gRPC address ${address} cannot be used, perhaps because another program listens there: choose another with FAULTLINE_GRPC_ADDRESS.`,
        error,
      );
    }
  }

  /** Tells health checks whether calls are welcome. */
  setServing(isServing: boolean): void {
    for (const service of ["", ...Object.values(coreServices).map(({ typeName }) => typeName)]) {
      this.#health.setStatus(service, isServing ? "SERVING" : "NOT_SERVING");
    }
  }

  /** Finishes running calls, for at most two seconds: streams have no end of their own. */
  async stop(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#server.tryShutdown(() => resolve()));
    const timer = setTimeout(() => this.#server.forceShutdown(), 2_000);
    await gone;
    clearTimeout(timer);
  }

  #addService(service: DescService, handlers: Record<string, UnaryHandler | StreamHandler>): void {
    const implementation = Object.fromEntries(
      service.methods.map((method) => {
        const handler = handlers[method.localName];
        return [
          method.localName,
          method.methodKind === "server_streaming"
            ? this.#streaming(method, handler as StreamHandler)
            : this.#unary(method, handler as UnaryHandler),
        ];
      }),
    );
    this.#server.addService(serviceDefinition(service), implementation);
  }

  #unary(method: DescMethod, handler: UnaryHandler): handleUnaryCall<AnyMessage, AnyMessage> {
    return (call, callback) => {
      const abort = new AbortController();
      call.on("cancelled", () => abort.abort());
      handler(call.request, { token: bearerToken(call.metadata), signal: abort.signal }).then(
        (response) => callback(null, response),
        (thrown: unknown) => callback(this.#status(method, thrown)),
      );
    };
  }

  #streaming(method: DescMethod, handler: StreamHandler): handleServerStreamingCall<AnyMessage, AnyMessage> {
    return (call) => {
      const abort = new AbortController();
      call.on("cancelled", () => abort.abort());
      const send = async () => {
        for await (const response of handler(call.request, {
          token: bearerToken(call.metadata),
          signal: abort.signal,
        })) {
          if (abort.signal.aborted) return;
          call.write(create(method.output, response as MessageInitShape<DescMessage>));
        }
        call.end();
      };
      send().catch((thrown: unknown) => {
        // Not `destroy`: grpc-js sends the status when the stream ends, which a destroyed one never does.
        call.emit("error", Object.assign(new Error("refused"), this.#status(method, thrown)));
      });
    };
  }

  /** The one place where errors leave over gRPC. */
  #status(method: DescMethod, thrown: unknown): Partial<StatusObject> {
    const error = ServiceError.from(thrown);
    if (error.reason === ErrorReason.INTERNAL)
      this.#log.error({ err: error.cause, method: method.name }, "call failed");
    const metadata = new Metadata();
    metadata.set(reasonTrailer, reasonName(error.reason));
    if (error.field) metadata.set(fieldTrailer, error.field);
    return { code: statusOfReason[error.reason] ?? status.INTERNAL, details: error.message, metadata };
  }
}

type UnaryHandler = (request: AnyMessage, call: Call) => Promise<AnyMessage>;
type StreamHandler = (request: AnyMessage, call: Call) => AsyncIterable<AnyMessage>;

function bearerToken(metadata: Metadata): string | undefined {
  const value = metadata.get("authorization")[0]?.toString() ?? "";
  return /^bearer\s+(\S+)$/i.exec(value)?.[1];
}

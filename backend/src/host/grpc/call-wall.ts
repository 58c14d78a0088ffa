import type { ServerHttp2Stream } from "node:http2";
import { fromBinary, type DescMessage, type Message } from "@bufbuild/protobuf";
import { MemoryReservation, unreadAnswers, type Call, invalidField, ServiceError } from "@faultline/plugin";
import { IngestService, ReleaseRecordService, SourceMapService, ErrorReason } from "@faultline/proto";
import {
  Metadata,
  ServerInterceptingCall,
  ServerListenerBuilder,
  ResponderBuilder,
  status,
  type ServerInterceptor,
  type StatusObject,
} from "@grpc/grpc-js";
import { FairQueue } from "@faultline/plugin/flow";
import { countEntries } from "./entry-limits.ts";

/** Decompressed bytes of a request, by the rights of its caller and by its method. */
const largest = {
  /** Names, passwords and links, for methods that anybody may call. */
  stranger: 64 * 1024,
  caller: 256 * 1024,
  /** A part of an upload, or the commits of a release. */
  upload: 4 * 1024 * 1024,
  /** A batch of events or sessions. */
  reporter: 16 * 1024 * 1024,
};

/** The methods with large requests. */
const large = [
  { path: `/${IngestService.typeName}/Report`, bytes: largest.reporter },
  { path: `/${SourceMapService.typeName}/PutChunk`, bytes: largest.upload },
  { path: `/${ReleaseRecordService.typeName}/Record`, bytes: largest.upload },
];

/** How long a request may take to arrive after its headers; a batch may take three times as long. */
const usualArrivalMs = 10_000;

/** How long the caller may take to end a request after its message: clients send both together. */
const endMs = 2_000;

/** The limit for all methods of a server. grpc-js has no other limit. */
export const maxMessageBytes = largest.reporter;

/** Decompresses two requests simultaneously: each may become 16 MiB before its size is known. */
const decompressions = new FairQueue({ atOnce: 2 });

/** Service and method of a path, except gRPC's own services: health and reflection. */
const methodPath = /^\/(?!grpc\.)(?:[\w.]+\.)?(\w+)\/(\w+)$/;

/** Refuses a call only by its token. The names in its request are checked later. */
export type CheckToken = (
  method: string,
  call: Call,
) => Promise<{
  readonly needsToken: boolean;
  /** The person or network that is charged for the memory of the request. */
  readonly holder: string;
}>;

/**
 * Admits calls by their headers: no part of the request is read, decompressed or parsed until the token is checked.
 * Afterwards its size is limited by the rights of its caller and by the memory that all requests share. A request that
 * does not arrive in time is ended. It is parsed only after it has ended.
 *
 * Two interceptors: `nearWire` comes first in the server's list and sees grpc-js's own call, `nearHandler` comes last,
 * so that interceptors that count and trace calls see its refusals.
 */
export function callWall(
  checkToken: CheckToken,
  statusOf: (path: string, thrown: unknown) => Partial<StatusObject>,
  arrivalMs = usualArrivalMs,
): { readonly nearWire: ServerInterceptor; readonly nearHandler: ServerInterceptor } {
  let wire: LimitedCall | undefined; // grpc-js makes all interceptors of a call together
  return {
    nearWire: (_, call) => {
      // grpc-js takes one limit for a server and gives each call a copy, which no option can change.
      wire = call as unknown as LimitedCall;
      return new ServerInterceptingCall(call);
    },
    nearHandler: ({ path, requestStream }, call) => {
      const own = wire;
      wire = undefined;
      const method = methodPath.exec(path);
      if (!own || requestStream) return new ServerInterceptingCall(call); // reflection, on this machine alone
      const arrival = new Arrival(own, (sent) =>
        call.sendStatus({ code: status.UNKNOWN, details: "", metadata: new Metadata(), ...sent }),
      );
      const allow = (bytes: number, holder: string) => {
        arrival.allow(bytes, holder);
        arrival.endAfter(bytes === largest.reporter ? 3 * arrivalMs : arrivalMs);
      };
      const listener = new ServerListenerBuilder()
        .withOnReceiveMetadata((metadata, next) => {
          if (!method) {
            allow(largest.stranger, "health");
            next(metadata);
            return;
          }
          checkToken(`${method[1]}.${method[2]}`, {
            token: bearerToken(metadata),
            clientAddress: call.getPeer().replace(/:\d+$/, ""), // without its port
          }).then(
            ({ needsToken, holder }) => {
              if (arrival.isOver) return; // the caller left meanwhile
              const bytes = large.find((one) => path.startsWith(one.path))?.bytes ?? largest.caller;
              allow(needsToken ? bytes : largest.stranger, holder);
              next(metadata);
            },
            (thrown: unknown) => arrival.end(statusOf(path, thrown)),
          );
        })
        .withOnReceiveMessage((message, next) => {
          if (message instanceof UnparsedRequest) message.reservation = arrival.reservation;
          arrival.endAfter(Math.min(endMs, arrivalMs));
          next(message);
        })
        .withOnReceiveHalfClose((next) => {
          arrival.isWhole();
          if (!arrival.isOver) next();
        })
        .withOnCancel(() => arrival.over())
        .build();
      return new ServerInterceptingCall(
        call,
        new ResponderBuilder()
          .withStart((next) => next(listener))
          .withSendMessage((answer, next) => {
            watchUnread(own.stream);
            next(answer);
          })
          .withSendStatus((sent, next) => {
            if (arrival.isOver) return;
            arrival.over();
            next(sent);
          })
          .build(),
      );
    },
  };
}

/** Bounds the time and the memory of a request until its call ends. */
class Arrival {
  readonly #call: LimitedCall;
  readonly #send: (sent: Partial<StatusObject>) => void;
  #late: NodeJS.Timeout | undefined;
  reservation: MemoryReservation | undefined;
  isOver = false;

  constructor(call: LimitedCall, send: (sent: Partial<StatusObject>) => void) {
    this.#call = call;
    this.#send = send;
  }

  /** Allows the request this many bytes, and charges its holder for them while they arrive. */
  allow(bytes: number, holder: string): void {
    this.#call.maxReceiveMessageSize = bytes;
    this.#call.decoder.maxReadMessageLength = bytes;
    this.reservation = new MemoryReservation(holder);
    charge(this.#call, this.reservation, holder);
  }

  endAfter(ms: number): void {
    this.isWhole();
    const details = `The request did not arrive within ${ms / 1000} s.`;
    this.#late = setTimeout(() => this.end({ code: status.DEADLINE_EXCEEDED, details }), ms);
  }

  isWhole(): void {
    clearTimeout(this.#late);
  }

  end(sent: Partial<StatusObject>): void {
    if (this.isOver) return;
    this.over();
    this.#send(sent);
  }

  over(): void {
    this.isOver = true;
    clearTimeout(this.#late);
    this.reservation?.[Symbol.dispose]();
  }
}

/** The functions that grpc-js calls while a message arrives, and the fields by which it checks the size. */
interface LimitedCall {
  readonly stream: ServerHttp2Stream;
  maxReceiveMessageSize: number;
  readonly decoder: { maxReadMessageLength: number; write(data: Buffer): Buffer[] };
  decompressMessage(message: Buffer, encoding: string): Buffer | Promise<Buffer>;
}

/** Charges a message while it arrives and when it is decompressed. */
function charge(call: LimitedCall, reservation: MemoryReservation, holder: string): void {
  const { decoder } = call;
  const write = decoder.write.bind(decoder);
  decoder.write = (data) => {
    if (!reservation.hold(reservation.bytes + data.length)) throw new Error(noMemory); // grpc-js sends RESOURCE_EXHAUSTED
    return write(data);
  };
  const decompress = call.decompressMessage.bind(call);
  call.decompressMessage = (message, encoding) => {
    if (encoding === "identity") return decompress(message, encoding);
    return decompressions.run({ owners: [holder] }, async () => {
      const bytes = await decompress(message, encoding);
      const refusal: Partial<StatusObject> = { code: status.RESOURCE_EXHAUSTED, details: noMemory };
      if (!reservation.hold(bytes.length)) throw refusal;
      return bytes;
    });
  };
}

/** The error code CANCEL, by which a server ends a stream that it no longer serves (RFC 9113, 7). */
const cancel = 8;

const watched = new WeakSet<ServerHttp2Stream>();

/** Cuts an answer that the caller does not read. */
function watchUnread(stream: ServerHttp2Stream): void {
  if (watched.has(stream)) return;
  watched.add(stream);
  const answer = {
    unread: () => stream.writableLength,
    taken: () => stream.session?.socket.bytesWritten ?? 0,
    cut: () => stream.close(cancel),
  };
  unreadAnswers.add(answer);
  stream.once("close", () => unreadAnswers.delete(answer));
}

const noMemory = "Too many requests are arriving at the same time. Try again later.";

export function bearerToken(metadata: Metadata): string | undefined {
  const value = metadata.get("authorization")[0]?.toString() ?? "";
  return /^bearer\s+(\S+)$/i.exec(value)?.[1];
}

/** The least memory of a message, map entry or list item, in bytes; an empty message takes 300. */
const entryBytes = 100;

/**
 * A request that has arrived and not ended yet. Its bytes wait, because its parsed form takes up to 150 times the
 * memory.
 */
export class UnparsedRequest {
  readonly $typeName = "";
  readonly #schema: DescMessage;
  readonly #bytes: Uint8Array;
  /** The memory of its call. */
  reservation: MemoryReservation | undefined;

  constructor(schema: DescMessage, bytes: Uint8Array) {
    this.#schema = schema;
    this.#bytes = bytes;
  }

  /**
   * Refuses a malformed request or too many entries with INVALID_FIELD, and a request too large for the memory with
   * OVERLOADED.
   */
  parse(): Message {
    const entries = this.#read(() => countEntries(this.#schema, this.#bytes));
    if (this.reservation?.hold(this.reservation.bytes + entries * entryBytes) === false) {
      throw new ServiceError(ErrorReason.OVERLOADED, "Too many requests are in progress. Try again later.");
    }
    return this.#read(() => fromBinary(this.#schema, this.#bytes));
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw invalidField("", `The request is not a message of the type ${this.#schema.typeName}. Send it in protobuf.`);
    }
  }
}

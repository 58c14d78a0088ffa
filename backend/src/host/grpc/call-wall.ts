import type { Call } from "@faultline/plugin";
import { IngestService } from "@faultline/proto";
import {
  Metadata,
  ServerInterceptingCall,
  ServerListenerBuilder,
  ResponderBuilder,
  status,
  type ServerInterceptor,
  type StatusObject,
} from "@grpc/grpc-js";

/** Bytes of a request, decompressed, by the rights of its caller. */
const largest = {
  /** Names, passwords and links, for methods that anybody may call. */
  stranger: 64 * 1024,
  caller: 4 * 1024 * 1024,
  /** A batch of events or sessions. */
  reporter: 16 * 1024 * 1024,
};

/** How long a request may take to arrive after its headers; a batch may take three times as long. */
const usualArrivalMs = 10_000;

/** The limit for all methods of a server, the only one that grpc-js has. */
export const maxMessageBytes = largest.reporter;

/** Service and method of a path, except those of gRPC itself: health and reflection. */
const methodPath = /^\/(?!grpc\.)(?:[\w.]+\.)?(\w+)\/(\w+)$/;

/**
 * Refuses a call by its token alone; the names in its request are checked later. Resolves to whether it needs a token.
 */
export type CheckToken = (method: string, call: Call) => Promise<{ readonly needsToken: boolean }>;

/**
 * Admits calls by their headers: until the token is checked nothing of the request is read, decompressed or parsed, and
 * then no more than its caller may send. A request that does not arrive in time is ended.
 *
 * Two interceptors: `nearWire` comes first in the server's list and sees grpc-js's own call, `nearHandler` comes last,
 * so that interceptors that count and trace calls see its refusals.
 */
export function callWall(
  checkToken: CheckToken,
  statusOf: (path: string, thrown: unknown) => Partial<StatusObject>,
  arrivalMs = usualArrivalMs,
): { readonly nearWire: ServerInterceptor; readonly nearHandler: ServerInterceptor } {
  let wire: LimitedCall | undefined; // grpc-js makes all interceptors of one call in one go
  return {
    nearWire: (_, call) => {
      // grpc-js takes one limit for a server and gives each call its own copy of it, which no option reaches.
      wire = call as unknown as LimitedCall;
      return new ServerInterceptingCall(call);
    },
    nearHandler: ({ path, requestStream }, call) => {
      const own = wire;
      wire = undefined;
      const method = methodPath.exec(path);
      if (!own || requestStream) return new ServerInterceptingCall(call); // reflection, on this machine alone
      let isOver = false;
      let late: NodeJS.Timeout | undefined;
      const end = (sent: Partial<StatusObject>) => {
        if (isOver) return;
        isOver = true;
        call.sendStatus({ code: status.UNKNOWN, details: "", metadata: new Metadata(), ...sent });
      };
      const allow = (bytes: number) => {
        own.maxReceiveMessageSize = bytes;
        own.decoder.maxReadMessageLength = bytes;
        const waitMs = bytes === largest.reporter ? 3 * arrivalMs : arrivalMs;
        const details = `The request did not arrive within ${waitMs / 1000} s.`;
        late = setTimeout(() => end({ code: status.DEADLINE_EXCEEDED, details }), waitMs);
      };
      const listener = new ServerListenerBuilder()
        .withOnReceiveMetadata((metadata, next) => {
          if (!method) {
            allow(largest.stranger); // health
            next(metadata);
            return;
          }
          checkToken(`${method[1]}.${method[2]}`, {
            token: bearerToken(metadata),
            clientAddress: call.getPeer().replace(/:\d+$/, ""), // without its port
          }).then(
            ({ needsToken }) => {
              const reports = path.startsWith(`/${IngestService.typeName}/Report`);
              allow(!needsToken ? largest.stranger : reports ? largest.reporter : largest.caller);
              next(metadata);
            },
            (thrown: unknown) => end(statusOf(path, thrown)),
          );
        })
        .withOnReceiveHalfClose((next) => {
          clearTimeout(late);
          if (!isOver) next();
        })
        .withOnCancel(() => {
          clearTimeout(late);
          isOver = true;
        })
        .build();
      return new ServerInterceptingCall(
        call,
        new ResponderBuilder()
          .withStart((next) => next(listener))
          .withSendStatus((sent, next) => {
            clearTimeout(late);
            if (isOver) return;
            isOver = true;
            next(sent);
          })
          .build(),
      );
    },
  };
}

/** The fields of grpc-js against which it checks the size of a message, on arrival and during decompression. */
interface LimitedCall {
  maxReceiveMessageSize: number;
  readonly decoder: { maxReadMessageLength: number };
}

export function bearerToken(metadata: Metadata): string | undefined {
  const value = metadata.get("authorization")[0]?.toString() ?? "";
  return /^bearer\s+(\S+)$/i.exec(value)?.[1];
}

import type { Span, Tracing } from "@faultline/plugin";
import { ResponderBuilder, ServerInterceptingCall, ServerListenerBuilder, status } from "@grpc/grpc-js";
import type { ServerInterceptor } from "@grpc/grpc-js";

/** Failures of ours; the other codes are refusals that a caller can act on. */
const failures = new Set([
  status.UNKNOWN,
  status.INTERNAL,
  status.UNAVAILABLE,
  status.DATA_LOSS,
  status.DEADLINE_EXCEEDED,
]);

/**
 * Traces calls of a server, as interceptors. Without tracing: none. The names are those of OpenTelemetry's semantic
 * conventions 1.45; grpc-js passes on existing methods only, so they are few.
 */
export function tracedCalls(tracing: Tracing | undefined): ServerInterceptor[] {
  if (!tracing) return [];
  return [
    (definition, call) => {
      const method = definition.path.slice(1);
      let span: Span | undefined;
      const end = (code: number) => {
        const attributes = { "rpc.status_code": status[code] ?? String(code) };
        span?.end({ isFailed: failures.has(code), attributes });
        span = undefined;
      };
      const listener = new ServerListenerBuilder()
        .withOnReceiveMetadata((metadata, next) => {
          const traceparent = metadata.get("traceparent")[0]?.toString();
          const attributes = { "rpc.system.name": "grpc", "rpc.method": method };
          span = tracing.begin(method, { request: { traceparent }, attributes });
          next(metadata);
        })
        // The handler of a call is called here.
        .withOnReceiveHalfClose((next) => (span ? span.within(next) : next()))
        .withOnCancel(() => end(status.CANCELLED))
        .build();
      const responder = new ResponderBuilder()
        .withStart((next) => next(listener))
        .withSendStatus((sent, next) => {
          end(sent.code);
          next(sent);
        })
        .build();
      return new ServerInterceptingCall(call, responder);
    },
  ];
}

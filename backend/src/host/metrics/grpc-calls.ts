import type { Metrics } from "@faultline/plugin";
import { ResponderBuilder, ServerInterceptingCall, ServerListenerBuilder, status } from "@grpc/grpc-js";
import type { ServerInterceptor } from "@grpc/grpc-js";

/** Counts the calls of a server by method and code. grpc-js passes on existing methods only, so their names are few. */
export function countedCalls(metrics: Metrics): (server: "public" | "console") => ServerInterceptor {
  const calls = metrics.counter(
    "faultline_grpc_calls_total",
    "gRPC calls that ended, including calls from our own console, by method and status code.",
    ["server", "method", "code"],
  );
  return (server) => (definition, call) => {
    const method = definition.path.replace(/^\/(?:faultline\.v1\.)?/, "").replace("/", ".");
    let hasEnded = false;
    const end = (code: number) => {
      if (!hasEnded) calls.of(server, method, status[code] ?? String(code)).add();
      hasEnded = true;
    };
    const listener = new ServerListenerBuilder().withOnCancel(() => end(status.CANCELLED)).build();
    const responder = new ResponderBuilder()
      .withStart((next) => next(listener))
      .withSendStatus((sent, next) => {
        end(sent.code);
        next(sent);
      })
      .build();
    return new ServerInterceptingCall(call, responder);
  };
}

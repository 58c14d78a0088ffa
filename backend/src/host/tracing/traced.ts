import type { IngestQueue, Intake, Tracing, Span, Scheduler } from "@faultline/plugin";
import {
  ResponderBuilder,
  ServerInterceptingCall,
  ServerListenerBuilder,
  status,
  type ServerInterceptor,
} from "@grpc/grpc-js";

/** The most links of a span. A batch belongs to hundreds of acceptances. */
const mostLinks = 16;

type StoreBatch = (intake: Intake) => Promise<void>;

interface TracedIngestion {
  queue(queue: IngestQueue): IngestQueue;
  store(store: StoreBatch): StoreBatch;
}

/** Traces acceptance and storing; a batch is linked to acceptances of this process. Does nothing without tracing. */
export function tracedIngestion(tracing: Tracing | undefined): TracedIngestion {
  if (!tracing) return { queue: (queue) => queue, store: (store) => store };
  /** The spans of acceptances, by their first item. */
  const acceptances = new WeakMap<object, string>();
  return {
    queue: (queue) => ({
      async accept(intake) {
        const span = tracing.begin("accept", { attributes: sizeOf(intake) });
        const [first] = itemsOf(intake);
        if (first) acceptances.set(first, span.traceparent);
        await ended(span, () => queue.accept(intake));
      },
    }),
    store: (store) => async (intake) => {
      const links: string[] = [];
      for (const item of itemsOf(intake)) {
        const acceptance = acceptances.get(item);
        if (acceptance !== undefined) links.push(acceptance);
        if (links.length === mostLinks) break;
      }
      const span = tracing.begin("store batch", { isOwnTrace: true, links, attributes: sizeOf(intake) });
      await ended(span, () => store(intake));
    },
  };
}

function* itemsOf({ events, sessions, aggregates, feedback }: Intake): Generator<object> {
  yield* events;
  yield* sessions;
  yield* aggregates;
  yield* feedback;
}

function sizeOf({ events, sessions, aggregates, feedback }: Intake) {
  return {
    "faultline.events": events.length,
    "faultline.sessions": sessions.length + aggregates.length,
    "faultline.feedback": feedback.length,
  };
}

/** Runs the work of a span and ends it. */
async function ended(span: ReturnType<Tracing["begin"]>, work: () => Promise<void>): Promise<void> {
  try {
    await span.within(work);
    span.end();
  } catch (error) {
    span.end({ isFailed: true });
    throw error;
  }
}

/** Our failures. All other codes are refusals that a caller can act on. */
const failures = new Set([
  status.UNKNOWN,
  status.INTERNAL,
  status.UNAVAILABLE,
  status.DATA_LOSS,
  status.DEADLINE_EXCEEDED,
]);

/**
 * Interceptors that trace calls of a server; empty without tracing. The names come from OpenTelemetry's semantic
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

/** Work with shorter intervals is not traced, because it would crowd out everything else. */
const leastIntervalMs = 10_000;

/** Traces scheduled work, except work that runs every few seconds. Does nothing without tracing. */
export function tracedScheduler(scheduler: Scheduler, tracing: Tracing | undefined): Scheduler {
  if (!tracing) return scheduler;
  return {
    every(intervalMs, name, task, options) {
      const traced: typeof task = async (signal) => {
        const span = tracing.begin(name, { isOwnTrace: true });
        try {
          await span.within(() => task(signal));
          span.end();
        } catch (error) {
          span.end({ isFailed: true });
          throw error;
        }
      };
      scheduler.every(intervalMs, name, intervalMs < leastIntervalMs ? task : traced, options);
    },
  };
}

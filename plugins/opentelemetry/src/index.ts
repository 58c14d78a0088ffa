import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { Log, Span, SpanAttributes, SpanOptions, Tracing } from "@faultline/plugin";
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span as ApiSpan,
  isSpanContextValid,
  type SpanContext,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from "@opentelemetry/sdk-trace";
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from "@opentelemetry/semantic-conventions";
import { OncePer } from "@faultline/plugin/flow";

export interface OpenTelemetryOptions {
  /** The collector's address for OTLP over HTTP, in protobuf. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Of this product. */
  readonly version: string;
  /** The share of traces that is sent, 0 to 1. */
  readonly sampleRatio: number;
  readonly log: Log;
}

/** Ended spans that are not sent yet. More are dropped, so that an absent collector costs no more memory. */
const queueLimits = { maxQueueSize: 2_048, maxExportBatchSize: 512, scheduledDelayMillis: 2_000 };

/** Needed for its enum of compressions, because the exporter does not re-export the package. */
type ExporterOptions = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>;

/** Time for the collector to accept a batch, retries included. */
const exportMs = 5_000;

/** The stop waits this long for the last spans. */
const stopMs = 800;

/**
 * Sends traces to an OpenTelemetry collector. The SDK reads no setting from the environment that these options leave
 * open, and sets nothing global. A failure to send is a warning each minute, never an error.
 */
export function openTelemetry(options: OpenTelemetryOptions): Tracing & { stop(): Promise<void> } {
  const { url, headers, serviceName, version, sampleRatio, log } = options;
  const exporter = new OTLPTraceExporter({
    url,
    headers: { ...headers },
    timeoutMillis: exportMs,
    compression: "gzip" as NonNullable<ExporterOptions["compression"]>,
    concurrencyLimit: 1,
    httpAgentOptions: { keepAlive: true },
  });
  // Callers may ask for a trace; this share still limits how many are sent.
  const share = new TraceIdRatioBasedSampler(sampleRatio);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: serviceName, [ATTR_SERVICE_VERSION]: version }),
    sampler: new ParentBasedSampler({ root: share, remoteParentSampled: share }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: patientExporter(exporter, log),
        exportTimeoutMillis: exportMs + 1_000,
        ...queueLimits,
      }),
    ],
  });
  const tracer = provider.getTracer("faultline", version);
  const running = new AsyncLocalStorage<Context>();

  const contextOf = ({ request, isOwnTrace }: SpanOptions): Context => {
    const parent = request && parseTraceparent(request.traceparent);
    if (parent) return trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
    return isOwnTrace || request ? ROOT_CONTEXT : (running.getStore() ?? ROOT_CONTEXT);
  };
  return {
    begin(name, spanOptions = {}) {
      const parent = contextOf(spanOptions);
      const links = (spanOptions.links ?? []).flatMap((link) => {
        const context = parseTraceparent(link);
        return context && context.traceFlags & TraceFlags.SAMPLED ? { context } : [];
      });
      const kind = spanOptions.request ? SpanKind.SERVER : SpanKind.INTERNAL;
      const attributes = { ...spanOptions.attributes };
      const span = tracer.startSpan(name, { kind, links, attributes }, parent);
      return spanOf(span, trace.setSpan(parent, span), running);
    },
    async stop() {
      await Promise.race([provider.shutdown().catch(() => undefined), delay(stopMs, undefined, { ref: false })]);
    },
  };
}

function spanOf(span: ApiSpan, context: Context, running: AsyncLocalStorage<Context>): Span {
  return {
    traceparent: traceparentOf(span.spanContext()),
    within: (work) => running.run(context, work),
    end({
      name,
      isFailed = false,
      attributes,
    }: { name?: string; isFailed?: boolean; attributes?: SpanAttributes } = {}) {
      if (name !== undefined) span.updateName(name);
      if (attributes) span.setAttributes({ ...attributes });
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Parses a W3C `traceparent` (Trace Context, level 2); undefined when it is invalid. Later versions may add parts. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const parts = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text ?? "");
  if (!parts || (parts[1] === "00" && parts[5] !== undefined)) return undefined;
  const [, , traceId = "", spanId = "", flags = ""] = parts;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 };
  return isSpanContextValid(context) ? context : undefined;
}

export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, "0")}`;
}

const sayEveryMs = 60_000;

/** 0 is success in the SDK's ExportResultCode. */
const success = 0;

/**
 * Sends by another exporter. Spans that it cannot send are lost, which is logged once a minute. It reports success
 * always: the SDK would send each failure to a handler that nobody has set.
 */
export function patientExporter(exporter: SpanExporter, log: Log): SpanExporter {
  let lost = 0;
  const logged = new OncePer(sayEveryMs);
  const fail = (spans: readonly ReadableSpan[], error: unknown) => {
    lost += spans.length;
    if (!logged.take()) return;
    log.warn({ err: error, lostSpans: lost }, "traces cannot be sent to the collector; nothing else is affected");
    lost = 0;
  };
  return {
    export(spans, done) {
      exporter.export(spans, ({ code, error }) => {
        if (code !== success) fail(spans, error);
        done({ code: success });
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

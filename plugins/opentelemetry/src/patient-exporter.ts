import type { Log } from "@faultline/plugin";
import { OncePer } from "@faultline/plugin/flow";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";

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

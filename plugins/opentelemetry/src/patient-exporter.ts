import type { Log } from "@faultline/plugin";
import { OncePer } from "@faultline/plugin/flow";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";

const sayEveryMs = 60_000;

/** 0 is success in the SDK's ExportResultCode. */
const success = 0;

/**
 * Sends as another exporter does; what that cannot send is lost, and said once a minute. To the SDK it always succeeds,
 * which else would tell each failure to nobody.
 */
export function patientExporter(exporter: SpanExporter, log: Log): SpanExporter {
  let lost = 0;
  const logged = new OncePer(sayEveryMs);
  const fail = (spans: readonly ReadableSpan[], error: unknown) => {
    lost += spans.length;
    if (!logged.take()) return;
    log.warn({ err: error, lostSpans: lost }, "traces cannot be sent to the collector; nothing else waits for them");
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

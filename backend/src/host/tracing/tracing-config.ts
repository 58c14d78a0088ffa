/** The target of traces, from the variables of OpenTelemetry. */
export interface TracingConfig {
  /** Receives OTLP over HTTP, such as `http://collector.example.com:4318/v1/traces`. */
  readonly url: string;
  /** Headers of each request. They may hold a secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The share of traces that is sent, 0 to 1. */
  readonly sampleRatio: number;
}

/**
 * Reads the configuration; undefined if no endpoint is named. Adds faults to `faults`. Source: the specification of
 * OpenTelemetry 1.50, "OTLP Exporter Configuration" and "Environment Variable Specification".
 */
export function tracingConfig(
  variable: (name: string) => string | undefined,
  faults: string[],
): TracingConfig | undefined {
  const ofTraces = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const ofAll = variable("OTEL_EXPORTER_OTLP_ENDPOINT");
  const url = ofTraces ?? (ofAll && `${ofAll.replace(/\/+$/, "")}/v1/traces`);
  if (url === undefined) return undefined;
  if (!isCollector(url)) {
    faults.push(
      `OTEL_EXPORTER_OTLP_${ofTraces === undefined ? "" : "TRACES_"}ENDPOINT must look like http://collector.example.com:4318, without a password; credentials go into OTEL_EXPORTER_OTLP_HEADERS`,
    );
  }
  const headers: Record<string, string> = {};
  for (const name of ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"]) {
    const read = headersOf(variable(name) ?? "");
    if (!read) faults.push(`${name} must look like name=value,other=value, with percent-encoded values`);
    Object.assign(headers, read);
  }
  const sampleRatio = Number(variable("OTEL_TRACES_SAMPLER_ARG") ?? "1");
  if (!(sampleRatio >= 0 && sampleRatio <= 1)) faults.push("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1");
  return { url, headers, serviceName: variable("OTEL_SERVICE_NAME") ?? "faultline", sampleRatio };
}

function isCollector(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

function headersOf(text: string): Record<string, string> | undefined {
  try {
    const pairs = text.split(",").filter((pair) => pair.trim() !== "");
    const headers = pairs.map((pair): [string, string] => {
      const [, name = "", value = ""] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/.exec(pair) ?? [];
      return [name, decodeURIComponent(value.trim())];
    });
    return headers.every(([name, value]) => name !== "" && /^[\t\x20-\x7e]*$/.test(value))
      ? Object.fromEntries(headers)
      : undefined;
  } catch {
    return undefined; // malformed percent-encoding
  }
}

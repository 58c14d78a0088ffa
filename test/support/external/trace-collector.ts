import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { BinaryReader } from "@bufbuild/protobuf/wire";

/** A span as it arrived. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** The id of the parent; empty if the span begins a trace. */
  readonly parentId: string;
  /** 1: internal, 2: server. */
  readonly kind: number;
  readonly isFailed: boolean;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** The ids of linked spans. */
  readonly links: readonly string[];
}

/** A collector of traces. It accepts OTLP over HTTP in protobuf, and complains about every other call. */
export interface TraceCollector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The received bodies, decompressed. */
  readonly bodies: readonly Buffer[];
  readonly headers: readonly IncomingMessage["headers"][];
  /** The resource of the last body. */
  readonly resource: Readonly<Record<string, unknown>>;
  /** The faults of calls; must be empty at the end of a test. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** Starts a collector. With `isSilent`, it accepts calls and never answers. */
export async function traceCollector({ isSilent = false } = {}): Promise<TraceCollector> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const complaints: string[] = [];
  let resource = {};
  const receive = async (request: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const faults = [
      request.method !== "POST" && `method ${request.method}`,
      request.url !== "/v1/traces" && `address ${request.url}`,
      request.headers["content-type"] !== "application/x-protobuf" && `type ${request.headers["content-type"]}`,
      request.headers["content-encoding"] !== "gzip" && `encoding ${request.headers["content-encoding"]}`,
      request.headers.cookie !== undefined && "a cookie",
    ].filter((fault) => fault !== false);
    complaints.push(...faults);
    if (faults.length > 0) return;
    const body = gunzipSync(Buffer.concat(chunks));
    bodies.push(body);
    headers.push(request.headers);
    for (const resourceSpans of messages(body).get(1) ?? []) {
      const parts = messages(resourceSpans);
      resource = attributesOf(messages(parts.get(1)?.[0] ?? empty).get(1));
      for (const scopeSpans of parts.get(2) ?? []) spans.push(...(messages(scopeSpans).get(2) ?? []).map(spanOf));
    }
  };
  const server = createServer((request, response) => {
    receive(request).then(
      () => void (isSilent || response.writeHead(200, { "content-type": "application/x-protobuf" }).end()),
      (error: unknown) => {
        complaints.push(String(error));
        response.writeHead(400).end();
      },
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    headers,
    get resource() {
      return resource;
    },
    complaints,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const empty = new Uint8Array();

/**
 * The fields of a message that are bytes, texts or messages, by number; opentelemetry/proto/trace/v1/trace.proto 1.7.
 */
function messages(bytes: Uint8Array): Map<number, Uint8Array[]> {
  return fieldsOf(bytes).lengthDelimited;
}

function fieldsOf(bytes: Uint8Array) {
  const lengthDelimited = new Map<number, Uint8Array[]>();
  const numbers = new Map<number, number>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === 2) lengthDelimited.set(field, [...(lengthDelimited.get(field) ?? []), reader.bytes()]);
    else if (type === 0) numbers.set(field, Number(reader.int64()));
    else reader.skip(type, field);
  }
  return { lengthDelimited, numbers };
}

function spanOf(bytes: Uint8Array): ReceivedSpan {
  const { lengthDelimited, numbers } = fieldsOf(bytes);
  const hex = (field: number) => Buffer.from(lengthDelimited.get(field)?.[0] ?? empty).toString("hex");
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentId: hex(4),
    name: Buffer.from(lengthDelimited.get(5)?.[0] ?? empty).toString(),
    kind: numbers.get(6) ?? 0,
    attributes: attributesOf(lengthDelimited.get(9)),
    links: (lengthDelimited.get(13) ?? []).map((link) =>
      Buffer.from(messages(link).get(2)?.[0] ?? empty).toString("hex"),
    ),
    isFailed: fieldsOf(lengthDelimited.get(15)?.[0] ?? empty).numbers.get(3) === 2,
  };
}

function attributesOf(pairs: readonly Uint8Array[] = []): Record<string, string | number | boolean> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key = empty, value = empty] = [messages(pair).get(1)?.[0], messages(pair).get(2)?.[0]];
      const { lengthDelimited, numbers } = fieldsOf(value);
      const text = lengthDelimited.get(1)?.[0];
      const content = text ? Buffer.from(text).toString() : (numbers.get(3) ?? numbers.get(2) === 1);
      return [Buffer.from(key).toString(), content];
    }),
  );
}

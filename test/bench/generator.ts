/**
 * The load generator, a process of its own: makes all requests of one round, then sends them for some seconds over
 * keep-alive connections and prints what came of it as one line of JSON. Its argument is a GeneratorOptions as JSON.
 */
import { randomBytes } from "node:crypto";
import { load, type LoadRequest } from "../support/load.ts";
import { GzipTemplate } from "./gzip-template.ts";
import { nodeEvent, randomFrom } from "./node-event.ts";

export interface GeneratorOptions {
  readonly url: string;
  /** Path and query of the envelope door. */
  readonly target: string;
  /** Length of an event's JSON. */
  readonly bytes: number;
  readonly seconds: number;
  readonly connections: number;
  readonly seed: number;
}

export interface GeneratorResult {
  readonly acknowledged: number;
  /** Answers that were not 200. */
  readonly refused: number;
  readonly unanswered: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface TimedRequest extends LoadRequest {
  startedAt: number;
}

const groups = 200;
const bodiesPerGroup = 5;

/** More than any server here answers in a second, so that a round does not run out of requests. */
const requestsPerSecond = (bytes: number) => (bytes < 20_000 ? 25_000 : 8_000);

const options = JSON.parse(process.argv[2] ?? "{}") as GeneratorOptions;
const requests = makeRequests(options);
console.log(JSON.stringify(await send(requests, options)));

function makeRequests({ url, target, bytes, seconds, seed }: GeneratorOptions): TimedRequest[] {
  const random = randomFrom(seed);
  const templates = Array.from({ length: groups * bodiesPerGroup }, (_, index) => {
    const event = nodeEvent({ bytes: bytes - 50, group: index % groups, random }); // 50: `"event_id":"...",`
    return new GzipTemplate(JSON.stringify(event).slice(1));
  });
  const count = Math.ceil(seconds * requestsPerSecond(bytes));
  const ids = randomBytes(16 * count).toString("hex"); // random, not counted up: the index sees what it sees in life
  const sentAt = new Date().toISOString();
  return Array.from({ length: count }, (_, index) => {
    const id = ids.slice(32 * index, 32 * index + 32);
    const header = `{"event_id":"${id}","sent_at":"${sentAt}","sdk":{"name":"sentry.javascript.node","version":"7.38.0"}}`;
    const beginning = Buffer.from(`${header}\n{"type":"event"}\n{"event_id":"${id}",`);
    const template = templates[index % templates.length] as GzipTemplate;
    const body = template.body(beginning);
    const length = body.reduce((sum, part) => sum + part.length, 0);
    const head = `POST ${target} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Encoding: gzip\r\nContent-Length: ${length}\r\n\r\n`;
    return { id, parts: [Buffer.concat([Buffer.from(head), body[0]]), body[1], body[2]], startedAt: 0 };
  });
}

async function send(all: TimedRequest[], { url, seconds, connections }: GeneratorOptions): Promise<GeneratorResult> {
  const latencies: number[] = [];
  let sent = 0;
  let acknowledged = 0;
  const startedAt = performance.now();
  const stopAt = startedAt + seconds * 1000;
  await load({
    url,
    connections,
    next() {
      const now = performance.now();
      const request = now < stopAt ? all[sent] : undefined;
      if (request === undefined) return undefined;
      sent += 1;
      request.startedAt = now;
      return request;
    },
    onAnswer(request, status) {
      latencies.push(performance.now() - (request as TimedRequest).startedAt); // `next` gave nothing else
      if (status === 200) acknowledged += 1;
    },
  });
  const endedAt = performance.now();
  const sorted = Float64Array.from(latencies).toSorted();
  const quantile = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  return {
    acknowledged,
    refused: latencies.length - acknowledged,
    unanswered: sent - latencies.length,
    seconds: (endedAt - startedAt) / 1000,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  };
}

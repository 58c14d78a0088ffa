/**
 * The load generator, a separate process (child.ts). It makes all requests of a round, then sends them over keep-alive
 * connections and prints the result. Its argument is a GeneratorOptions as JSON; SIGINT ends the round.
 */
import { once } from "node:events";
import { load } from "../support/service/load.ts";
import { arrive, type Arrived } from "./arrivals.ts";
import { makeRequests, type RequestOptions } from "./requests.ts";

export interface GeneratorOptions extends Omit<RequestOptions, "count"> {
  /**
   * Requests a second, evenly spread, whatever the answers do; undefined if each connection sends its next request as
   * soon as it may.
   */
  readonly rate?: number | undefined;
  readonly seconds: number;
  /** Ends a round without a rate before its seconds are over. */
  readonly count?: number | undefined;
  readonly connections: number;
  /** With a rate: the most connections, opened when the others are busy. Default: `connections`. */
  readonly maxConnections?: number | undefined;
  /** Requests that are due in the first seconds count in no latency. Default 0. */
  readonly warmUpSeconds?: number | undefined;
}

export interface GeneratorResult {
  readonly acknowledged: number;
  /** Answers other than 200, by status. 429 and 503 without Retry-After are counted separately. */
  readonly refused: Readonly<Record<string, number>>;
  readonly unanswered: number;
  /** Were to be sent and found no free connection. */
  readonly unsent: number;
  readonly sent: number;
  /** The seconds from the first request to the last answer. */
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Processor time that sending and waiting took: what the server did not have. */
  readonly cpuSeconds: number;
  /** The average bytes of an HTTP body. */
  readonly bodyBytes: number;
}

/** More than any server here answers in a second, so that a round does not run out of requests. */
const requestsPerSecond = (bytes: number) => (bytes < 20_000 ? 25_000 : 12_000);

const ending = new AbortController();
process.once("SIGINT", () => ending.abort());

const options = JSON.parse(process.argv[2] ?? "{}") as GeneratorOptions;
const { url, bytes, seconds, rate, connections, warmUpSeconds = 0 } = options;
const count =
  rate !== undefined ? Math.ceil(rate * seconds) : (options.count ?? Math.ceil(seconds * requestsPerSecond(bytes)));
const requests = makeRequests({ ...options, count });
console.log("ready");
await once(process.stdin.resume(), "end");

const latencies: number[] = [];
const refused: Record<string, number> = {};
let acknowledged = 0;
const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
const { due, sent } = await (rate === undefined ? closedLoop() : openLoop(rate));
const endedAt = performance.now();
const cpu = process.cpuUsage(cpuBefore);

const answered = acknowledged + Object.values(refused).reduce((sum, n) => sum + n, 0);
const sorted = Float64Array.from(latencies).toSorted();
const quantile = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? -1;
const result: GeneratorResult = {
  acknowledged,
  refused,
  unanswered: sent - answered,
  unsent: due - sent,
  sent,
  seconds: (endedAt - startedAt) / 1000,
  cpuSeconds: (cpu.user + cpu.system) / 1e6,
  p50Ms: quantile(0.5),
  p99Ms: quantile(0.99),
  maxMs: quantile(1),
  bodyBytes: meanBodyBytes(),
};
console.log(JSON.stringify(result));
process.exit(); // connections without an answer may still be open

function openLoop(perSecond: number): Promise<Arrived> {
  const warmUpMs = warmUpSeconds * 1000;
  return arrive({
    url,
    requests,
    rate: perSecond,
    connections,
    maxConnections: options.maxConnections ?? connections,
    signal: ending.signal,
    onAnswer({ status, head }, latencyMs, dueMs) {
      note(status, /^retry-after:/im.test(head));
      if (dueMs >= warmUpMs) latencies.push(latencyMs);
    },
  });
}

async function closedLoop(): Promise<Arrived> {
  const sentAt = new Map<string, number>();
  const stopAt = startedAt + seconds * 1000;
  let next = 0;
  await load({
    url,
    connections,
    next() {
      const now = performance.now();
      const request = now < stopAt && !ending.signal.aborted ? requests[next] : undefined;
      if (request === undefined) return undefined;
      next += 1;
      sentAt.set(request.id, now);
      return request;
    },
    onAnswer({ id }, status) {
      latencies.push(performance.now() - (sentAt.get(id) ?? Number.NaN));
      sentAt.delete(id);
      note(status, true);
    },
  });
  return { due: next, sent: next };
}

function note(status: number, hasRetryAfter: boolean): void {
  if (status === 200) {
    acknowledged += 1;
    return;
  }
  const kind = hasRetryAfter || (status !== 429 && status !== 503) ? `${status}` : `${status} without Retry-After`;
  refused[kind] = (refused[kind] ?? 0) + 1;
}

function meanBodyBytes(): number {
  const some = requests.slice(0, 1_000);
  const head = (parts: readonly Uint8Array[]) => Buffer.from(parts[0] ?? []).indexOf("\r\n\r\n") + 4;
  const total = some.reduce((sum, { parts }) => sum + parts.reduce((all, part) => all + part.length, -head(parts)), 0);
  return Math.round(total / some.length);
}

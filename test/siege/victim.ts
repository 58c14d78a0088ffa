/**
 * Another application and its developer, a separate process (test/bench/child.ts). It sends plain events and reads
 * lists, searches and errors at a constant rate, whatever the answers do, until SIGINT. Its argument is a VictimOptions
 * as JSON; it prints a VictimResult.
 */
import { once } from "node:events";
import { arrive } from "../bench/arrivals.ts";
import type { LoadRequest } from "../support/service/load.ts";
import { bytesOf } from "../support/http/raw-request.ts";
import { newEventId, type Target } from "../support/sentry/send.ts";

export interface VictimOptions {
  readonly url: string;
  readonly project: Target;
  readonly token: string;
  readonly errorId: string;
  /** The first seconds do not count. */
  readonly warmUpSeconds: number;
}

export interface VictimResult {
  readonly events: Waits;
  readonly reads: Waits;
}

/** How long answers took, from when the request was due: waiting for a connection counts. */
export interface Waits {
  readonly count: number;
  /** Answers that were not 200, by status, and requests without an answer. */
  readonly refused: Readonly<Record<string, number>>;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const eventsPerSecond = 50;
const readsPerSecond = 20;
const maxSeconds = 120;

const { url, project, token, errorId, warmUpSeconds } = JSON.parse(process.argv[2] ?? "{}") as VictimOptions;
const ending = new AbortController();
process.once("SIGINT", () => ending.abort());

const errors = `/api/v4/projects/${project.id}/error_tracking/errors`;
const reads = [errors, `${errors}?query=plain`, `${errors}/${errorId}`].map((target) =>
  Buffer.from(`GET ${target} HTTP/1.1\r\nHost: faultline.test\r\nPRIVATE-TOKEN: ${token}\r\n\r\n`),
);
const event = () => bytesOf(project, { body: JSON.stringify({ event_id: newEventId(), message: "plain" }) });

const eventRequests = makeRequests(eventsPerSecond, event);
const readRequests = makeRequests(readsPerSecond, (n) => reads[n % reads.length] ?? Buffer.of());
console.log("ready");
await once(process.stdin.resume(), "end");
const [ofEvents, ofReads] = await Promise.all([
  waits(eventRequests, eventsPerSecond),
  waits(readRequests, readsPerSecond),
]);
const result: VictimResult = { events: ofEvents, reads: ofReads };
console.log(JSON.stringify(result));
process.exit(); // connections that were never answered may be open still

function makeRequests(rate: number, make: (index: number) => Buffer): LoadRequest[] {
  return Array.from({ length: rate * maxSeconds }, (_, index) => ({ id: `${index}`, parts: [make(index)] }));
}

async function waits(requests: readonly LoadRequest[], rate: number): Promise<Waits> {
  const times: number[] = [];
  const refused: Record<string, number> = {};
  let answered = 0;
  const { due } = await arrive({
    url,
    requests,
    rate,
    connections: 2,
    maxConnections: 200,
    signal: ending.signal,
    onAnswer({ status }, latencyMs, dueMs) {
      answered += 1;
      if (status !== 200) refused[status] = (refused[status] ?? 0) + 1;
      if (dueMs >= warmUpSeconds * 1000) times.push(latencyMs);
    },
  });
  if (due > answered) refused["no answer"] = due - answered;
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  return { count: times.length, refused, p99Ms: quantile(0.99), maxMs: quantile(1) };
}

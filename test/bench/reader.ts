/**
 * A person at the console, as fast as answers come: a separate process (child.ts) that makes the calls of pages one
 * after the other, until SIGINT, and prints a ReaderResult. Its argument is a ReaderOptions as JSON.
 */
import { once } from "node:events";
import { ErrorSort, ErrorStatus } from "@faultline/proto";
import { grpcClient } from "../support/core/grpc.ts";
import { randomFrom } from "./node-event.ts";

export interface ReaderOptions {
  readonly grpcAddress: string;
  readonly projectId: number;
}

/** By method, in milliseconds. */
export type ReaderResult = Readonly<Record<string, { calls: number; p50Ms: number; p95Ms: number; maxMs: number }>>;

const { grpcAddress, projectId } = JSON.parse(process.argv[2] ?? "{}") as ReaderOptions;
const client = grpcClient({ grpcAddress });
const { errors, auth } = client;
const random = randomFrom(1);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const ending = new AbortController();
process.once("SIGINT", () => ending.abort());

const status = ErrorStatus.UNRESOLVED;
const largest = await firstErrors(ErrorSort.EVENT_COUNT);
const newest = await firstErrors(ErrorSort.LAST_SEEN);
const youngest = await firstErrors(ErrorSort.FIRST_SEEN);
const places = [largest, newest, youngest].flatMap(({ sort, secondPage }) => [
  { sort, pageToken: "" },
  { sort, pageToken: secondPage },
]);
/** Every second one is among the ten largest, which are what people look at. */
const someError = () =>
  random() < 0.5 ? pick(largest.errorIds.slice(0, 10)) : pick(pick([largest, newest, youngest]).errorIds);

const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  ListErrors: () => errors.listErrors({ projectId, status, ...pick(places) }, auth),
  "ListErrors with a search": () =>
    errors.listErrors({ projectId, status, query: pick(["refused", "Order7", "zzz"]) }, auth),
  GetError: () => errors.getError({ projectId, errorId: someError() }, auth),
  ListEvents: () => errors.listEvents({ projectId, errorId: someError() }, auth),
  GetErrorStats: () => errors.getErrorStats({ projectId, errorId: someError(), hourCount: pick([24, 2_160]) }, auth),
  "GetErrorBreakdown of the panel": () =>
    errors.getErrorBreakdown({ projectId, errorId: someError(), userLimit: 5 }, auth),
  "GetErrorBreakdown with 100 users": () => errors.getErrorBreakdown({ projectId, errorId: someError() }, auth),
};
const times = Object.entries(calls).map(([method, call]) => ({ method, call, all: [] as number[] }));

console.log("ready");
await once(process.stdin.resume(), "end");
while (!ending.signal.aborted)
  for (const { call, all } of times) {
    const startedAt = performance.now();
    await call();
    all.push(performance.now() - startedAt);
  }
client.close();

const result: ReaderResult = Object.fromEntries(
  times.map(({ method, all }) => {
    const sorted = all.slice(5).toSorted((a, b) => a - b); // the first ones compile statements
    const quantile = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? -1;
    return [method, { calls: sorted.length, p50Ms: quantile(0.5), p95Ms: quantile(0.95), maxMs: quantile(1) }];
  }),
);
console.log(JSON.stringify(result));

/** The first 500 errors of a list, and where its second page begins. */
async function firstErrors(sort: ErrorSort) {
  const errorIds: string[] = [];
  const { nextPageToken: secondPage } = await errors.listErrors({ projectId, status, sort }, auth);
  for (let pageToken = ""; errorIds.length < 500;) {
    const answer = await errors.listErrors({ projectId, status, sort, pageSize: 100, pageToken }, auth);
    errorIds.push(...answer.errors.map(({ errorId }) => errorId));
    pageToken = answer.nextPageToken;
    if (pageToken === "") break;
  }
  return { sort, errorIds, secondPage };
}

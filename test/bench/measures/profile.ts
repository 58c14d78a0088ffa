import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { repositoryRoot } from "../../support/service/server.ts";
import type { Bench, Row } from "../bench.ts";
import { loopProfile, type LoopProfile, type Ran } from "../loop-profile.ts";
import { parsing, parsingTime } from "../loop-time.ts";
import { medianOf } from "../rounds.ts";

const bytes = 5_000;

/** The kinds of work of the event loop, with the files that do it. The first match counts. */
const groups: readonly (readonly [work: string, files: RegExp])[] = [
  ["decompressing", /^node:zlib|body\/(gunzip|content-encoding)\.ts$/],
  [
    "HTTP of Node: parser, messages, streams, sockets",
    /^native|^node:(_http|net|events|internal\/(streams|stream_base|http))/,
  ],
  ["Node's ticks, timers and buffers", /^node:/],
  ["bridge: from the request to its body", /^plugins\/http-bridge\/src\/(?!ingest\/(body|items)\/)/],
  ["bridge: bodies, envelopes, depth of JSON", /^plugins\/http-bridge\/src\/ingest\/body\//],
  ["reading the event", /^plugins\/(http-bridge\/src\/ingest\/items|sentry-event)\//],
  [
    "admission, limits, filters, quotas, metrics",
    /^backend\/src\/(services|host\/(ingest\/(rate|key|network)|metrics))/,
  ],
  ["the queue and its batches", /^backend\/src\/host\//],
  ["grouping, putting the batch together", /^plugins\/integrated-backend\//],
  ["the database's driver", /^backend\/src\/storage\/|node_modules\/(kysely|sqlite3|@mikro-orm)\//],
];

/** The time of the event loop for an event, by kind of work; with `--before`, also for the previous version. */
export async function* profile(bench: Bench): AsyncGenerator<Row> {
  const roots = [repositoryRoot, ...(bench.before === undefined ? [] : [resolve(bench.before)])];
  const load = { bytes, connections: bench.connections, seconds: bench.seconds };
  const rounds: Shares[][] = roots.map(() => []);
  for (let round = 0; round < bench.rounds; round++)
    for (const [n, root] of roots.entries()) {
      bench.progress(`profile ${round + 1} of ${root}`);
      rounds[n]?.push(sharesOf(await loopProfile(root, load), root));
    }
  const [ours = [], earlier] = rounds;
  for (const work of ["all", ...groups.map(([name]) => name), "parsing JSON", "collecting garbage", "other"]) {
    const medians = (of: readonly Shares[]) => ({
      microseconds: medianOf(of, (shares) => shares.get(work)?.microseconds ?? 0),
      parses: medianOf(of, (shares) => shares.get(work)?.parses ?? 0),
    });
    const said = ({ microseconds, parses }: Share) => `${microseconds.toFixed(1)} µs, ${parses.toFixed(2)} parses`;
    yield {
      measure: `event loop an event, ${bytes / 1000} kB: ${work}`,
      goal: work === "all" ? "<= 100 µs" : "",
      measured: said(medians(ours)),
      ...(earlier && { floor: `${said(medians(earlier))} (the version before)` }),
      ...(work === "all" && { isMet: medians(ours).microseconds <= 100 }),
    };
  }
}

interface Share {
  /** Microseconds for an event. */
  readonly microseconds: number;
  /** In what parsing the event's JSON takes. */
  readonly parses: number;
}

type Shares = ReadonlyMap<string, Share>;

function sharesOf(profiled: LoopProfile, root: string): Shares {
  const parsed = parsingTime(profiled, root);
  const sums = new Map<string, number>();
  const add = (work: string, microseconds: number) => sums.set(work, (sums.get(work) ?? 0) + microseconds);
  const fileOf = originalFiles(root);
  for (const one of profiled.ran) {
    add("all", one.microseconds);
    add(workOf(one, fileOf(one)), one.microseconds);
  }
  const { events } = profiled;
  return new Map([...sums].map(([work, sum]) => [work, { microseconds: sum / events, parses: sum / parsed }]));
}

function workOf({ name }: Ran, file: string): string {
  if (name === "(garbage collector)") return "collecting garbage";
  if (name === parsing) return "parsing JSON";
  return groups.find(([, files]) => files.test(file))?.[0] ?? "other";
}

/**
 * Finds the source file of a function, as a path from the root. For the bundle of the service it reads the source maps.
 */
function originalFiles(root: string): (ran: Ran) => string {
  const maps = new Map<string, SourceMap>();
  return ({ url, line, column, name }) => {
    if (url === "") return name.startsWith("(") || name.startsWith("RegExp") ? "other" : "native";
    if (!url.startsWith("file:")) return url;
    const path = fileURLToPath(url);
    if (dirname(path) !== join(root, "backend/build")) return relative(root, path);
    const map = maps.get(path) ?? new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")) as SourceMapPayload);
    maps.set(path, map);
    const entry = map.findEntry(line, column);
    return "originalSource" in entry ? relative(root, resolve(dirname(path), entry.originalSource)) : "other";
  };
}

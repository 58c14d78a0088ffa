import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../support/service/temp-dir.ts";
import { allAcknowledged, generate } from "./generate.ts";
import { nextSeed } from "./rounds.ts";
import { asStarted, startService } from "./service.ts";

const warmUpSeconds = 2;
const sampleMicroseconds = 250;

/** Node names a profile by date, time, process, thread and number. */
const ofMainThread = /\.0\.\d+\.cpuprofile$/;

/** A function that the event loop ran, and for how long in all; what it calls apart. */
export interface Ran {
  readonly name: string;
  /** The file as the profile names it. Empty: it is none of JavaScript. */
  readonly url: string;
  /** The line at which it begins there, counted from 0. */
  readonly line: number;
  readonly column: number;
  readonly microseconds: number;
}

/** The work of a version's event loop under a load, without waiting. */
export interface LoopProfile {
  readonly events: number;
  readonly ran: readonly Ran[];
}

/** Loads the version that is checked out in `root` and profiles its event loop meanwhile. */
export async function loopProfile(
  root: string,
  { bytes, connections, seconds }: { bytes: number; connections: number; seconds: number },
): Promise<LoopProfile> {
  const dir = tempDir();
  const flags = `--cpu-prof --cpu-prof-dir=${dir} --cpu-prof-interval=${sampleMicroseconds}`;
  let span: Span;
  let events: number;
  {
    await using service = await startService(undefined, { NODE_OPTIONS: `${asStarted.NODE_OPTIONS} ${flags}` }, root);
    const load = { ...service.door, bytes, groups: "200", connections } as const;
    allAcknowledged(await generate({ ...load, seconds: warmUpSeconds, seed: nextSeed() }));
    const from = now();
    events = allAcknowledged(await generate({ ...load, seconds, seed: nextSeed() })).acknowledged;
    span = { from, to: now() };
  }
  const name = readdirSync(dir).find((one) => ofMainThread.test(one)) ?? "";
  const ran = ranWithin(JSON.parse(readFileSync(join(dir, name), "utf8")) as Profile, span);
  rmSync(dir, { recursive: true });
  return { events, ran };
}

/** Microseconds of the clock that profiles have. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const now = () => Number(process.hrtime.bigint() / 1_000n);

/** As the DevTools protocol describes it; times in microseconds. */
interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

function ranWithin({ nodes, startTime, samples, timeDeltas }: Profile, { from, to }: Span): Ran[] {
  const microseconds = new Map<number, number>();
  let at = startTime;
  for (const [n, id] of samples.entries()) {
    const delta = timeDeltas[n] ?? 0;
    at += delta;
    if (at >= from && at <= to) microseconds.set(id, (microseconds.get(id) ?? 0) + delta);
  }
  return nodes.flatMap(({ id, callFrame: { functionName: name, url, lineNumber: line, columnNumber: column } }) => {
    const isWaiting = name === "(idle)" || name === "(program)";
    return isWaiting ? [] : [{ name, url, line, column, microseconds: microseconds.get(id) ?? 0 }];
  });
}

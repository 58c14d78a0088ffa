import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../support/temp-dir.ts";
import { allAcknowledged, generate } from "./generate.ts";
import { nextSeed } from "./rounds.ts";
import { asStarted, startService } from "./service.ts";

const warmUpSeconds = 2;
const sampleMicroseconds = 250;

/** What parses the JSON of an event: the same code in all versions, on the same data. */
const parsing = "parseRepaired";

/** Node names a profile by date, time, process, thread and number. */
const ofMainThread = /\.0\.\d+\.cpuprofile$/;

/** The work of a version's event loop under a load. */
export interface LoopTime {
  /** Microseconds for an event. */
  readonly busy: number;
  /**
   * The same in units of what the same profile shows for parsing the event's JSON. A shared machine slows both alike: at 25 kB
   * the medians of three runs were 4.16 to 4.21, those of the microseconds 327 to 393.
   */
  readonly inParses: number;
}

/** Loads the version that is checked out in `root` and reads from a profile how long its event loop computed. */
export async function loopTime(
  root: string,
  { bytes, connections, seconds }: { bytes: number; connections: number; seconds: number },
): Promise<LoopTime> {
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
  const { busy, parsed } = timesIn(JSON.parse(readFileSync(join(dir, name), "utf8")) as Profile, span);
  rmSync(dir, { recursive: true });
  if (parsed === 0) throw new Error(`the profile of ${root} shows no ${parsing}: what parses events has another name`);
  return { busy: busy / events, inParses: busy / parsed };
}

/** Microseconds of the clock that profiles have. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const now = () => Number(process.hrtime.bigint() / 1_000n);

/** As the DevTools protocol describes it; times in microseconds. */
interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

function timesIn({ nodes, startTime, samples, timeDeltas }: Profile, { from, to }: Span) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  let at = startTime;
  let [busy, parsed] = [0, 0];
  for (const [n, id] of samples.entries()) {
    const delta = timeDeltas[n] ?? 0;
    at += delta;
    const name = names.get(id);
    if (at < from || at > to || name === "(idle)" || name === "(program)") continue;
    busy += delta;
    if (name === parsing) parsed += delta;
  }
  return { busy, parsed };
}

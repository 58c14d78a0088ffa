import { ArtifactBundleState as State } from "@faultline/proto";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rootToken } from "../../support/service/server.ts";
import { hostileBundles, manyPairs } from "../../support/source-maps/hostile-bundles.ts";
import { uploadBundle } from "../../support/source-maps/upload.ts";
import type { Bench, Row } from "../bench.ts";
import { allAcknowledged, generate } from "../generate.ts";
import type { GeneratorResult } from "../generator.ts";
import { cpuSeconds } from "../process-cpu.ts";
import { makeBuild, thrown, type LargeBuild } from "../large-build.ts";
import { medianOf, nextSeed } from "../rounds.ts";
import { startService, type Service } from "../service.ts";
import { megabytes, ms, whole } from "../text.ts";

const frameCount = 50;
/** Events of each round. */
const eventsARound = 20;
/** The service keeps 4,000 positions. */
const stacksKept = 60;

/** How long a build waits until its upload is read, and a page for the sources of a stack trace. */
export async function* sourceMaps(bench: Bench): AsyncGenerator<Row> {
  yield* stacks(bench, makeBuild({ pairs: 5, sources: 150, lines: 4_000 }));
  yield* uploads(bench, makeBuild({ pairs: 500, sources: 5, lines: 1_100 }));
  yield await beside(bench);
}

/** Of another project, a second. */
const otherEvents = 500;

/**
 * The effect of harmful bundles, uploaded one after the other, on another project. Each pass through them uses a new
 * project, because files that a project has are not read again.
 */
async function beside(bench: Bench): Promise<Row> {
  await using service = await startService();
  const { server, door } = service;
  let attacker = await createProject(server);
  const bundles = [...hostileBundles.map(({ make }) => make()), manyPairs(5_000)];
  const { connections, seconds } = bench;
  const load = { ...door, bytes: 5_000, groups: "200", connections, rate: otherEvents } as const;
  const send = async () => allAcknowledged(await generate({ ...load, seconds, seed: nextSeed() }));
  await send();
  let uploaded = 0;
  const rounds: Record<"quiet" | "attacked", GeneratorResult>[] = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    bench.progress(`hostile uploads, round ${round + 1}`);
    const quiet = await send();
    const attack = { isOver: false };
    const attacks = (async () => {
      for (; !attack.isOver; uploaded += 1) {
        const next = uploaded % bundles.length;
        if (next === 0) attacker = await createProject(server);
        await uploadBundle(server, bundles[next] ?? Buffer.of(), uploadTo(attacker));
      }
    })();
    const attacked = await send();
    attack.isOver = true;
    await attacks;
    rounds.push({ quiet, attacked });
  }
  const of = (pick: (round: (typeof rounds)[number]) => number) => medianOf(rounds, pick);
  const ratio = of(({ quiet, attacked }) => attacked.p50Ms / quiet.p50Ms);
  return {
    measure: `${otherEvents} events/s, 5 kB, of another project while ${uploaded} hostile bundles are uploaded`,
    goal: "all acknowledged, p50 <= 1.1 of that without them",
    measured: `p50 ${ms(of(({ attacked }) => attacked.p50Ms))}, p99 ${ms(of(({ attacked }) => attacked.p99Ms))}`,
    floor: `p50 ${ms(of(({ quiet }) => quiet.p50Ms))}, p99 ${ms(of(({ quiet }) => quiet.p99Ms))}`,
    ratio,
    isMet: ratio <= 1.1,
  };
}

const uploadTo = ({ path }: Project) => ({ token: rootToken, organization: "-", projects: [path] });

async function* uploads(bench: Bench, build: LargeBuild): AsyncGenerator<Row> {
  await using service = await startService();
  bench.progress(`uploads ${whole(build.fileCount)} files`);
  const { sentSeconds, readSeconds, coreSeconds } = await upload(service, build);
  const files = `${whole(build.fileCount)} files, ${megabytes(build.bytes)}, in a bundle of ${megabytes(build.bundle.length)}`;
  yield {
    measure: `upload of ${files}: the client is done`,
    goal: "<= 15 s",
    measured: `${sentSeconds.toFixed(1)} s`,
    isMet: sentSeconds <= 15,
  };
  yield {
    measure: "the same, until all files are read",
    goal: "<= 60 s",
    measured: `${readSeconds.toFixed(1)} s, of which the service worked ${coreSeconds.toFixed(1)} s of a core`,
    isMet: readSeconds <= 60,
  };
}

async function* stacks(bench: Bench, build: LargeBuild): AsyncGenerator<Row> {
  await using service = await startService();
  bench.progress(`uploads maps of ${megabytes(build.mapBytes)}`);
  await upload(service, build);
  const { server, project } = service;
  const client = grpcClient(server);
  const cold: number[] = [];
  const between: number[] = [];
  const eventIds: string[] = [];
  for (let n = 0; n < bench.rounds * eventsARound; n += 1) {
    const eventId = newEventId();
    const sent = await sendEvent(server, project, build.event(eventId, frameCount));
    if (sent.status !== 200) throw new Error(sent.text);
    cold.push(await readMs(client, project.id, eventId));
    for (let again = 0; again < 5; again += 1) between.push(await readMs(client, project.id, eventId));
    eventIds.push(eventId);
  }
  const warm: number[] = [];
  for (const eventId of eventIds.slice(-stacksKept))
    for (let again = 0; again < 5; again += 1) warm.push(await readMs(client, project.id, eventId));
  client.close();
  const files = `${build.fileCount / 2} files with maps of ${megabytes(build.mapBytes)}`;
  yield row(`\`GetEvent\` of ${frameCount} frames in ${files}, at places that were not read before`, 150, cold);
  yield row("the same, read again, with others read for the first time in between", 10, between);
  yield row("the same, read again, and no others", 10, warm);
}

/** Uploads a build, and waits until the service has read it. */
async function upload({ server, project }: Service, { bundle }: LargeBuild) {
  const client = grpcClient(server);
  const coreBefore = cpuSeconds([server.pid]);
  const startedAt = performance.now();
  const passed = () => (performance.now() - startedAt) / 1000;
  const { state, detail } = await uploadBundle(server, bundle, uploadTo(project));
  if (state !== "ok" && state !== "created") throw new Error(`${state}: ${detail}`);
  const sentSeconds = passed();
  const isRead = async () => {
    const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth);
    return artifactBundles[0]?.state === State.OK;
  };
  await until("the upload is read", isRead, { deadlineMs: 300_000, everyMs: 100 });
  client.close();
  return { sentSeconds, readSeconds: passed(), coreSeconds: cpuSeconds([server.pid]) - coreBefore };
}

/** How long an event takes over gRPC. Fails where a frame shows no source. */
async function readMs({ errors, auth }: GrpcClient, projectId: number, eventId: string): Promise<number> {
  const startedAt = performance.now();
  const { event } = await errors.getEvent({ projectId, eventId }, auth);
  const taken = performance.now() - startedAt;
  const frames = event?.exceptions[0]?.frames ?? [];
  const unmapped = frames.find(({ contextLine }) => !contextLine.includes(thrown));
  if (frames.length !== frameCount || unmapped) throw new Error(`${frames.length} frames, ${JSON.stringify(unmapped)}`);
  return taken;
}

function row(measure: string, goalMs: number, times: readonly number[]): Row {
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  const [p50, p95] = [quantile(0.5), quantile(0.95)];
  return { measure, goal: `p95 <= ${goalMs} ms`, measured: `p50 ${ms(p50)}, p95 ${ms(p95)}`, isMet: p95 <= goalMs };
}

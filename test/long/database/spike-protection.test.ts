import { Backend, OutcomeKind } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { hourMs, movableClock } from "../../support/service/movable-faultline.ts";
import { newEventId, sendEvent, type Target } from "../../support/sentry/send.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";

/** One event a second for ten minutes. */
const perSecond = 1;
const budget = 600 * perSecond;

const dataDir = tempDir();
const clock = movableClock();
const config = { ...testConfig(dataDir), rateLimits: { perKey: 0, perProject: perSecond } };

interface Running {
  readonly url: string;
  readonly client: GrpcClient;
}

async function running(work: (running: Running) => Promise<void>): Promise<void> {
  const faultline = await startFaultline(config, clock);
  const client = grpcClient(faultline);
  try {
    await work({ url: faultline.httpUrl, client });
  } finally {
    client.close();
    await faultline.stop();
  }
}

let made = 0;

async function newProject({ client }: Running): Promise<Target> {
  const { project } = await client.projects.createProject({ path: `spikes/${made++}` }, client.auth);
  const id = project?.projectId ?? 0;
  await client.settings.updateSettings({ projectId: id, active: true, backend: Backend.INTEGRATED }, client.auth);
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: id }, client.auth);
  return { id, key: clientKeys[0]?.publicKey ?? "" };
}

/** Sends as fast as the rate limit allows, on the clock that the test moves; how many were answered 200. */
async function send(to: Running, project: Target, messages: readonly string[]): Promise<number> {
  let taken = 0;
  const atOnce = 10 * perSecond;
  for (let at = 0; at < messages.length; at += atOnce) {
    clock.at += 10_000;
    const slice = messages.slice(at, at + atOnce);
    const answers = await Promise.all(
      slice.map((message) => sendEvent(to, project, { event_id: newEventId(), message })),
    );
    taken += answers.filter(({ status }) => status === 200).length;
  }
  return taken;
}

const times = (count: number, message: string) => Array.from({ length: count }, () => message);

/** The stored events by title, and how many a spike cost. */
async function kept({ client }: Running, { id: projectId }: Target) {
  const { errors } = await client.errors.listErrors({ projectId, pageSize: 100 }, client.auth);
  const { outcomes } = await client.outcomes.listOutcomes({ projectId }, client.auth);
  const spike = outcomes.find(({ kind, reason }) => kind === OutcomeKind.FILTERED && reason === "spike");
  const stored = new Map(errors.map(({ title, eventCount }) => [title, eventCount]));
  const storedCount = [...stored.values()].reduce((sum, count) => sum + count, 0);
  return { stored, storedCount, sampledOut: Number(spike?.quantity ?? 0), outcomes };
}

const left = async ({ client }: Running, { id: projectId }: Target) =>
  (await client.filters.getFilters({ projectId }, client.auth)).spikeBudget;

/** Words, because numbers in a message do not distinguish errors. */
const rare = Array.from({ length: 30 }, (_, n) => `rare ${"abcdefghij"[n % 10]}${"klm"[Math.floor(n / 10)]}`);

test("a storm of ten minutes at the rate limit loses nothing; then the loudest is sampled and rare errors are stored whole", async () => {
  await running(async (service) => {
    const project = await newProject(service);
    assert.is(await send(service, project, times(budget, "storm")), budget);
    const honest = await kept(service, project);
    assert.equal([honest.storedCount, honest.outcomes], [budget, []]);
    assert.ok(Number((await left(service, project))?.leftCount) < 20);

    // Each rare error comes twice among a flood of the loud one, within some minutes.
    const flood = rare.flatMap((message) => [...times(9, "storm"), message]);
    const sent = [...flood, ...flood];
    assert.is(await send(service, project, sent), sent.length, "a 429 would silence the rare errors, too");
    const { stored, storedCount, sampledOut, outcomes } = await kept(service, project);
    for (const message of rare) assert.is(stored.get(message), 2, message);
    assert.ok(sampledOut > sent.length / 2, `${sampledOut} of ${sent.length}`);
    assert.is(storedCount + sampledOut, budget + sent.length);
    assert.is(outcomes.length, 1);
  });
});

test("nothing is sampled with spike protection off", async () => {
  await running(async (service) => {
    const project = await newProject(service);
    const { client } = service;
    await client.filters.updateFilters({ projectId: project.id, spikeProtection: false }, client.auth);
    assert.is(await send(service, project, times(budget + 100, "storm")), budget + 100);
    const { storedCount, outcomes } = await kept(service, project);
    assert.equal([storedCount, outcomes], [budget + 100, []]);
  });
});

test("the budget is twice the usual day, which is counted across restarts", async () => {
  let project: Target | undefined;
  await running(async (service) => {
    project = await newProject(service);
    await send(service, project, times(500, "usual"));
  });
  clock.at += 2 * hourMs;
  await running(async (service) => {
    assert.ok(project);
    const { totalCount, usualDayCount } = (await left(service, project)) ?? {};
    assert.equal([totalCount, usualDayCount], [1_000n, 500n]);
  });
});

test.run();

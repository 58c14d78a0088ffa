// limit: 600 s
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { Backend } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { recount } from "../support/database/recount.ts";
import { checkOut, whyNoRelease } from "../support/core/release.ts";
import { rounds } from "../support/run/rounds.ts";
import { fixtures, recordedOf } from "../support/database/schema-fixtures.ts";
import { newEventId, sendStore, type Target } from "../support/sentry/send.ts";
import { launch, startServer, type Server, type ServerOptions } from "../support/service/server.ts";
import { storedErrors, storedEventIds } from "../support/database/stored.ts";
import { startTcpProxy } from "../support/http/tcp-proxy.ts";
import { until } from "../support/run/until.ts";

/** The releases that left a fixture and can be run, oldest first. */
const releases = fixtures.filter((name) => whyNoRelease(recordedOf(name).release) === "");
if (releases.length < fixtures.length)
  console.log(`Skipped: upgrades from ${fixtures.length - releases.length} releases, as git does not have them here.`);
const upgradedFrom = rounds({
  short: releases.slice(-1),
  long: [...new Set([...releases.slice(0, 1), ...releases.slice(-1)])],
  all: releases,
});

/** SDKs that send one event after the other, each until it is acknowledged. */
class Senders {
  readonly acknowledged = new Set<string>();
  /** How often something other than an acknowledgement came of a sending. */
  readonly refusals = new Map<string, number>();
  readonly #lanes: Promise<void>[];
  #isEnding = false;

  constructor(url: string, project: Target, lanes: number) {
    this.#lanes = Array.from({ length: lanes }, () => this.#send({ url }, project));
  }

  async #send(to: { url: string }, project: Target): Promise<void> {
    for (let n = 0; !this.#isEnding; n++) {
      const id = newEventId();
      const event = {
        event_id: id,
        exception: { values: [{ type: `Error${n % 8}`, value: "x" }] },
        user: { id: n % 5 },
      };
      await until(`event ${id} is acknowledged`, () => this.#isAcknowledged(to, project, event), {
        deadlineMs: 60_000,
      });
      this.acknowledged.add(id);
    }
  }

  async #isAcknowledged(to: { url: string }, project: Target, event: object): Promise<boolean> {
    const outcome = await sendStore(to, project, { ...event }).then(
      ({ status }) => String(status),
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );
    if (outcome === "200") return true;
    this.refusals.set(outcome, (this.refusals.get(outcome) ?? 0) + 1);
    return false;
  }

  /** Waits until so many more were acknowledged. */
  async more(count: number): Promise<void> {
    const goal = this.acknowledged.size + count;
    await until(`${count} more events`, () => this.acknowledged.size >= goal, { deadlineMs: 60_000 });
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#lanes);
  }
}

async function makeProject(client: GrpcClient): Promise<Target> {
  const { project } = await client.projects.createProject({ path: "acme/web", name: "Web" }, client.auth);
  const projectId = project?.projectId ?? 0;
  await client.settings.updateSettings({ projectId, active: true, backend: Backend.INTEGRATED }, client.auth);
  const { clientKey } = await client.clientKeys.createClientKey({ projectId }, client.auth);
  return { id: projectId, key: clientKey?.publicKey ?? "" };
}

async function idsIn(server: Server, project: Target): Promise<string[]> {
  const client = grpcClient(server);
  const ids: string[] = [];
  for (const { errorId } of await storedErrors(client, project.id)) {
    ids.push(...(await storedEventIds(client, project.id, errorId)));
  }
  client.close();
  return ids;
}

/** Whether a release takes the database that a later one migrated; else it must say so and leave it. */
async function takes(options: ServerOptions): Promise<boolean> {
  const started = launch(options);
  let hasEnded = false;
  const ended = started.ended.then(() => (hasEnded = true));
  const isReady = () => started.output().includes("Faultline is ready");
  await until("it is ready or ends", () => isReady() || hasEnded, { deadlineMs: 60_000 });
  if (hasEnded) assert.match(started.output(), "by a newer release");
  else started.process.kill("SIGTERM");
  await ended;
  return isReady();
}

for (const name of upgradedFrom) {
  const { release } = recordedOf(name);
  test(`an upgrade from ${name} while SDKs send loses and doubles nothing, and the release before takes the data back or leaves them alone`, async () => {
    const root = checkOut(release);
    const first = await startServer({ root });
    const client = grpcClient(first);
    const project = await makeProject(client);
    client.close();
    const { dataDir } = first;
    let now = first;
    const front = await startTcpProxy(() => Number(new URL(now.url).port)); // an address that outlives a release

    const senders = new Senders(`http://127.0.0.1:${front.port}`, project, 8);
    await senders.more(200);
    const stoppedAt = performance.now();
    await first.stop();
    now = await startServer({ dataDir });
    await senders.more(1);
    const gap = (performance.now() - stoppedAt) / 1_000;
    await senders.more(200);
    const refusals = JSON.stringify(Object.fromEntries(senders.refusals));
    console.log(`  from ${name}: ${gap.toFixed(1)} s without an acknowledgement, sendings that failed: ${refusals}`);

    let way = "is refused";
    await now.stop();
    if (await takes({ root, dataDir })) {
      now = await startServer({ root, dataDir });
      await senders.more(200);
      await now.stop();
      way = "takes it back";
    }
    now = await startServer({ dataDir });
    await senders.more(200);
    await senders.end();
    console.log(`  ${name} ${way}`);

    const stored = await idsIn(now, project);
    assert.equal(stored.toSorted(), [...senders.acknowledged].toSorted(), "each acknowledged event is stored, once");
    await now.stop();
    await front.stop();
    const database = new DatabaseSync(join(dataDir, "faultline.db"), { readOnly: true });
    assert.equal(recount(database), []);
    database.close();
  });
}

test.run();

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../support/core/grpc.ts";
import { natsMissing, startNats, type Nats } from "../support/nats/nats.ts";
import { startPostgresql, type PostgresqlServer } from "../support/database/postgresql.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { startServer, type Server } from "../support/service/server.ts";
import { storedEventCount } from "../support/database/stored.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { until } from "../support/run/until.ts";

const roles = ["bridge", "core", "worker", "console"] as const;

let nats: Nats;
let postgresql: PostgresqlServer;
let env: Record<string, string>;
let project: Project;
const keys = join(tempDir(), "secrets.json");
const servers = {} as Record<(typeof roles)[number], Server>;

const role = suite("roles");

role.before(async () => {
  [nats, postgresql] = await Promise.all([startNats(), startPostgresql()]);
  env = {
    FAULTLINE_DATABASE_URL: await postgresql.createDatabase(),
    FAULTLINE_NATS_URL: nats.url,
    FAULTLINE_BASE_URL: "http://errors.example.com",
  };
  const { dataDir, stop } = await startServer({ env }); // makes the key file and the first administrator
  await stop();
  copyFileSync(join(dataDir, "secrets.json"), keys);
  for (const name of roles) servers[name] = await serve(name);
  project = await createProject(servers.bridge);
});

role.after(async () => {
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  await Promise.all([nats.stop(), postgresql.stop("immediate")]);
});

async function serve(name: string): Promise<Server> {
  const dataDir = tempDir();
  copyFileSync(keys, join(dataDir, "secrets.json"));
  return startServer({ dataDir, env: { ...env, FAULTLINE_ROLE: name } });
}

role("an event that a bridge acknowledges is stored by a worker and read through a core", async () => {
  const { status } = await sendEvent(servers.bridge, project, { event_id: newEventId(), message: "one event" });
  assert.is(status, 200);
  await stored(1);
});

role("gRPC is served by the core alone", () => {
  for (const name of roles) assert.is(servers[name].grpcAddress === "none", name !== "core", name);
});

role("SDKs and REST clients are served by the bridge alone", async () => {
  for (const name of roles) {
    const expected = name === "bridge" ? 200 : 404;
    const event = await sendEvent(servers[name], project, { event_id: newEventId(), message: "which door" });
    assert.is(event.status, expected, name);
    assert.is((await fetch(`${servers[name].url}/api/v4/openapi.json`)).status, expected, name);
  }
});

role("the pages are shown by the console alone; the others say where they are", async () => {
  for (const name of roles) {
    const answer = await fetch(`${servers[name].url}/sign-in`);
    const text = await answer.text();
    if (name === "console") assert.match(text, "<title>");
    else {
      assert.is(answer.status, 404);
      assert.match(text, "serves no pages");
    }
  }
});

role("every process reports that it lives, that it is ready, and its numbers", async () => {
  for (const name of roles) {
    for (const path of ["health", "readiness", "metrics"]) {
      const { status } = await fetch(`${servers[name].url}/-/${path}`);
      assert.is(status, 200, `${name} ${path}`);
    }
  }
});

role(
  "while PostgreSQL is down, the bridge is ready and accepts, and what it accepted is stored afterwards",
  async () => {
    const before = await storedCount();
    const ids = Array.from({ length: 20 }, newEventId);
    await postgresql.stop("immediate");
    try {
      for (const event_id of ids) {
        const { status } = await sendEvent(servers.bridge, project, { event_id, message: "without a database" });
        assert.is(status, 200);
      }
      assert.is((await fetch(`${servers.bridge.url}/-/readiness`)).status, 200);
      await until("the others to say that they are not ready", async () => {
        const answers = [servers.worker, servers.console].map(({ url }) => fetch(`${url}/-/readiness`));
        return (await Promise.all(answers)).every(({ status }) => status === 503);
      });
    } finally {
      await postgresql.start();
    }
    await stored(before + ids.length);
  },
);

/** How many events of the project the core reports. */
async function storedCount(): Promise<number> {
  const client = grpcClient(servers.core);
  try {
    return await storedEventCount(client, project.id);
  } finally {
    client.close();
  }
}

/** Waits until the core reports that many. */
async function stored(events: number): Promise<void> {
  await until(`${events} events are stored`, async () => (await storedCount()) === events, { deadlineMs: 30_000 });
}

if (natsMissing === undefined) role.run();
else console.log(`Skipped: the roles, as ${natsMissing}`);

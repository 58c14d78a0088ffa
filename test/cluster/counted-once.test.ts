// limit: 180 s
import { jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import { connect, nanos, type NatsConnection } from "@nats-io/transport-node";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startLink, type Link } from "../support/nats/cluster/link.ts";
import { dayMs, passTime } from "../support/service/movable-faultline.ts";
import { natsMissing, startNats, type Nats } from "../support/nats/nats.ts";
import { waitingMessages } from "../support/nats/nats-queue.ts";
import { startPostgresql, withPostgresql, type PostgresqlServer } from "../support/database/postgresql.ts";
import { createProject } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { envelope, newEventId, sendEnvelope } from "../support/sentry/send.ts";
import { startServer } from "../support/service/server.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { testConfig } from "../support/service/test-config.ts";
import { until } from "../support/run/until.ts";

const onServers = natsMissing === undefined ? test : test.skip;
if (natsMissing !== undefined) console.log(`Skipped: ${natsMissing}`);

let nats: Nats;
let link: Link;
let postgresql: PostgresqlServer;
let databaseUrl: string;
let connection: NatsConnection;
let operator: JetStreamManager;

test.before(
  reported(async () => {
    if (natsMissing !== undefined) return;
    [nats, postgresql] = await Promise.all([startNats(), startPostgresql()]);
    link = await startLink(nats.url);
    databaseUrl = await postgresql.createDatabase();
    connection = await connect({ servers: nats.url });
    operator = await jetstreamManager(connection);
  }),
);

test.after(async () => {
  await connection?.close();
  await link?.stop();
  await Promise.all([nats?.stop(), postgresql?.stop("immediate")]);
});

const numberOf = (query: string, database = databaseUrl) =>
  withPostgresql(database, async (client) => Number((await client.query<{ n: number }>(query)).rows[0]?.n));

const receipts = () => numberOf("select count(*) as n from integrated_receipt");
const countedSessions = () => numberOf("select coalesce(sum(total), 0) as n from integrated_session_hour");

/** Sessions that an SDK counted: one of a user, two of the next, and so on. */
const counted = (users: number) => {
  const started = new Date().toISOString();
  const aggregates = Array.from({ length: users }, (_, n) => ({ started, did: `user-${n}`, exited: n + 1 }));
  return envelope(newEventId(), [{ type: "sessions" }, { attrs: { release: "shop@1" }, aggregates }]);
};

onServers(
  "sessions that an SDK counted count once when their worker is killed between commit and acknowledgement",
  async () => {
    const env = { FAULTLINE_DATABASE_URL: databaseUrl, FAULTLINE_NATS_URL: link.url };
    const dataDir = tempDir();
    const first = await startServer({ dataDir, env });
    // As an operator may: what a dead worker had comes back after two seconds, not thirty.
    await operator.consumers.update("FAULTLINE_INTAKE", "store", { ack_wait: nanos(2_000) });
    const project = await createProject(first);
    const isCut = link.eat("+ACK").then(() => link.cut()); // before it connects again
    const sent = sendEnvelope(first, project, counted(20)).catch(() => undefined); // its answer may be cut off
    await isCut;
    const stored = await countedSessions();
    await first.kill9();
    await sent;
    assert.is(stored, 210);
    assert.is(await waitingMessages(operator), 1);

    link.mend();
    const second = await startServer({ dataDir, env });
    await until("the queue to be empty", async () => (await waitingMessages(operator)) === 0, { deadlineMs: 30_000 });
    await second.kill9();
    const { delivered } = await operator.consumers.info("FAULTLINE_INTAKE", "store");
    assert.ok(delivered.consumer_seq > delivered.stream_seq, "nothing was delivered twice");
    assert.is(await countedSessions(), 210);
    assert.is(await receipts(), 20);
  },
);

onServers("what was counted is remembered for a week", async () => {
  const database = await postgresql.createDatabase();
  const config = { ...testConfig(tempDir()), databaseUrl: database };
  const begin = Date.now();
  const clock = { at: begin, now: () => clock.at };
  const remembered = () => numberOf("select count(*) as n from integrated_receipt", database);
  await passTime(config, clock, begin); // it makes the tables
  await withPostgresql(database, (client) =>
    client.query("insert into integrated_receipt select 1, n::text, $1 from generate_series(1, 1200) as n", [begin]),
  );
  const daysLater = async (days: number) => {
    await passTime(config, clock, begin + days * dayMs);
    await passTime(config, clock, clock.at); // retention runs at a start
    return remembered();
  };
  assert.is(await daysLater(6), 1200);
  assert.is(await daysLater(8), 0);
});

test.run();

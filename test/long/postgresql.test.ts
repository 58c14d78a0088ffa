// limit: 180 s
// alone: it crashes a database server of its own
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../support/core/grpc.ts";
import { startPostgresql } from "../support/database/postgresql.ts";
import { until } from "../support/run/until.ts";
import { startServer } from "../support/service/server.ts";

const postgresql = await startPostgresql();
test.after(() => postgresql.stop("immediate"));

test("while the server is down calls are answered UNAVAILABLE, and afterwards they work again by themselves", async () => {
  const server = await startServer({ env: { FAULTLINE_DATABASE_URL: await postgresql.createDatabase() } });
  const client = grpcClient(server);
  const create = (path: string) =>
    client.projects.createProject({ path }, client.auth).then(
      () => "made",
      (error: { code: number; message: string }) => `${error.code} ${error.message}`,
    );
  for (const round of [1, 2]) {
    assert.is(await create(`before-${round}`), "made");
    // Calls under way meet the crash at any point: before they begin, in a transaction, at their commit.
    const underWay = Promise.all(Array.from({ length: 30 }, (_, n) => create(`during-${round}-${n}`)));
    await postgresql.stop(round === 1 ? "fast" : "immediate");
    for (const answer of await underWay) assert.match(answer, /^(made|14 The database cannot be used now)/);
    assert.match(
      await create(`down-${round}`),
      /^14 The database cannot be used now, so nothing was changed\. Try again/,
    );
    await until("no readiness", async () => (await fetch(`${server.url}/-/readiness`)).status === 503);
    await postgresql.start();
    await until("readiness", async () => (await fetch(`${server.url}/-/readiness`)).ok);
    // Were connections lost at the crash, these would wait for them in vain.
    const again = await Promise.all(Array.from({ length: 30 }, (_, n) => create(`again-${round}-${n}`)));
    assert.equal([...new Set(again)], ["made"]);
  }
  client.close();
  assert.is(await server.stop(), 0);
});

test.run();

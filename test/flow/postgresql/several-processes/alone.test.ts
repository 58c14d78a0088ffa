import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { freshDatabase, withPostgresql } from "../../../support/database/postgresql.ts";
import { repositoryRoot } from "../../../support/service/server.ts";
import { until } from "../../../support/run/until.ts";

interface Run {
  readonly pid: number;
  /** Milliseconds by PostgreSQL's clock. */
  readonly began: number;
  /** Null: it runs, or its process died. */
  readonly ended: number | null;
}

const url = await freshDatabase();
await withPostgresql(url, (client) =>
  client.query(`create table work (id bigserial primary key, pid integer not null,
    began_at timestamptz not null default clock_timestamp(), ended_at timestamptz)`),
);

const runs = async () => {
  const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
  const query = `select pid, ${ms("began_at")} as began, ${ms("ended_at")} as ended from work order by id`;
  return (await withPostgresql(url, (client) => client.query<Run>(query))).rows;
};

const processes: ChildProcess[] = [];
test.after(() => {
  for (const child of processes) child.kill("SIGKILL");
});

test("of three processes, one at a time does the work of all, and another continues if it is killed in the middle", async () => {
  for (let n = 0; n < 3; n++) {
    const script = join(repositoryRoot, "test/support/service/alone-process.ts");
    processes.push(spawn(process.execPath, [script, url], { stdio: ["ignore", "ignore", "inherit"] }));
  }
  await until("each has done some", async () => new Set((await runs()).map(({ pid }) => pid)).size === 3, {
    deadlineMs: 30_000,
  });
  const killed: number[] = [];
  for (const left of [2, 1]) {
    const holder = await until("a run", async () =>
      (await runs()).find(({ pid, ended }) => ended === null && !killed.includes(pid)),
    );
    processes.find(({ pid }) => pid === holder.pid)?.kill("SIGKILL");
    killed.push(holder.pid);
    const before = (await runs()).length;
    await until(`the ${left} others go on`, async () => (await runs()).length > before + 5);
  }

  const all = await runs();
  const survivor = all.at(-1)?.pid ?? 0;
  assert.not(killed.includes(survivor));
  for (const [n, { pid, began }] of all.entries()) {
    const before = all[n - 1];
    if (!before) continue;
    // A process that was killed did not write down its end; its work went to the next one after its death.
    const ended = before.ended ?? (killed.includes(before.pid) ? before.began : Infinity);
    assert.ok(ended <= began, `run ${n} of ${pid} began at ${began}, while ${before.pid} ran until ${ended}`);
  }
  assert.ok(all.filter(({ ended }) => ended === null).length <= killed.length + 1);
});

test.run();

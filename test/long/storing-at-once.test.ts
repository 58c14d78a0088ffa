import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { dayMs, movableClock, movableFaultline } from "../support/service/movable-faultline.ts";
import { startPostgresql, withPostgresql } from "../support/database/postgresql.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { randomNumbers } from "../support/sentry/random.ts";
import { recountPostgresql, recountSessionsPostgresql } from "../support/database/recount.ts";
import { rounds } from "../support/run/rounds.ts";
import { envelope, newEventId, sendEnvelope } from "../support/sentry/send.ts";
import { tempDir } from "../support/service/temp-dir.ts";

// Several services on one PostgreSQL. Two have the same clock; the third is a day ahead, as on both sides of midnight.

const seed = 20_261_122;
const roundCount = rounds({ short: 10, long: 30 });
const eventsOfRound = 40;

const postgresql = await startPostgresql();
const databaseUrl = await postgresql.createDatabase();
const clock = movableClock();
const nextDay = { ...movableClock(), now: () => clock.at + dayMs };
const dataDirs = [tempDir(), tempDir(), tempDir()] as const;
const first = await movableFaultline({ databaseUrl, dataDir: dataDirs[0] }, clock);
for (const dataDir of dataDirs.slice(1)) copyFileSync(join(dataDirs[0], "secrets.json"), join(dataDir, "secrets.json"));
const services = [
  first,
  await movableFaultline({ databaseUrl, dataDir: dataDirs[1] }, clock),
  await movableFaultline({ databaseUrl, dataDir: dataDirs[2] }, nextDay),
];
test.after(() => postgresql.stop("immediate"));
const projects = [
  await createProject({ url: first.faultline.httpUrl }),
  await createProject({ url: first.faultline.httpUrl }),
];

const random = randomNumbers(seed);
const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // never empty
const sent = new Set<string>();

interface Sending {
  readonly project: Project;
  readonly text: string;
}

/** An event of one of a few errors, and an update of one of a few sessions. */
function sending(): Sending {
  const project = one(projects);
  const event_id = newEventId();
  sent.add(`${project.id} ${event_id}`);
  const release = one(["1.0", "1.1", "2.0"]);
  const event = {
    event_id,
    timestamp: clock.at / 1000 - random() * 3 * 86_400,
    exception: { values: [{ type: one(["A", "B", "C", "D", "E", "F", "G", "H"]), value: "at once" }] },
    tags: { shard: one(["1", "2", "3"]) },
    user: { id: one(["1", "2", "3", "4"]) },
    release,
  };
  const session = {
    sid: `00000000-0000-4000-8000-0000000000${one(["01", "02", "03", "04", "05"])}`,
    did: one(["ann", "bob"]),
    seq: Math.floor(random() * 1000),
    status: one(["ok", "exited", "crashed", "abnormal"]),
    errors: Math.floor(random() * 3),
    started: new Date(clock.at - 1000).toISOString(),
    timestamp: new Date(clock.at).toISOString(),
    attrs: { release, environment: "prod" },
  };
  return { project, text: envelope(event_id, [{ type: "event" }, event], [{ type: "session" }, session]) };
}

test("several processes that store the same errors and events simultaneously count each event once", async () => {
  for (let round = 0; round < roundCount; round++) {
    // Each goes to all services at the same moment, like a retry after another process answered the first request.
    const sendings = Array.from({ length: eventsOfRound }, sending);
    const answers = await Promise.all(
      sendings.flatMap(({ project, text }) =>
        services.map(({ faultline }) => sendEnvelope({ url: faultline.httpUrl }, project, text)),
      ),
    );
    for (const { status, text } of answers) assert.is(status, 200, text);
  }
  await withPostgresql(databaseUrl, async (client) => {
    assert.equal(await recountPostgresql(client), [], `seed ${seed}`);
    assert.equal(await recountSessionsPostgresql(client), [], `seed ${seed}`);
    const { rows } = await client.query<{ id: string }>(
      "select project_id || ' ' || encode(event_id, 'hex') as id from integrated_event",
    );
    assert.equal(rows.map(({ id }) => id).toSorted(), [...sent].toSorted());
    const { rows: days } = await client.query("select distinct id >> 37 from integrated_event");
    assert.is(days.length, 2, "events were stored on both sides of midnight");
    const { rows: server } = await client.query<{ deadlocks: string }>(
      "select deadlocks from pg_stat_database where datname = current_database()",
    );
    assert.is(server[0]?.deadlocks, "0");
  });
});

test.run();

/**
 * A process that repeatedly does work of the whole installation, like the service, and records when the work began and
 * ended by PostgreSQL's clock. `node alone-process.ts <database URL>`; the test makes the table.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Kysely } from "kysely";
import { sql } from "kysely";
import { PostgresqlDialect } from "../../../backend/src/storage/database/postgresql/dialect.ts";
import { IntervalScheduler } from "../../../backend/src/host/plugins/scheduler.ts";
import { AdvisoryLease } from "../../../backend/src/storage/database/postgresql/open.ts";

const [url = ""] = process.argv.slice(2);
const database = new Kysely<unknown>({ dialect: new PostgresqlDialect(url) });
const alone = new AdvisoryLease(database);
const log = { info: () => undefined, warn: () => undefined, error: (fields: object) => console.error(fields) };
const scheduler = new IntervalScheduler(log, (name, work) => alone.run(name, work));

const work = async () => {
  const { rows } = await sql<{ id: number }>`insert into work (pid) values (${process.pid}) returning id`.execute(
    database,
  );
  await delay(50);
  await sql`update work set ended_at = clock_timestamp() where id = ${rows[0]?.id}`.execute(database);
};
scheduler.every(20, "the work", work, { alone: true });
setInterval(() => undefined, 1_000); // the scheduler's timers do not keep a process alive

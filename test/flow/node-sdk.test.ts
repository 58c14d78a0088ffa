import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../support/service/flow.ts";
import { createProject } from "../support/core/project.ts";
import { storedEventCount } from "../support/database/stored.ts";
import { stretched } from "../support/run/deadlines.ts";

interface Report {
  readonly exceptionId: string;
  readonly messageId: string;
  /** The statuses of the answers to three requests. */
  readonly statuses: readonly number[];
  readonly flushed: boolean;
  readonly sdk: string;
}

const program = join(import.meta.dirname, "../sdk/node-7.38.0.cjs");

const { server, client } = await sharedServer();
const project = await createProject(server);

async function run(dsn: string): Promise<Report> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, dsn], { timeout: stretched(20_000) });
  return JSON.parse(stdout) as Report;
}

test("the Node SDK 7.38.0 reports an exception, a message and a session with the DSN as it is given", async () => {
  const report = await run(project.dsn);
  assert.is(report.sdk, "7.38.0");
  assert.equal(report.statuses, [200, 200, 200]);
  assert.ok(report.flushed);

  const exception = await client.errors.getEvent({ projectId: project.id, eventId: report.exceptionId }, client.auth);
  const [thrown] = exception.event?.exceptions ?? [];
  assert.is(thrown?.type, "PaymentError");
  assert.is(thrown?.value, "card amex refused");
  assert.is(thrown?.frames.at(-1)?.function, "charge");
  assert.ok(thrown?.frames.at(-1)?.inApp);
  assert.match(thrown?.frames.at(-1)?.contextLine ?? "", "throw new PaymentError");
  assert.is(exception.event?.user?.id, "4711");
  assert.is(exception.event?.tags["region"], "eu-west");
  assert.is(exception.event?.release, "shop@1.2.3");
  assert.is(exception.event?.environment, "staging");
  assert.is(exception.event?.sdk?.version, "7.38.0");

  const message = await client.errors.getEvent({ projectId: project.id, eventId: report.messageId }, client.auth);
  assert.is(message.event?.message, "the till is empty");
  assert.is(message.event?.level, "warning");
  assert.is(await storedEventCount(client, project.id), 2);
});

test("the legacy DSN and DSNs with the paths of the original work as well", async () => {
  const { origin } = new URL(server.url);
  const prefixed = ["/api/v4/error_tracking/collector", "/errortracking/api/v1/projects"].map(
    (path) => `${origin.replace("://", `://${project.key}@`)}${path}/${project.id}`,
  );
  for (const dsn of [project.legacyDsn, ...prefixed]) {
    const before = await storedEventCount(client, project.id);
    assert.equal((await run(dsn)).statuses, [200, 200, 200], dsn);
    assert.is(await storedEventCount(client, project.id), before + 2, dsn);
  }
});

test.run();

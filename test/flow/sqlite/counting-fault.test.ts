import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../support/core/project.ts";
import { execSql, rowsOf } from "../../support/database/other-process.ts";
import { storedErrors, storedEventCount } from "../../support/database/stored.ts";
import { until } from "../../support/run/until.ts";
import { sendEvent } from "../../support/sentry/send.ts";
import { runningServer } from "../../support/service/flow.ts";

const { server, client } = await runningServer();
const project = await createProject(server);

const report = async (tag: string) => {
  const event = { exception: { values: [{ type: "Refused", value: "x" }] }, tags: { shard: tag } };
  assert.is((await sendEvent(server, project, event)).status, 200);
};

/** The ranges of events that are counted later. */
const ranges = () =>
  rowsOf(server.dataDir, "select from_id, to_id from integrated_uncounted where to_id < 9007199254740991");

test("counts that cannot be written keep no event from being stored, and are complete once they can", async () => {
  await execSql(
    server.dataDir,
    "create trigger fault before insert on integrated_count begin select raise(abort, 'no count'); end",
  );
  for (let n = 1; n <= 3; n++) {
    await report(`${n}`);
    await until("the event is left for later", async () => {
      const [range] = await ranges();
      return range !== undefined && Number(range["to_id"]) >= n;
    });
  }
  assert.is((await ranges()).length, 1, "one range for all");
  assert.match(server.output(), "counts could not be written: the events are counted again later");
  assert.is(await storedEventCount(client, project.id), 3);
  const [error] = await storedErrors(client, project.id);
  const asked = { projectId: project.id, errorId: error?.errorId ?? "" };

  await execSql(server.dataDir, "drop trigger fault");
  await report("1");
  const breakdown = await until("all events are counted", async () => {
    const answer = await client.errors.getErrorBreakdown(asked, client.auth);
    return answer.examinedEventCount === 4 && (await ranges()).length === 0 && answer;
  });
  const shards = breakdown.tags.find(({ key }) => key === "shard")?.values ?? [];
  assert.equal(Object.fromEntries(shards.map(({ value, eventCount }) => [value, eventCount])), {
    "1": 2,
    "2": 1,
    "3": 1,
  });
});

test.run();

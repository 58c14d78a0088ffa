/** The rest of an inbox after a restart, which does old work immediately. */
import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../backend/src/main.ts";
import { grpcClient } from "../support/core/grpc.ts";
import { newMember } from "../support/core/person.ts";
import { createProject } from "../support/core/project.ts";
import { execSql } from "../support/database/other-process.ts";
import { until } from "../support/run/until.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { dayMs, movableClock, passTime } from "../support/service/movable-faultline.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { testConfig } from "../support/service/test-config.ts";

test("entries go after 30 days, and beyond the newest 1,000 of a person", async () => {
  const config = testConfig(tempDir());
  const clock = movableClock();
  const first = await startFaultline(config, clock);
  const client = grpcClient(first);
  const service = { url: first.httpUrl };
  const project = await createProject(service);
  const ann = await newMember(client, project.id, Role.DEVELOPER);
  await sendEvent(service, project, { event_id: newEventId(), message: "old" });
  await until("the entry", async () => (await client.inbox.listInboxEntries({}, ann)).entries.length === 1);
  client.close();
  await first.stop();

  await passTime(config, clock, clock.at + 31 * dayMs);
  await execSql(
    config.dataDir,
    `insert into notifier_inbox (user_id, project_id, error_id, notification_trigger, status, made_by, title, culprit, level,
       gathered, happened_at, created_at, changed_at, due_at, read_at)
     with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 1010)
     select ${ann.userId}, ${project.id}, n, 1, 1, '', 'entry ' || n, '', 'error', '{}', ${clock.at}, ${clock.at}, ${clock.at},
       ${clock.at}, null from counted`,
  );
  const second = await startFaultline(config, clock);
  const again = grpcClient(second);
  await until("the deletion", async () => (await again.inbox.getUnreadCount({}, ann)).unreadCount === 1_000);
  const { entries } = await again.inbox.listInboxEntries({ pageSize: 1 }, ann);
  assert.is(entries[0]?.title, "entry 1010");
  again.close();
  await second.stop();
});

test.run();

// limit: 600 s
/** Three processes send the deliveries of one database: each message goes out once, and a process that was too slow stores nothing. */
import { NotificationChannelState, NotificationDeliveryState, NotificationTrigger } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { freshDatabase, withPostgresql } from "../../support/database/postgresql.ts";
import { allDeliveries, notifiedProject } from "../../support/notifications/notified-project.ts";
import { receiver, type Received } from "../../support/notifications/receiver.ts";
import { rounds } from "../../support/run/rounds.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { killAll, startProcesses, type Process } from "../../support/service/several-processes.ts";

/** A channel gets one message a second, so that many channels have to share the work. */
const { projectCount, channelCount, perChannel } = rounds({
  short: { projectCount: 1, channelCount: 10, perChannel: 8 },
  long: { projectCount: 5, channelCount: 20, perChannel: 25 },
  all: { projectCount: 10, channelCount: 20, perChannel: 50 },
});
const total = projectCount * channelCount * perChannel;

const other = await receiver();
const url = await freshDatabase();
const processes = await startProcesses([url, url, url], {
  FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8",
  FAULTLINE_OUTBOUND_PORTS: String(other.port),
});
test.after(() => killAll(processes));
const [{ server, client }] = processes as [Process, Process, Process];
const service = { client, url: server.url };
const { SENT } = NotificationDeliveryState;

/** A project with channels that each got a message about one error. */
async function informed(channels: number, path: string) {
  const project = await notifiedProject(service, {
    channels: Array.from({ length: channels }, (_, n) => ({
      kind: "webhook",
      fields: { url: `${other.url}/${path}-${n}` },
    })),
    rules: [{ triggers: [NotificationTrigger.CREATED], channels: Array.from({ length: channels }, (_, n) => n) }],
  });
  await sendEvent(service, project, { event_id: newEventId(), message: "the first" });
  await until(
    "all channels have it",
    async () => {
      const deliveries = await allDeliveries(client, project.id);
      return deliveries.length === channels && deliveries.every(({ state }) => state === SENT);
    },
    { deadlineMs: 60_000, everyMs: 200 },
  );
  return project;
}

test(`${total.toLocaleString("en")} messages to ${projectCount * channelCount} channels are sent by three processes once each, in order`, async () => {
  for (let n = 0; n < projectCount; n += 1) await informed(channelCount, `project-${n}`);
  const before = other.received.length;
  assert.is(before, projectCount * channelCount);
  // More than the budget of a channel lets through in a burst: the first messages again, with new ids.
  await withPostgresql(url, (database) =>
    database.query(
      `insert into notifier_delivery
         (project_id, channel_id, uid, error_id, change_count, message, state, reason, tries, created_at)
       select project_id, channel_id, 'copy_' || lpad(n::text, 6, '0') || '_' || channel_id, error_id, change_count, message,
         ${NotificationDeliveryState.PENDING}, '', 0, created_at
       from notifier_delivery cross join generate_series(1, ${perChannel}) as n order by n`,
    ),
  );
  const startedAt = performance.now();
  const unfinished = () =>
    withPostgresql(url, async (database) => {
      const { rows } = await database.query<{ n: string }>(
        "select count(*) as n from notifier_delivery where finished_at is null",
      );
      return Number(rows[0]?.n);
    });
  await until("all are sent", async () => (await unfinished()) === 0, { deadlineMs: 500_000, everyMs: 500 });
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`  ${total} in ${Math.round(seconds)} s, ${Math.round(total / seconds)}/s`);
  const sent = other.received.slice(before);
  assert.is(sent.length, total);
  assert.is(new Set(sent.map(({ headers }) => headers["webhook-id"])).size, total);
  for (const ofChannel of Map.groupBy(sent, ({ path }) => path).values()) {
    const ids = ofChannel.map(({ headers }) => headers["webhook-id"]);
    assert.equal(ids, ids.toSorted());
  }
});

test("a process that lost its lease stores nothing of its late answer", async () => {
  const answer = Promise.withResolvers<{ status: number }>();
  const tries: Received[] = [];
  const project = await informed(1, "stolen");
  other.answers((request) => (tries.push(request) === 1 ? answer.promise : { status: 200 }));
  await sendEvent(service, project, { event_id: newEventId(), message: "a second error" });
  await until("the first process waits for the answer", () => tries.length === 1);
  // As if the minute of the lease had passed.
  await withPostgresql(url, (database) =>
    database.query("update notifier_channel set lease_until = 0 where project_id = $1", [project.id]),
  );
  await until("another process has sent it", async () => {
    const deliveries = await allDeliveries(client, project.id);
    return deliveries.length === 2 && deliveries.every(({ state }) => state === SENT);
  });
  answer.resolve({ status: 410 }); // which would disable the channel
  await sendEvent(service, project, { event_id: newEventId(), message: "yet another" });
  await until("the channel goes on", () => tries.length === 3);
  const deliveries = await allDeliveries(client, project.id);
  assert.equal(
    deliveries[1]?.attempts.map(({ httpStatus }) => httpStatus),
    [200],
  );
  assert.is(tries[0]?.headers["webhook-id"], tries[1]?.headers["webhook-id"]);
  const { channels } = await client.notificationChannels.listNotificationChannels(
    { projectId: project.id },
    client.auth,
  );
  assert.is(channels[0]?.state, NotificationChannelState.ACTIVE);
  other.answers({ status: 200 });
});

test.run();

// limit: 900 s
/** A storm of new errors: each channel stays within its budget, and every change is in a message, a digest or a count of silence. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  NotificationDeliveryState,
  NotificationSuppressionReason as Reason,
  NotificationTrigger,
} from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { rowsOf } from "../../support/database/other-process.ts";
import { allDeliveries, notifiedProject } from "../../support/notifications/notified-project.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { rounds } from "../../support/run/rounds.ts";
import { until } from "../../support/run/until.ts";
import { newEventId } from "../../support/sentry/send.ts";
import { hourMs, movableFaultline } from "../../support/service/movable-faultline.ts";
import { tempDir } from "../../support/service/temp-dir.ts";

const errorCount = 1_000;
/** Of them one in four is fatal. */
const fatalCount = errorCount / 4;
const eventCount = rounds({ short: 2_000, long: 10_000, all: 100_000 });
const atOnce = 100;
const minuteMs = 60_000;

const { CREATED, STATUS } = NotificationTrigger;
const { SENT } = NotificationDeliveryState;

const other = await receiver();
const dataDir = tempDir();
const { client, faultline, clock } = await movableFaultline({
  dataDir,
  outbound: { networks: ["127.0.0.0/8"], ports: [other.port] },
  logLevel: "silent",
});
const project = await notifiedProject(
  { client, url: faultline.httpUrl },
  {
    channels: [
      { kind: "webhook", fields: { url: `${other.url}/webhook` } },
      { kind: "slack", fields: { url: `${other.url}/slack` } },
      { kind: "discord", fields: { url: `${other.url}/discord` } },
      { kind: "webhook", fields: { url: `${other.url}/second` } },
    ],
    rules: [
      { triggers: [CREATED], channels: [0, 1] },
      { triggers: [CREATED], channels: [1, 2], filter: "level:fatal" },
      { triggers: [CREATED, STATUS], channels: [2, 3, 0] },
    ],
  },
);
const projectId = project.id;

/** The limit of new errors is for client keys, which strangers may have; internal services have none. */
const event = (n: number) => ({
  projectId,
  eventId: newEventId(),
  exceptions: [{ type: `Storm${n % errorCount}Error`, value: "no more" }],
  level: (n % errorCount) % 4 === 0 ? "fatal" : "error",
});

async function sendStorm(): Promise<void> {
  for (let sent = 0; sent < eventCount; sent += atOnce) {
    const events = Array.from({ length: atOnce }, (_, n) => event(sent + n));
    await client.ingest.reportEvents({ events }, client.auth);
    clock.at += (minuteMs * atOnce) / eventCount;
  }
}

/** The result of each change for each rule and channel. */
async function ledger() {
  const [row] = await rowsOf(
    dataDir,
    `select (select count(*) from notifier_signal where project_id = ${projectId}) as changes,
      (select count(*) from notifier_signal where project_id = ${projectId} and done_at is null) as waiting,
      (select count(*) from notifier_held) as held,
      (select coalesce(sum(change_count), 0) from notifier_delivery where project_id = ${projectId}) as reported,
      (select count(*) from notifier_delivery where project_id = ${projectId} and state <> ${SENT}) as unsent,
      (select coalesce(sum(n), 0) from notifier_suppression where reason = ${Reason.FILTERED}) as filtered,
      (select coalesce(sum(n), 0) from notifier_suppression where reason = ${Reason.REPEATED}) as repeated,
      (select coalesce(sum(n), 0) from notifier_suppression) as suppressed`,
  );
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, count]) => [name, Number(count)]));
}

const pass = (what: string, stepMs: number, condition: (counts: Record<string, number>) => boolean) =>
  until(
    what,
    async () => {
      clock.at += stepMs;
      const counts = await ledger();
      return condition(counts) && counts;
    },
    { deadlineMs: 200_000, everyMs: 100 },
  );

test(`${errorCount} new errors in a minute are at most six messages a channel in ten minutes and eight in an hour, and no change is lost`, async () => {
  const startedAt = clock.at;
  await sendStorm();
  await pass("all changes are decided", 20, ({ changes, waiting }) => changes === errorCount && waiting === 0);
  await pass("all is sent", 10_000, ({ held, unsent }) => held === 0 && unsent === 0);
  clock.at += 2 * hourMs; // more would come now
  const counts = await pass("nothing follows", 1_000, ({ held, unsent }) => held === 0 && unsent === 0);
  console.log(`  ${JSON.stringify(counts)}`);

  // Each of the four channels gets each change once; the other ways to it are counted as repeated.
  assert.is(counts["reported"], 4 * errorCount);
  assert.is(counts["filtered"], errorCount - fatalCount);
  assert.is(counts["repeated"], errorCount + 2 * fatalCount);
  const ways = 2 * errorCount + (errorCount - fatalCount) + 2 * fatalCount + 3 * errorCount;
  assert.is((counts["reported"] ?? 0) + (counts["suppressed"] ?? 0), ways);

  const deliveries = await allDeliveries(client, projectId);
  for (const channelId of project.channelIds) {
    const times = deliveries
      .filter((delivery) => delivery.channelId === channelId)
      .flatMap(({ createdTime }) => (createdTime ? [timestampMs(createdTime)] : []));
    const within = (minutes: number) => times.filter((time) => time < startedAt + minutes * minuteMs).length;
    console.log(
      `  channel ${channelId}: ${within(10)} in ten minutes, ${within(60)} in an hour, ${times.length} in all`,
    );
    assert.ok(within(10) <= 6, `${within(10)} messages in ten minutes`);
    assert.ok(within(60) <= 8, `${within(60)} messages in an hour`);
  }
  assert.is(other.received.length, deliveries.length);
});

test.run();

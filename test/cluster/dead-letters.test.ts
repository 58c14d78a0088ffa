import { DatabaseKind, Role, UnstoredKind, type UnstoredEvent } from "@faultline/proto";
import { connect } from "@nats-io/transport-node";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { http } from "../support/http/http.ts";
import type { GrpcClient } from "../support/core/grpc.ts";
import { natsMissing } from "../support/nats/nats.ts";
import { newMember } from "../support/core/person.ts";
import { createProject } from "../support/core/project.ts";
import { readPrometheusText } from "../support/assert/prometheus-text.ts";
import { startQueuedService, type QueuedService } from "../support/service/queued-service.ts";
import { rejects } from "../support/assert/rejects.ts";
import { reported } from "../support/run/reported.ts";
import { envelope, newEventId, sendEnvelope, sendEvent } from "../support/sentry/send.ts";
import type { Server } from "../support/service/server.ts";
import { until } from "../support/run/until.ts";

const onServers = natsMissing === undefined ? test : test.skip;
if (natsMissing !== undefined) console.log(`Skipped: ${natsMissing}`);

let service: QueuedService;
let server: Server;
let client: GrpcClient;

test.before(
  reported(async () => {
    if (natsMissing !== undefined) return;
    service = await startQueuedService();
    ({ server, client } = service);
  }),
);
test.after(async () => {
  await service?.stop();
});

const event = (value: string) => ({ event_id: newEventId(), exception: { values: [{ type: "Error", value }] } });

/** The project's unstored events when there are so many. */
async function unstored(projectId: number, count: number): Promise<UnstoredEvent[]> {
  return until(`${count} unstored events`, async () => {
    const answer = await client.ingest.listUnstoredEvents({ projectId }, client.auth);
    return answer.unstoredEvents.length === count && Number(answer.totalCount) === count && answer.unstoredEvents;
  });
}

/** The values of the metrics of the queue. */
async function metrics(): Promise<Record<string, number | undefined>> {
  const families = readPrometheusText((await http(`${server.url}/-/metrics`)).text);
  return Object.fromEntries(
    [...families].flatMap(([name, { samples }]) =>
      /queue_(lag|pending|connected)|dead_letters/.test(name) ? [[name, samples.get(name)]] : [],
    ),
  );
}

onServers(
  "what cannot be stored is listed with its reason and tried again, and comes back while it is at fault",
  async () => {
    const project = await createProject(server);
    const { id: projectId } = project;
    const antidote = await service.poison();
    const bad = event("poison");
    const good = event("fine");
    const text = envelope(bad.event_id, [{ type: "event" }, bad]);
    assert.is((await sendEnvelope(server, project, text)).status, 200);
    assert.is((await sendEvent(server, project, good)).status, 200);
    const [letter] = await unstored(projectId, 1);
    assert.ok(letter);
    assert.is(letter.kind, UnstoredKind.EVENT);
    assert.is(letter.title, "Error: poison");
    assert.is(letter.eventId, bad.event_id);
    assert.match(letter.reason, /poison is not stored/);
    assert.ok(letter.receivedTime && letter.givenUpTime);

    const deadLetterIds = [letter.deadLetterId];
    const elsewhere = await createProject(server);
    const other = await client.ingest.replayUnstoredEvents({ projectId: elsewhere.id, deadLetterIds }, client.auth);
    assert.is(other.acceptedCount, 0);
    const { acceptedCount, leftCount } = await client.ingest.replayUnstoredEvents({ projectId }, client.auth);
    assert.equal([acceptedCount, leftCount], [1, 0n]);
    const again = await until("it to come back", async () => {
      const [one] = await unstored(projectId, 1);
      return one && one.deadLetterId > letter.deadLetterId && one;
    });

    await antidote();
    const named = { projectId, deadLetterIds: [again.deadLetterId] };
    assert.is((await client.ingest.replayUnstoredEvents(named, client.auth)).acceptedCount, 1);
    const stored = await until("it to be stored", () =>
      client.errors.getEvent({ projectId, eventId: bad.event_id }, client.auth).catch(() => undefined),
    );
    assert.is(stored.event?.title, "Error: poison");
    await unstored(projectId, 0);
  },
);

onServers("they can be deleted by a Maintainer, tried by a Developer, seen by a Reporter", async () => {
  const project = await createProject(server);
  const { id: projectId } = project;
  const antidote = await service.poison();
  for (const value of ["poison one", "poison two"]) await sendEvent(server, project, event(value));
  const [newest] = await unstored(projectId, 2);
  await antidote();
  const reporter = await newMember(client, projectId, Role.REPORTER);
  const developer = await newMember(client, projectId, Role.DEVELOPER);
  const maintainer = await newMember(client, projectId, Role.MAINTAINER);
  const deadLetterIds = [newest?.deadLetterId ?? 0n];
  assert.is((await client.ingest.listUnstoredEvents({ projectId }, reporter)).unstoredEvents.length, 2);
  await rejects(client.ingest.replayUnstoredEvents({ projectId }, reporter), "PERMISSION_DENIED");
  await rejects(client.ingest.deleteUnstoredEvents({ projectId }, developer), "PERMISSION_DENIED");
  const { deletedCount } = await client.ingest.deleteUnstoredEvents({ projectId, deadLetterIds }, maintainer);
  assert.is(deletedCount, 1);
  assert.is((await client.ingest.replayUnstoredEvents({ projectId }, developer)).acceptedCount, 1);
  await unstored(projectId, 0);
});

onServers("what belongs to no project is listed for administrators, with the number of all", async () => {
  const project = await createProject(server);
  const antidote = await service.poison();
  await sendEvent(server, project, event("poison"));
  await unstored(project.id, 1);
  await antidote();
  const connection = await connect({ servers: service.nats.url });
  await connection.request("faultline.intake", "no message of ours", { timeout: 5_000 });
  await connection.close();
  const without = { withoutProject: true };
  const { deadLetters } = await until("the unreadable message", async () => {
    const answer = await client.instance.listDeadLetters(without, client.auth);
    return answer.totalCount === 1n && answer;
  });
  assert.equal(
    deadLetters.map(({ kind, projectId, reason }) => [kind, projectId, reason]),
    [[UnstoredKind.UNREADABLE, 0, "This is not a message of Faultline."]],
  );
  assert.is((await client.instance.listDeadLetters({}, client.auth)).totalCount, 2n);
  const health = await until(
    "the health to report both",
    async () => {
      const { health: answered } = await client.instance.getHealth({}, client.auth);
      return answered?.queue?.deadLetterCount === 2n && answered;
    },
    { deadlineMs: 10_000 },
  );
  assert.ok(health.queue?.connected && health.queue.lag?.known && health.isReady);
  assert.is((await metrics())["faultline_dead_letters"], 2);

  const { acceptedCount, failedCount } = await client.instance.replayDeadLetters({}, client.auth);
  assert.equal([acceptedCount, failedCount], [1, 1]);
  assert.is((await client.instance.deleteDeadLetters(without, client.auth)).deletedCount, 1n);
  await unstored(project.id, 0);
  const { auditEvents } = await client.audit.listAuditEvents({}, client.auth);
  assert.ok(auditEvents.some(({ summary }) => summary === "Deleted 1 dead letter."));
});

onServers("the lag grows while the database is held, is reported to every user and as a metric, and ends", async () => {
  const project = await createProject(server);
  const reader = await newMember(client, project.id, Role.GUEST);
  const lag = async () => (await client.instance.getIngestLag({}, reader)).ingestLag;
  const before = Date.now();
  assert.ok((await lag())?.known);
  const giveBack = await service.holdDatabase();
  const sent = event("held");
  assert.is((await sendEvent(server, project, sent)).status, 200);
  const answered = await until("a lag of more than 2 s", async () => {
    const one = await lag();
    return one && one.lagMilliseconds > 2_000n && one;
  });
  const storedUntil = Number(answered.storedUntilTime?.seconds ?? 0) * 1_000;
  assert.ok(storedUntil > before - 5_000 && storedUntil < Date.now(), `${storedUntil}`);
  const held = await metrics();
  assert.ok((held["faultline_queue_lag_seconds"] ?? 0) > 2);
  assert.is(held["faultline_queue_pending_messages"], 1);
  assert.is(held["faultline_queue_connected"], 1);
  await giveBack();
  await until("no lag", async () => (await lag())?.lagMilliseconds === 0n, { deadlineMs: 15_000 });
  assert.is((await metrics())["faultline_queue_lag_seconds"], 0);
  await client.errors.getEvent({ projectId: project.id, eventId: sent.event_id }, client.auth);
});

onServers("the health is reported without what a silent database would report", async () => {
  const { health: before } = await client.instance.getHealth({}, client.auth);
  assert.ok(before);
  assert.is(before.databaseUnavailable, false);
  assert.ok(before.userCount > 0);
  assert.is(before.databaseKind, DatabaseKind.POSTGRESQL);
  const show = await service.hideTable("integrated_hour");
  try {
    const { health } = await client.instance.getHealth({}, client.auth);
    assert.equal([health?.databaseUnavailable, health?.userCount, health?.queue?.connected], [true, 0, true]);
    assert.is(health?.eventsPerHour.length, 24);
  } finally {
    await show();
  }
});

onServers(
  "while the queue's servers are gone the lag is not known, and what they hold is reported as missing",
  async () => {
    const project = await createProject(server);
    await service.nats.nodes[0]?.kill9();
    const lag = await until(
      "nothing to be known",
      async () => {
        const { ingestLag } = await client.instance.getIngestLag({}, client.auth);
        return ingestLag?.known === false && ingestLag;
      },
      { deadlineMs: 15_000 },
    );
    assert.ok(lag.storedUntilTime);
    const { health } = await client.instance.getHealth({}, client.auth);
    assert.equal([health?.queue?.connected, health?.queue?.lag?.known, health?.isReady], [false, false, false]);
    const { deadLettersMissing } = await client.ingest.listUnstoredEvents({ projectId: project.id }, client.auth);
    assert.ok(deadLettersMissing);
    const gone = await metrics();
    assert.is(gone["faultline_queue_connected"], 0);
    assert.is(gone["faultline_queue_lag_seconds"], undefined);
    await rejects(client.instance.listDeadLetters({}, client.auth), "UNAVAILABLE");
    await service.nats.nodes[0]?.start();
    await until(
      "it to be known again",
      async () => {
        const { ingestLag } = await client.instance.getIngestLag({}, client.auth);
        return ingestLag?.known === true;
      },
      { deadlineMs: 15_000 },
    );
  },
);

test.run();

// limit: 300 s
// process: watches all connections that its process makes
/** All addresses of channels with which attackers could make a service call what only it can reach. */
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { NotificationDeliveryState as State, NotificationTrigger } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { nameServer } from "../../support/external/name-server.ts";
import {
  forbiddenIpv4,
  refusedAddresses,
  refusedOtherwise,
  unclearTexts,
} from "../../support/external/refused-urls.ts";
import { watchConnections } from "../../support/http/connection-attempts.ts";
import { allDeliveries, notifiedProject } from "../../support/notifications/notified-project.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { rounds } from "../../support/run/rounds.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";

// The target to protect: it accepts connections at each address of this machine, on a port that is allowed.
let visits = 0;
const inner = createServer((socket) => {
  visits += 1;
  socket.destroy();
});
inner.listen(0, "::");
await once(inner, "listening");
const { port } = inner.address() as AddressInfo;
const other = await receiver();

/** Leads to the receiver at first, and from then on where an attacker wants. */
let looks = 0;
const flipped = "169.254.169.254";
const names = await nameServer((name, type) => {
  if (name === "private.test") return { records: [["A", "10.0.0.1"]] };
  if (name !== "flip.test" || type !== "A") return undefined;
  return { records: [["A", looks++ === 0 ? "127.0.0.1" : flipped]] };
});

/** Minutes pass quickly, so that five tests a minute are no limit. */
const clock = { at: Date.UTC(2026, 0, 10, 12), now: () => (clock.at += 1_000) };

async function running(networks: string[]) {
  const dataDir = tempDir();
  const config = {
    ...testConfig(dataDir),
    outbound: { networks, ports: [port, other.port] },
    logLevel: "silent" as const,
  };
  const faultline = await startFaultline(config, clock, { nameServers: [names.address] });
  const client = grpcClient(faultline);
  test.after(async () => {
    client.close();
    await faultline.stop();
  });
  return { client, url: faultline.httpUrl, faultline };
}

const strict = await running([]);
const open = await running(["127.0.0.0/8"]);
test.after(() => {
  names.close();
  inner.close();
});

const isPort = /:\d+$/;
const atPort = (url: string) => (isPort.test(url.replace(/\[.*\]/, "")) ? url : `${url}:${port}`);
const corpus = [...new Set([...refusedAddresses.map(atPort), ...refusedOtherwise, `http://private.test:${port}`])];
/**
 * Each of them in the long run, which waits 200 s for answers that do not come; in the short one, and on PostgreSQL, which has no
 * part in the decision, some of each form.
 */
const step = rounds({ short: 29, long: process.env["TEST_DATABASE"] === "postgresql" ? 5 : 1, all: 1 });
const lanes = 48;

test("a channel without a public address is refused or fails alike, without a connection attempt", async () => {
  const { client, faultline } = strict;
  const urls = [...corpus, faultline.httpUrl].filter((_, n) => n % step === 0);
  const targets = await Promise.all(
    Array.from({ length: Math.min(lanes, urls.length) }, () =>
      notifiedProject(strict, {
        channels: [{ kind: "webhook", fields: { url: "https://hooks.example.com/x" } }],
        rules: [],
      }),
    ),
  );
  await client.projects.listProjects({}, client.auth);
  const ofTheTest = new Set([new URL(faultline.httpUrl).host, faultline.grpcAddress]);
  const watch = watchConnections();
  const answers = new Set<string>();
  const lane = async ({ id: projectId, channelIds: [channelId = 0] }: (typeof targets)[number]) => {
    for (let url = urls.pop(); url !== undefined; url = urls.pop()) {
      await client.notificationChannels.updateNotificationChannel(
        { projectId, channelId, fields: { url } },
        client.auth,
      );
      const { accepted, httpStatus, answer } = await client.notificationChannels.testNotificationChannel(
        { projectId, channelId },
        client.auth,
      );
      answers.add(JSON.stringify([accepted, httpStatus, answer]));
    }
  };
  await Promise.all(targets.map(lane));
  watch.stop();
  assert.equal(
    watch.attempts.filter((attempt) => !ofTheTest.has(attempt)),
    [],
  );
  assert.is(visits, 0);
  assert.equal([...answers], ['[false,0,"The address was not found, or connections to it are blocked."]']);
});

test("texts that are no clear address are refused when they are entered, or lead nowhere", async () => {
  const { client, faultline } = strict;
  const { id: projectId } = await notifiedProject(strict, { channels: [], rules: [] });
  const ofTheTest = new Set([new URL(faultline.httpUrl).host, faultline.grpcAddress]);
  const watch = watchConnections();
  let taken = 0;
  for (const [n, url] of unclearTexts.entries()) {
    const given = { projectId, kind: "webhook", name: `Odd ${n}`, fields: { url } };
    const made = await client.notificationChannels
      .createNotificationChannel(given, client.auth)
      .catch((error: Error) => error);
    if (made instanceof Error) continue;
    taken += 1;
    const named = { projectId, channelId: made.channel?.channelId ?? 0 };
    const isTried = taken % step === 0;
    const tried = isTried && (await client.notificationChannels.testNotificationChannel(named, client.auth));
    assert.ok(!tried || !tried.accepted, url);
    await client.notificationChannels.deleteNotificationChannel(named, client.auth);
  }
  watch.stop();
  assert.equal(
    watch.attempts.filter((attempt) => !ofTheTest.has(attempt)),
    [],
  );
  assert.is(visits, 0);
});

test("a name that leads to a metadata service from the second look on is called once, where it led at first", async () => {
  const { client } = open;
  const { id: projectId, channelIds } = await notifiedProject(open, {
    channels: [{ kind: "webhook", fields: { url: `http://flip.test:${other.port}/flip` } }],
    rules: [],
  });
  const named = { projectId, channelId: channelIds[0] ?? 0 };
  assert.is((await client.notificationChannels.testNotificationChannel(named, client.auth)).accepted, true);
  const watch = watchConnections();
  const second = await client.notificationChannels.testNotificationChannel(named, client.auth);
  watch.stop();
  assert.equal([second.accepted, second.httpStatus], [false, 0]);
  assert.not.ok(watch.attempts.some((attempt) => forbiddenIpv4.some((address) => attempt.startsWith(address))));
  assert.is(other.received.filter(({ path }) => path === "/flip").length, 1);
});

test("a server that redirects a message to this machine is not followed, and its answer from a private network is not shown", async () => {
  const { client } = open;
  const project = await notifiedProject(open, {
    channels: [{ kind: "webhook", fields: { url: `${other.url}/away` } }],
    rules: [{ triggers: [NotificationTrigger.CREATED], channels: [0] }],
  });
  other.answers({
    status: 307,
    headers: { location: `http://127.0.0.1:${port}/` },
    body: "the secret of an inner page",
  });
  await sendEvent(open, project, { event_id: newEventId(), message: "redirected" });
  const [delivery] = await until("it has failed", async () => {
    const deliveries = await allDeliveries(client, project.id);
    return deliveries[0]?.state === State.FAILED && deliveries;
  });
  assert.is(visits, 0);
  assert.equal(
    delivery?.attempts.map(({ httpStatus, answer }) => [httpStatus, answer]),
    [[307, "27 bytes"]],
  );
});

test.run();

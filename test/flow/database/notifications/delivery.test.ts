/** How messages get through to servers that are down, slow to take them, or gone. */
import {
  NotificationChannelState,
  NotificationDeliveryState as State,
  NotificationTrigger,
  type NotificationChannel,
} from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { allDeliveries, notifiedProject, type GivenChannel } from "../../../support/notifications/notified-project.ts";
import { receiver } from "../../../support/notifications/receiver.ts";
import { until } from "../../../support/run/until.ts";
import { newEventId, sendEvent, type Target } from "../../../support/sentry/send.ts";
import { dayMs, hourMs, movableFaultline } from "../../../support/service/movable-faultline.ts";

const other = await receiver();
const second = await receiver();
const everywhere = await receiver("0.0.0.0");
const { client, faultline, clock } = await movableFaultline({
  outbound: { networks: ["127.0.0.0/8"], ports: [other.port, second.port, everywhere.port, 1] },
  logLevel: "silent",
});
const service = { client, url: faultline.httpUrl };
const minuteMs = 60_000;

const withChannels = (...channels: GivenChannel[]) =>
  notifiedProject(service, {
    channels,
    rules: [{ triggers: [NotificationTrigger.CREATED], channels: channels.map((_, n) => n) }],
  });

let hooks = 0;

/** A channel with a separate address, and the requests to it. */
function hookAt({ url, received }: typeof other, kind = "webhook") {
  const path = `/hook-${++hooks}`;
  return {
    channel: { kind, fields: { url: `${url}${path}` } },
    got: () => received.filter((one) => one.path === path),
  };
}

const wordOf = (n: number) => "abcdefghijklmnopqrstuvwxyz"[n] ?? "";
const send = (project: Target, message: string) => sendEvent(service, project, { event_id: newEventId(), message });

/** Lets time pass in steps until the condition holds. */
const passUntil = (what: string, condition: () => boolean | Promise<boolean>, stepMs = 1_000) =>
  until(
    what,
    async () => {
      clock.at += stepMs;
      return condition();
    },
    { deadlineMs: 30_000 },
  );

const channelsOf = async ({ id }: Target): Promise<NotificationChannel[]> =>
  (await client.notificationChannels.listNotificationChannels({ projectId: id }, client.auth)).channels;

const titlesOf = (got: ReturnType<typeof hookAt>["got"]) =>
  got().map(({ body }) => JSON.parse(body).data.title as string);

test("all webhooks of three days during which a server was down arrive in their order, one a second", async () => {
  const { channel, got } = hookAt(other);
  const project = await withChannels(channel);
  other.answers({ status: 503 });
  const titles = Array.from({ length: 6 }, (_, n) => `outage ${wordOf(n)}`);
  for (const [n, title] of titles.entries()) {
    await send(project, title);
    await until("it waits", async () => (await allDeliveries(client, project.id)).length === n + 1);
    clock.at += 11 * minuteMs; // so that the channel has budget for the next one
  }
  const end = clock.at + 3 * dayMs;
  await passUntil("three days", () => clock.at >= end, hourMs);
  const failed = got().length;
  assert.ok(failed >= 5 && failed <= 10, `${failed} tries in three days`);
  const ids = new Set(got().map(({ headers }) => headers["webhook-id"]));
  assert.is(ids.size, 1, "the first one holds the others up");
  const times: number[] = [];
  other.answers(() => {
    times.push(clock.at);
    return { status: 200 };
  });
  await passUntil("the server is tried", () => times.length > 0, hourMs);
  await passUntil("all are there", () => times.length === titles.length, 250);
  assert.equal(titlesOf(got).slice(failed), titles);
  for (const [n, time] of times.entries()) assert.ok(n === 0 || time - (times[n - 1] ?? 0) >= 1_000, times.join());
  other.answers({ status: 200 });
});

test("a channel that answers 429 with 30 seconds is not called before", async () => {
  const { channel, got } = hookAt(other, "slack");
  const project = await withChannels(channel);
  other.answers({ status: 429, headers: { "retry-after": "30" } });
  await send(project, "too many");
  await until("it was called", () => got().length === 1);
  const [asked] = await until("it waits", async () => {
    const found = await channelsOf(project);
    return (found[0]?.failedTries ?? 0) > 0 && found;
  });
  assert.ok(Number(asked?.nextTryTime?.seconds ?? 0n) * 1_000 >= clock.at + 29_000);
  const called = clock.at;
  other.answers({ status: 200 });
  await passUntil("it is called again", () => got().length === 2, 500);
  assert.ok(clock.at - called >= 30_000, `${clock.at - called} ms`);
});

test("a deleted Discord webhook disables its channel immediately, and other channels continue", async () => {
  const gone = hookAt(other, "discord");
  const there = hookAt(other);
  const project = await withChannels(gone.channel, there.channel);
  other.answers(({ path }) => ({ status: path.startsWith(new URL(gone.channel.fields.url).pathname) ? 404 : 200 }));
  await send(project, "who is there");
  await passUntil("the other one has it", () => there.got().length === 1);
  await passUntil("it is disabled", async () => {
    const [first] = await channelsOf(project);
    return first?.state === NotificationChannelState.DISABLED;
  });
  clock.at += hourMs;
  await send(project, "who is still there");
  await passUntil("the other one has it too", () => there.got().length === 2);
  assert.is(other.received.filter(({ path }) => path.startsWith(new URL(gone.channel.fields.url).pathname)).length, 1);
  other.answers({ status: 200 });
});

test("a redirect is not followed, and its message is not sent again", async () => {
  const { channel, got } = hookAt(other);
  const project = await withChannels(channel);
  const before = second.received.length;
  other.answers({ status: 302, headers: { location: `${second.url}/inner` } });
  await send(project, "moved");
  await passUntil("it is over", async () => (await allDeliveries(client, project.id))[0]?.state === State.FAILED);
  other.answers({ status: 200 });
  assert.equal([got().length, second.received.length], [1, before]);
});

test("a message to a chat on an unreachable server did not arrive: it is tried until the server is reachable", async () => {
  const project = await withChannels({ kind: "slack", fields: { url: "http://127.0.0.1:1/hook" } });
  await send(project, "to a dead server");
  const tries = async () => (await allDeliveries(client, project.id))[0]?.attempts.length ?? 0;
  await passUntil("three tries", async () => (await tries()) >= 3, minuteMs);
  assert.is((await allDeliveries(client, project.id))[0]?.state, State.PENDING);
});

test("the channels of a failing server wait together, with one try a minute, and continue together", async () => {
  const failing = Array.from({ length: 6 }, () => hookAt(second));
  const working = hookAt(other);
  const projects = [
    await withChannels(...failing.slice(0, 3).map(({ channel }) => channel), working.channel),
    await withChannels(...failing.slice(3).map(({ channel }) => channel)),
  ] as const;
  const calls = () => failing.reduce((sum, { got }) => sum + got().length, 0);
  second.answers({ status: 503 });
  for (const project of projects) await send(project, "is anybody there");
  await until("each was called once", () => calls() === failing.length);
  const server = `127.0.0.1:${second.port}`;
  const shown = async () =>
    (await Promise.all(projects.map(channelsOf))).flat().map(({ failingServer }) => failingServer);
  await until("all show that the server fails", async () => {
    return (await shown()).filter((one) => one === server).length === failing.length;
  });
  assert.is((await shown()).filter((one) => one === "").length, 1);

  // Each channel by itself would try again after five seconds.
  clock.at += 20_000;
  await send(projects[0], "somebody is");
  await until("another server gets its message", () => working.got().length === 2);
  assert.is(calls(), failing.length);
  for (const tries of [1, 2]) {
    await passUntil("one of them tries", () => calls() > failing.length + tries - 1);
    clock.at += 20_000;
    await send(projects[0], `and ${wordOf(tries)}`);
    await until("another server gets its message", () => working.got().length === 2 + tries);
    assert.is(calls(), failing.length + tries);
  }

  second.answers({ status: 200 });
  const isSent = async () =>
    (await Promise.all(projects.map(({ id }) => allDeliveries(client, id))))
      .flat()
      .every(({ state }) => state === State.SENT);
  await passUntil("all messages are sent", isSent, 5_000);
  assert.ok((await shown()).every((one) => one === ""));
});

test("80 webhooks of others on servers that do not answer delay no message to a server that does", async () => {
  const { channel, got } = hookAt(other);
  other.answers({ status: 200 });
  const project = await withChannels(channel);
  everywhere.answers("hang");
  const projects: Target[] = [];
  for (let n = 0; n < 4; n++) {
    const url = (m: number) => `http://127.1.${n}.${m + 1}:${everywhere.port}/`;
    projects.push(
      await withChannels(...Array.from({ length: 20 }, (_, m) => ({ kind: "webhook", fields: { url: url(m) } }))),
    );
  }
  clock.at += 1_000; // they are due for longer than the channel that has just sent
  await send(project, "the first");
  await until("its server is known", () => got().length === 1);
  clock.at += 1_000;
  const calls = () => everywhere.received.length;
  await Promise.all(projects.map((one) => send(one, "all at once")));
  await until("many wait for an answer", () => calls() >= 12);
  await send(project, "the second");
  await until("its message", () => got().length === 2, { deadlineMs: 30_000 });
  assert.ok(calls() < 40, `${calls()} of 80 were tried before it`);
});

test.run();

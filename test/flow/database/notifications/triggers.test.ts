// limit: 240 s
/** The triggers of rules besides changes of errors, through public interfaces, by moving the clock. */
import { randomBytes } from "node:crypto";
import { timestamp } from "@faultline/plugin";
import {
  ErrorStatus,
  NotificationSpikeUnit,
  NotificationSuppressionReason as Reason,
  NotificationTrigger as Trigger,
} from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { rejects } from "../../../support/assert/rejects.ts";
import { createProject } from "../../../support/core/project.ts";
import { receiver } from "../../../support/notifications/receiver.ts";
import { rest } from "../../../support/rest/rest.ts";
import { until } from "../../../support/run/until.ts";
import { newEventId, sendEvent, type Target } from "../../../support/sentry/send.ts";
import { dayMs, hourMs, movableFaultline } from "../../../support/service/movable-faultline.ts";

const other = await receiver();
const broken = await receiver();
broken.answers({ status: 410 });
const { client, faultline, clock } = await movableFaultline({
  outbound: { networks: ["127.0.0.0/8"], ports: [other.port, broken.port] },
  logLevel: "silent",
});
const service = { url: faultline.httpUrl };
const { UNSPECIFIED, BACKEND_FAILING, ANNOUNCED } = Trigger;
const all = Object.values(Trigger).filter(
  (one) => ![UNSPECIFIED, BACKEND_FAILING, ANNOUNCED].some((absent) => absent === one),
);

let projects = 0;

interface Draft {
  readonly triggers: Trigger[];
  readonly filter?: string;
  readonly spike?: { count: number; windowMinutes: number; unit?: NotificationSpikeUnit };
}

interface Body {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown> & { lines: unknown[] };
}

/** A project with a webhook and a rule. */
async function notified(draft: Draft, more: { projectId?: number } = {}) {
  projects += 1;
  const path = `triggered-${projects}`;
  const target = await createProject(service, { name: path, path });
  const projectId = more.projectId ?? target.id;
  const channelId = await addChannel(projectId, `${other.url}/${path}`);
  const rule = { name: "Rule", enabled: true, channelIds: [channelId], ...draft };
  await client.notificationRules.createNotificationRule({ projectId, rule }, client.auth);
  const got = (type?: string) =>
    other.received
      .filter(({ path: at }) => at === `/${path}`)
      .map(({ body }) => JSON.parse(body) as Body)
      .filter((message) => type === undefined || message.type === type);
  return { ...target, projectId, channelId, rule, got };
}

async function addChannel(projectId: number, url: string, name = "Hook"): Promise<number> {
  const { channel } = await client.notificationChannels.createNotificationChannel(
    { projectId, kind: "webhook", name, fields: { url } },
    client.auth,
  );
  return channel?.channelId ?? 0;
}

const send = (project: Target, message: string, more: object = {}) =>
  sendEvent(service, project, { event_id: newEventId(), message, ...more });

/** Lets time pass in steps, with what happens in each, until a condition holds. */
const pass = (
  awaited: string,
  stepMs: number,
  condition: () => boolean | Promise<boolean>,
  each?: () => Promise<unknown>,
) =>
  until(
    awaited,
    async () => {
      clock.at += stepMs;
      await each?.();
      return condition();
    },
    { deadlineMs: 30_000 },
  );

const suppressionsOf = async (projectId: number) =>
  (await client.notificationDeliveries.listNotificationSuppressions({ projectId }, client.auth)).suppressions;

const errorsOf = async (projectId: number) =>
  (await client.errors.listErrors({ projectId, pageSize: 100 }, client.auth)).errors;

async function setStatus(projectId: number, title: string, status: ErrorStatus) {
  const error = (await errorsOf(projectId)).find((one) => one.title === title);
  assert.ok(error, title);
  const changes = [{ errorId: error.errorId, status }];
  await client.errors.updateErrors({ projectId, changes }, client.auth);
  return error.errorId;
}

test("a spike is reported at its beginning and at its end, and not in between", async () => {
  const project = await notified({ triggers: [Trigger.SPIKE], spike: { count: 8, windowMinutes: 10 } });
  await pass(
    "the spike",
    5_000,
    () => project.got().length > 0,
    () => send(project, "bursting"),
  );
  await pass(
    "more events",
    20_000,
    () => other.received.length > 0,
    () => send(project, "bursting"),
  );
  await pass("the end of the spike", 30_000, () => project.got().length > 1);
  assert.equal(
    project.got().map(({ type, data }) => [type, data["title"]]),
    [
      ["error.spike", "bursting"],
      ["error.spike_over", "bursting"],
    ],
  );
  await pass(
    "a second spike",
    5_000,
    () => project.got().length > 2,
    () => send(project, "bursting"),
  );
  assert.is(project.got()[2]?.type, "error.spike");
});

test("two rules with separate limits report the same spike to the same channel, each once", async () => {
  const project = await notified({ triggers: [Trigger.SPIKE], spike: { count: 2, windowMinutes: 10 } });
  const rule = { ...project.rule, name: "Wide", spike: { count: 2, windowMinutes: 60 } };
  await client.notificationRules.createNotificationRule({ projectId: project.projectId, rule }, client.auth);
  await pass(
    "both messages",
    5_000,
    () => project.got("error.spike").length > 1,
    () => send(project, "twice over"),
  );
  await pass("both ends", 30_000, () => project.got("error.spike_over").length > 1);
  assert.is(project.got().length, 4);
});

test("a spike of users counts distinct users", async () => {
  const spike = { count: 3, windowMinutes: 60, unit: NotificationSpikeUnit.USERS };
  const project = await notified({ triggers: [Trigger.SPIKE], spike });
  const control = await notified({
    triggers: [Trigger.SPIKE],
    spike: { ...spike, unit: NotificationSpikeUnit.EVENTS },
  });
  const one = () => send(project, "of one user", { user: { id: "ann" } });
  await pass(
    "events of one user",
    5_000,
    () => control.got().length > 0,
    async () => {
      await one();
      await send(control, "of one user", { user: { id: "ann" } });
    },
  );
  assert.is(project.got().length, 0);
  let n = 0;
  await pass(
    "users",
    5_000,
    () => project.got().length > 0,
    () => send(project, "of many", { user: { id: `user-${n++}` } }),
  );
  assert.equal(project.got()[0]?.data["title"], "of many");
});

test("an ignored error sends nothing for any trigger, while the others of its project do", async () => {
  const project = await notified({ triggers: all, spike: { count: 8, windowMinutes: 10 } });
  await send(project, "ignored");
  await pass("the first message", 1_000, () => project.got("error.created").length === 1);
  const ignoredId = await setStatus(project.projectId, "ignored", ErrorStatus.IGNORED);
  await pass("its status", 1_000, () => project.got("error.ignored").length === 1); // that a person did this is reported
  const before = project.got().length;
  const both = async () => {
    await send(project, "ignored", { release: "late@1" });
    await send(project, "watched");
  };
  await pass(
    "spike and milestone of the other",
    5_000,
    () => ["error.spike", "error.milestone"].every((type) => project.got(type).length > 0),
    both,
  );
  assert.equal(
    project
      .got()
      .slice(before)
      .filter(({ data }) => data["error_id"] === ignoredId),
    [],
  );
});

test("a resolved error that comes back is reported once, however many events bring it", async () => {
  const project = await notified({ triggers: [Trigger.REOPENED, Trigger.MILESTONE] });
  await send(project, "again and again");
  await setStatus(project.projectId, "again and again", ErrorStatus.RESOLVED);
  await Promise.all(Array.from({ length: 5 }, () => send(project, "again and again")));
  await pass(
    "its tenth event since",
    5_000,
    () => project.got("error.milestone").length > 0,
    () => send(project, "again and again"),
  );
  assert.equal(
    project.got().map(({ type }) => type),
    ["error.reopened", "error.milestone"],
  );
});

test("the first new error of a release is reported, and no second one, nor a release that was there before the rule", async () => {
  const project = await notified({ triggers: [Trigger.CREATED] });
  await send(project, "before", { release: "shop@1" });
  await pass("the first error", 1_000, () => project.got().length === 1);
  const { rule, projectId } = project;
  const triggers = [Trigger.RELEASE];
  await client.notificationRules.createNotificationRule(
    { projectId, rule: { ...rule, name: "Releases", triggers } },
    client.auth,
  );
  await send(project, "another of one", { release: "shop@1" });
  await send(project, "first of two", { release: "shop@2" });
  await send(project, "second of two", { release: "shop@2" });
  await pass(
    "all messages",
    1_000,
    () => project.got("error.created").length === 4 && project.got("error.release").length > 0,
  );
  assert.equal(
    project.got("error.release").map(({ data }) => data["title"]),
    ["first of two"],
  );
});

test("refused events are reported once an hour, with the reason", async () => {
  const project = await notified({ triggers: [Trigger.REFUSED] });
  const key = `/projects/${project.id}/error_tracking/client_keys/${project.keyId}`;
  assert.is((await rest(service, `PUT ${key}`, { body: { active: false } })).status, 200);
  const refuse = async () => assert.is((await send(project, "refused")).status, 403);
  clock.at = (Math.floor(clock.at / hourMs) + 1) * hourMs; // the next look is in the hour of the event
  await refuse();
  await pass("the report", 61_000, () => project.got().length > 0);
  assert.match(String(project.got()[0]?.data["title"]), "a disabled client key");
  assert.is(project.got()[0]?.data["error_id"], "");
  await pass("the next hour's report", 300_000, () => project.got().length > 1, refuse);
  const hours = project.got().map((report) => Math.floor(Date.parse(report.timestamp) / hourMs));
  assert.ok((hours[1] ?? 0) > (hours[0] ?? Number.NaN), hours.join());
});

test("a limit is reported at 80 % and when it is reached", async () => {
  const project = await notified({ triggers: [Trigger.QUOTA_NEAR, Trigger.QUOTA_REACHED] });
  const { projectId } = project;
  await client.quotas.updateQuota({ projectId, dayLimitBytes: 1_000_000n, keptLimitBytes: 0n }, client.auth);
  const noisy = (bytes: number) => send(project, "large", { extra: { noise: randomBytes(bytes).toString("base64") } });
  clock.at += dayMs - (clock.at % dayMs) + hourMs; // a whole day is left
  for (let n = 0; n < 8; n++) await noisy(81_000);
  await pass(
    "the limit nearly reached",
    61_000,
    () => project.got().length > 0,
    async () => {
      if (project.got().length === 0) await noisy(1_000);
    },
  );
  await pass(
    "the limit reached",
    61_000,
    () => project.got().length > 1,
    () => noisy(60_000),
  );
  assert.equal(
    project.got().map(({ type }) => type),
    ["project.quota_near", "project.quota_reached"],
  );
  assert.match(
    String(project.got()[0]?.data["title"]),
    /^0\.8 MB of the 1 MB that can be received per day \(8\d %\)\.$|MB of the 1 MB/,
  );
});

test("a channel that is disabled is reported to the others of the rule, and not to itself", async () => {
  const project = await notified({ triggers: [Trigger.CREATED] });
  const { projectId, rule } = project;
  const brokenId = await addChannel(projectId, `${broken.url}/gone`, "Old chat");
  const channelIds = [brokenId, project.channelId];
  const triggers = [Trigger.CREATED, Trigger.CHANNEL_FAILING];
  await client.notificationRules.createNotificationRule(
    { projectId, rule: { ...rule, name: "Both", triggers, channelIds } },
    client.auth,
  );
  await send(project, "to a channel that is gone");
  await pass("the report", 30_000, () => project.got("channel.failing").length > 0);
  assert.match(String(project.got("channel.failing")[0]?.data["title"]), "Old chat: ");
  assert.is(broken.received.length, 1);
});

test("in a maintenance window nothing is sent, everything is counted, and afterwards the next change is sent", async () => {
  const project = await notified({ triggers: [Trigger.CREATED] });
  const { projectId } = project;
  const window = `/projects/${projectId}/error_tracking/notification_maintenance`;
  const ends = new Date(clock.at + hourMs).toISOString();
  const { status, json } = await rest(service, `PUT ${window}`, { body: { ends_at: ends } });
  assert.equal([status, (json as { ends_at: string }).ends_at], [200, ends]);
  await send(project, "while we deploy");
  await pass("the count", 1_000, async () => (await suppressionsOf(projectId)).length > 0);
  const [counted] = await suppressionsOf(projectId);
  assert.equal([counted?.reason, counted?.trigger, counted?.count], [Reason.MAINTENANCE, Trigger.CREATED, 1]);
  clock.at += hourMs;
  await send(project, "after it");
  await pass("the message", 1_000, () => project.got().length > 0);
  assert.equal(
    project.got().map(({ data }) => data["title"]),
    ["after it"],
  );
  assert.is(
    (await client.notificationMaintenance.getNotificationMaintenance({ projectId }, client.auth)).maintenance,
    undefined,
  );
});

test("a maintenance window of more than seven days, or in the past, is refused with words, and an end ends it", async () => {
  const { projectId } = await notified({ triggers: [Trigger.CREATED] });
  const set = (from: number, to: number) =>
    client.notificationMaintenance.setNotificationMaintenance(
      { projectId, startTime: timestamp(clock.at + from), endTime: timestamp(clock.at + to) },
      client.auth,
    );
  assert.match((await rejects(set(0, 7 * dayMs + 60_000), "INVALID_ARGUMENT")).message, "at most 7 days");
  assert.match((await rejects(set(-hourMs, hourMs), "INVALID_ARGUMENT")).message, "cannot begin in the past");
  assert.match((await rejects(set(hourMs, hourMs), "INVALID_ARGUMENT")).message, "must end after it begins");
  assert.is((await set(0, 7 * dayMs)).maintenance?.setBy, "root");
  await client.notificationMaintenance.endNotificationMaintenance({ projectId }, client.auth);
  assert.is(
    (await client.notificationMaintenance.getNotificationMaintenance({ projectId }, client.auth)).maintenance,
    undefined,
  );
});

test("a clock that goes an hour back or a day ahead reports no spike, and loses no new error", async () => {
  const spike = { count: 100, windowMinutes: 60 };
  const project = await notified({ triggers: [Trigger.CREATED, Trigger.SPIKE], spike });
  const beacon = await notified({ triggers: [Trigger.SPIKE], spike: { count: 2, windowMinutes: 1 } });
  // Checks deliveries, because a channel that has just sent waits until the clock is where it was.
  const madeFor = async ({ projectId }: { projectId: number }) =>
    (await client.notificationDeliveries.listNotificationDeliveries({ projectId }, client.auth)).deliveries.map(
      ({ title }) => title,
    );
  let looks = 0;
  /** Some minutes in which both projects are looked at. */
  const minutes = async () => {
    const title = `beacon ${"abc"[looks++]}`;
    await pass(
      "a look",
      5_000,
      async () => (await madeFor(beacon)).includes(`Spike: ${title}`),
      () => Promise.all([send(beacon, title), send(beacon, title)]),
    );
  };
  const steady = (count: number) => Promise.all(Array.from({ length: count }, () => send(project, "steady")));
  await steady(60);
  await minutes();
  clock.at -= hourMs;
  await steady(20);
  await minutes();
  await send(project, "after the jump back");
  clock.at += hourMs + dayMs;
  await steady(20);
  await minutes();
  await send(project, "after the jump ahead");
  await pass("the new errors", 1_000, async () => (await madeFor(project)).length === 3);
  assert.equal((await madeFor(project)).toReversed(), [
    "New error: steady",
    "New error: after the jump back",
    "New error: after the jump ahead",
  ]);
});

test("the rule form gets the triggers that a project cannot have, with a reason, and the usual numbers", async () => {
  const project = await notified({ triggers: [Trigger.CREATED] });
  for (let i = 0; i < 3; i++) await send(project, "usual");
  const { projectId } = project;
  const { triggers, usual } = await client.notificationRules.listNotificationTriggers({ projectId }, client.auth);
  const failing = triggers.find(({ trigger }) => trigger === Trigger.BACKEND_FAILING);
  assert.equal([failing?.allowed, failing?.reason.startsWith("The project's errors are stored here")], [false, true]);
  assert.equal([usual?.errorMost, usual?.busiestTitle], [3, "usual"]);
  const create = (rule: object) =>
    client.notificationRules.createNotificationRule(
      { projectId, rule: { ...project.rule, name: "New", ...rule } },
      client.auth,
    );
  const refused = async (rule: object) => (await rejects(create(rule), "INVALID_ARGUMENT")).message;
  assert.match(await refused({ triggers: [Trigger.BACKEND_FAILING] }), "stored here");
  assert.match(await refused({ triggers: [Trigger.SPIKE] }), "Enter how many events or users");
  const spike = (count: number, windowMinutes: number) => ({
    triggers: [Trigger.SPIKE],
    spike: { count, windowMinutes },
  });
  assert.match(await refused(spike(0, 10)), "1 to 1,000,000 events");
  assert.match(await refused(spike(5, 1_441)), "24 hours");
  assert.match(await refused(spike(5, 150)), "multiple of 60");
});

test.run();

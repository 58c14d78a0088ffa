/** Notifications through the public doors: an event comes in by the DSN, a signed message goes out to a real receiver. */
import {
  ErrorStatus,
  NotificationChannelState,
  NotificationDeliveryState,
  NotificationSuppressionReason as Reason,
  NotificationTrigger,
  Role,
} from "@faultline/proto";
import { Webhook } from "standardwebhooks";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../../support/core/project.ts";
import { newMember } from "../../../support/core/person.ts";
import { receiver } from "../../../support/notifications/receiver.ts";
import { rejects } from "../../../support/assert/rejects.ts";
import { until } from "../../../support/run/until.ts";
import { hourMs, movableFaultline } from "../../../support/service/movable-faultline.ts";
import { newEventId, sendEvent, type Target } from "../../../support/sentry/send.ts";

const other = await receiver();
const { client, faultline, clock } = await movableFaultline({
  outbound: { networks: ["127.0.0.0/8"], ports: [other.port] },
  logLevel: "silent",
});
const service = { url: faultline.httpUrl };
const { CREATED, REOPENED, STATUS } = NotificationTrigger;

let projects = 0;

/** A project with a webhook and a rule that reports everything. */
async function notified(rule: { filter?: string; triggers?: NotificationTrigger[]; note?: string } = {}) {
  projects += 1;
  const path = `notified-${projects}`;
  const target = await createProject(service, { name: path, path });
  const projectId = target.id;
  const url = `${other.url}/hook-of-${path}-very-secret`;
  const { channel, signingSecret } = await client.notificationChannels.createNotificationChannel(
    { projectId, kind: "webhook", name: "Hook", fields: { url } },
    client.auth,
  );
  const channelId = channel?.channelId ?? 0;
  await client.notificationRules.createNotificationRule(
    {
      projectId,
      rule: { name: "All", enabled: true, triggers: [CREATED, REOPENED, STATUS], channelIds: [channelId], ...rule },
    },
    client.auth,
  );
  const got = () => other.received.filter(({ path: at }) => at === new URL(url).pathname);
  return { ...target, path, projectId, channelId, signingSecret, url, got };
}

const send = (project: Target, message: string, more: object = {}) =>
  sendEvent(service, project, { event_id: newEventId(), message, ...more });

/** Lets the clock of the service pass what a channel waits between two messages. */
const waitFor = async (condition: () => boolean | Promise<boolean>, stepMs = 1_000) =>
  until("the notification", async () => {
    clock.at += stepMs;
    return condition();
  });

const deliveriesOf = async (projectId: number) =>
  (await client.notificationDeliveries.listNotificationDeliveries({ projectId }, client.auth)).deliveries;

const suppressionsOf = async (projectId: number) =>
  (await client.notificationDeliveries.listNotificationSuppressions({ projectId }, client.auth)).suppressions;

test("a new error reaches a webhook, signed so that the reference library of Standard Webhooks accepts it", async () => {
  const project = await notified({ note: "Runbook: https://wiki.example.com/pay" });
  await send(project, "the payment failed", { level: "fatal", release: "shop@2.0.0" });
  await waitFor(() => project.got().length > 0);
  const [message] = project.got();
  assert.ok(message);
  const { headers, body } = message;
  const at = Number(headers["webhook-timestamp"]) * 1000;
  assert.ok(Math.abs(clock.at - at) < 120_000);
  // The library compares with the machine's clock, which is not the service's here.
  const now = Date.now;
  Date.now = () => at;
  try {
    assert.ok(new Webhook(project.signingSecret).verify(body, headers));
    assert.throws(() => new Webhook(project.signingSecret).verify(body.replace("payment", "Payment"), headers));
  } finally {
    Date.now = now;
  }
  const { type, version, data } = JSON.parse(body);
  assert.equal([type, version, data.headline, data.project], ["error.created", 1, "New error", project.path]);
  assert.equal([data.title, data.level], ["the payment failed", "fatal"]);
  assert.equal(data.note, "Runbook: https://wiki.example.com/pay");
  assert.match(data.url, new RegExp(`/${project.path}/-/error_tracking/\\d+/details$`));
  await waitFor(async () => (await deliveriesOf(project.projectId))[0]?.state === NotificationDeliveryState.SENT);
});

test("a second event of the error sends nothing, and its return after a resolve sends one message", async () => {
  const project = await notified();
  await send(project, "again");
  await waitFor(() => project.got().length === 1);
  await send(project, "again");
  const { errors } = await client.errors.listErrors({ projectId: project.projectId }, client.auth);
  const changes = errors.map(({ errorId }) => ({ errorId, status: ErrorStatus.RESOLVED }));
  await client.errors.updateErrors({ projectId: project.projectId, changes }, client.auth);
  await waitFor(() => project.got().length === 2);
  await send(project, "again");
  await waitFor(() => project.got().length === 3);
  assert.equal(
    project.got().map(({ body }) => JSON.parse(body).type),
    ["error.created", "error.resolved", "error.reopened"],
  );
});

test("an error that does not match the filter is counted as filtered, and one that is ignored as ignored", async () => {
  const project = await notified({ filter: "level:fatal", triggers: [CREATED] });
  await send(project, "a small thing", { level: "warning" });
  await send(project, "a large thing", { level: "fatal" });
  await waitFor(() => project.got().length === 1);
  assert.is(JSON.parse(project.got()[0]?.body ?? "{}").data.title, "a large thing");
  await waitFor(async () => (await suppressionsOf(project.projectId)).length === 1);
  const [suppressed] = await suppressionsOf(project.projectId);
  assert.equal([suppressed?.reason, suppressed?.trigger, suppressed?.count], [Reason.FILTERED, CREATED, 1]);
});

test("a storm sends five messages and one digest in ten minutes, every change is in one of them, and what was ignored meanwhile is not listed", async () => {
  const project = await notified({ triggers: [CREATED] });
  const count = 40;
  for (let n = 0; n < count; n++)
    await send(project, `storm ${"abcdefghijklmnopqrstuvwxyz"[n % 26]}${n < 26 ? "x" : "y"}`);
  const { errors } = await client.errors.listErrors({ projectId: project.projectId, pageSize: 100 }, client.auth);
  await waitFor(() => project.got().length === 5);
  const sent = new Set(project.got().map(({ body }) => JSON.parse(body).data.title));
  const held = errors.filter(({ title }) => !sent.has(title));
  const ignored = held.slice(7).map(({ errorId }) => ({ errorId, status: ErrorStatus.IGNORED }));
  await client.errors.updateErrors({ projectId: project.projectId, changes: ignored }, client.auth);
  clock.at += 10 * 60_000;
  await waitFor(() => project.got().length === 6);
  const digest = JSON.parse(project.got()[5]?.body ?? "{}");
  assert.is(digest.type, "digest");
  assert.is(digest.data.lines.length, 7);
  clock.at += 2 * hourMs;
  await waitFor(async () =>
    (await deliveriesOf(project.projectId)).every(({ state }) => state === NotificationDeliveryState.SENT),
  );
  const reported = (await deliveriesOf(project.projectId)).reduce((sum, { changeCount }) => sum + changeCount, 0);
  assert.is(reported, errors.length);
  assert.is(project.got().length, 6);
});

test("a rule reports an error of staging once it is seen in production, and not again; other new values do not matter", async () => {
  const project = await notified({ filter: "environment:production", triggers: [CREATED] });
  await send(project, "the price is missing", { environment: "staging" });
  await waitFor(async () => (await suppressionsOf(project.projectId)).length === 1);
  await send(project, "the price is missing", { environment: "qa" });
  await send(project, "the price is missing", { environment: "production" });
  await waitFor(() => project.got().length === 1);
  const { type, data } = JSON.parse(project.got()[0]?.body ?? "{}");
  assert.equal([type, data.headline], ["error.created", "New for this rule"]);
  assert.equal(data.facts[0], { label: "New", value: "environment production" });
  await send(project, "the price is missing", { environment: "production" });
  await send(project, "another one", { environment: "production" });
  await waitFor(() => project.got().length === 2);
  assert.is(JSON.parse(project.got()[1]?.body ?? "{}").data.title, "another one");
  const counts = (await suppressionsOf(project.projectId)).map(({ reason, count }) => [reason, count]);
  assert.equal(counts, [[Reason.FILTERED, 1]]);
});

/** Events that make an error match a filter: the event before, and the reported event. */
const newToFilters: readonly (readonly [filter: string, before: object, first: object])[] = [
  ["level:fatal", { level: "warning" }, { level: "fatal" }],
  ["level:[error, fatal] environment:production", { level: "info", environment: "production" }, { level: "error" }],
  ["release:shop@2.*", { release: "shop@1.0.0" }, { release: "shop@2.0.0" }],
  ["release:>=2.0.0", { release: "shop@1.0.0" }, { release: "shop@2.1.0" }],
  ["tenant:acme", { tags: { tenant: "other" } }, { tags: { tenant: "acme" } }],
  ["has:tenant", {}, { tags: { tenant: "acme" } }],
  ["!environment:[staging, test]", { environment: "test" }, { environment: "production" }],
  [
    "environment:production release:2",
    { environment: "production", release: "1" },
    { environment: "production", release: "2" },
  ],
];

for (const [filter, before, first] of newToFilters) {
  test(`a rule on ${filter} reports an error when it begins to match, once`, async () => {
    const project = await notified({ filter, triggers: [CREATED] });
    await send(project, "changing", before);
    await waitFor(async () => (await suppressionsOf(project.projectId)).length === 1);
    await send(project, "changing", first);
    await waitFor(() => project.got().length === 1);
    await send(project, "changing", before);
    await send(project, "changing", first);
    await send(project, "the last one", { ...before, ...first });
    await waitFor(() => project.got().length === 2);
    assert.is(JSON.parse(project.got()[1]?.body ?? "{}").data.title, "the last one");
  });
}

test("an error that matched before the rule was made is not new to it", async () => {
  const project = await notified({ filter: "title:nothing", triggers: [CREATED] });
  await send(project, "an old one", { release: "shop@2.0.0", level: "fatal" });
  await waitFor(async () => (await suppressionsOf(project.projectId)).length === 1);
  const { projectId, channelId } = project;
  const rule = { name: "Two", enabled: true, triggers: [CREATED], channelIds: [channelId], filter: "release:shop@2.*" };
  await client.notificationRules.createNotificationRule({ projectId, rule }, client.auth);
  await send(project, "an old one", { release: "shop@2.0.1" });
  await send(project, "a later one", { release: "shop@2.0.1" });
  await waitFor(() => project.got().length === 1);
  assert.is(JSON.parse(project.got()[0]?.body ?? "{}").data.title, "a later one");
});

test("an error that becomes new to a rule while it is ignored is counted as ignored", async () => {
  const project = await notified({ filter: "environment:production", triggers: [CREATED] });
  const { projectId } = project;
  await send(project, "left alone", { environment: "staging" });
  await waitFor(async () => (await suppressionsOf(projectId)).length === 1);
  const { errors } = await client.errors.listErrors({ projectId }, client.auth);
  const changes = errors.map(({ errorId }) => ({ errorId, status: ErrorStatus.IGNORED }));
  await client.errors.updateErrors({ projectId, changes }, client.auth);
  await send(project, "left alone", { environment: "production" });
  await waitFor(async () => (await suppressionsOf(projectId)).some(({ reason }) => reason === Reason.IGNORED));
  assert.is(project.got().length, 0);
});

test("a receiver that fails is tried again with the same id, and one that says 429 not before the time it names", async () => {
  const project = await notified({ triggers: [CREATED] });
  other.answers({ status: 503, body: "later" });
  await send(project, "unlucky");
  await waitFor(() => project.got().length === 1);
  other.answers({ status: 429, headers: { "retry-after": "600" } });
  await waitFor(() => project.got().length === 2);
  const since = clock.at;
  other.answers({ status: 200 });
  await waitFor(() => project.got().length === 3, 10_000);
  assert.ok(clock.at - since >= 590_000, `${clock.at - since} ms`);
  const ids = new Set(project.got().map(({ headers }) => headers["webhook-id"]));
  assert.is(ids.size, 1);
  await waitFor(async () => (await deliveriesOf(project.projectId))[0]?.state === NotificationDeliveryState.SENT);
  const [delivery] = await deliveriesOf(project.projectId);
  assert.equal(
    delivery?.attempts.map(({ httpStatus }) => httpStatus),
    [200, 429, 503],
  );
});

test("a channel whose address is gone is disabled with its reason, and waiting messages are sent once it is changed", async () => {
  const project = await notified({ triggers: [CREATED] });
  other.answers({ status: 410 });
  await send(project, "to nobody");
  const channel = async () =>
    (await client.notificationChannels.listNotificationChannels({ projectId: project.projectId }, client.auth))
      .channels[0];
  await waitFor(async () => (await channel())?.state === NotificationChannelState.DISABLED);
  assert.match((await channel())?.stateReason ?? "", /410/);
  other.answers({ status: 200 });
  const { channelId, projectId } = project;
  await client.notificationChannels.updateNotificationChannel(
    { projectId, channelId, name: "Hook again" },
    client.auth,
  );
  await waitFor(() => project.got().length === 2);
});

test("no answer, list or attempt shows the address of a channel, also where the receiver repeats it", async () => {
  const project = await notified({ triggers: [CREATED] });
  const { projectId, channelId, url } = project;
  other.answers({ status: 500, body: `cannot POST ${new URL(url).pathname}` });
  const tried = await client.notificationChannels.testNotificationChannel({ projectId, channelId }, client.auth);
  assert.equal([tried.accepted, tried.httpStatus], [false, 500]);
  await send(project, "shown nowhere");
  await waitFor(async () => ((await deliveriesOf(projectId))[0]?.attempts.length ?? 0) > 0);
  other.answers({ status: 200 });
  const { channels } = await client.notificationChannels.listNotificationChannels({ projectId }, client.auth);
  const shown = JSON.stringify([channels, await deliveriesOf(projectId), tried], (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  assert.not.match(shown, "very-secret");
  assert.is(channels[0]?.secretHints["url"], `${other.url}/…cret`);
});

test("developers read channels and rules, maintainers change them, reporters see none", async () => {
  const { projectId } = await notified();
  const developer = await newMember(client, projectId, Role.DEVELOPER);
  const reporter = await newMember(client, projectId, Role.REPORTER);
  const { rules } = await client.notificationRules.listNotificationRules({ projectId }, developer);
  assert.is(rules.length, 1);
  const [rule] = rules;
  await rejects(client.notificationRules.updateNotificationRule({ projectId, rule }, developer), "PERMISSION_DENIED");
  await rejects(client.notificationRules.listNotificationRules({ projectId }, reporter), "PERMISSION_DENIED");
});

test("unknown kinds, missing fields, addresses with credentials and filters that cannot be read are refused with words", async () => {
  const { projectId, channelId } = await notified();
  const add = (kind: string, fields: Record<string, string>) =>
    rejects(
      client.notificationChannels.createNotificationChannel({ projectId, kind, name: "New", fields }, client.auth),
      "INVALID_ARGUMENT",
    );
  assert.match((await add("fax", {})).message, "kind of channel does not exist");
  assert.match((await add("slack", {})).message, "Enter the field “Address”");
  assert.match((await add("slack", { url: "https://me:secret@hooks.slack.com/x" })).message, "user name or password");
  assert.match((await add("slack", { url: "https://hooks.slack.com/x", channel: "#a" })).message, "no field channel");
  const rule = { name: "Odd", enabled: true, triggers: [CREATED], channelIds: [channelId], filter: "(a OR b)" };
  const refused = client.notificationRules.createNotificationRule({ projectId, rule }, client.auth);
  assert.match((await rejects(refused, "INVALID_ARGUMENT")).message, /Groups in parentheses are not supported/);
});

test.run();

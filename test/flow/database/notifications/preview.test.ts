// limit: 240 s
/** What a rule would have sent is what it sent: the same seven days, once by the evaluator and once by the preview. */
import { ErrorStatus, NotificationTrigger as Trigger } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { suppressionName } from "../../../../plugins/notifier/src/rest/suppression-names.ts";
import { takeTransitions } from "../../../../plugins/notifier/src/signals/take-transitions.ts";
import { contractVersion, type Host, type Plugin } from "../../../../plugins/plugin/src/index.ts";
import { startFaultline } from "../../../../backend/src/main.ts";
import { grpcClient } from "../../../support/core/grpc.ts";
import { createProject } from "../../../support/core/project.ts";
import { receiver } from "../../../support/notifications/receiver.ts";
import { rest } from "../../../support/rest/rest.ts";
import { until } from "../../../support/run/until.ts";
import { newEventId, sendEvent, type Target } from "../../../support/sentry/send.ts";
import { dayMs, hourMs, movableClock, testPace } from "../../../support/service/movable-faultline.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { testConfig } from "../../../support/service/test-config.ts";

const minuteMs = 60_000;
const other = await receiver();
const clock = movableClock();
let host: Host | undefined;
/** Gives the test the host of a plugin, for a separate transaction. */
const lender: Plugin = {
  name: "lender",
  contract: contractVersion,
  async start(given) {
    host = given;
  },
};
const config = { outbound: { networks: ["127.0.0.0/8"], ports: [other.port] }, logLevel: "silent" as const };
const faultline = await startFaultline({ ...testConfig(tempDir()), ...config }, clock, {
  plugins: [lender],
  pace: testPace,
});
const client = grpcClient(faultline);
test.after(async () => {
  client.close();
  await faultline.stop();
});
const service = { url: faultline.httpUrl };

const send = (project: Target, message: string, more: object = {}) =>
  sendEvent(service, project, { event_id: newEventId(), message, ...more });

const errorsOf = async (projectId: number) =>
  (await client.errors.listErrors({ projectId, pageSize: 100 }, client.auth)).errors;

async function setStatus(projectId: number, title: string, status: ErrorStatus): Promise<void> {
  const error = (await errorsOf(projectId)).find((one) => one.title === title);
  assert.ok(error, title);
  await client.errors.updateErrors({ projectId, changes: [{ errorId: error.errorId, status }] }, client.auth);
}

async function addChannel(projectId: number, name: string): Promise<number> {
  const fields = { url: `${other.url}/${projectId}/${name}` };
  const { channel } = await client.notificationChannels.createNotificationChannel(
    { projectId, kind: "webhook", name, fields },
    client.auth,
  );
  return channel?.channelId ?? 0;
}

const deliveriesTo = async (projectId: number, channelId: number) =>
  (await client.notificationDeliveries.listNotificationDeliveries({ projectId, channelId, pageSize: 100 }, client.auth))
    .deliveries;

async function suppressedBy(projectId: number, ruleId: number): Promise<Record<string, number>> {
  const asked = { projectId, ruleId };
  const { suppressions } = await client.notificationDeliveries.listNotificationSuppressions(asked, client.auth);
  const counts: Record<string, number> = {};
  for (const { reason, count } of suppressions) {
    const name = suppressionName(reason);
    counts[name] = (counts[name] ?? 0) + count;
  }
  return counts;
}

test("a preview reports the messages, digests and suppressions that the evaluator made of the same seven days", async () => {
  const project = await createProject(service);
  const projectId = project.id;
  const channelId = await addChannel(projectId, "measured");
  const spike = { count: 40, windowMinutes: 180 };
  const rule = {
    name: "Measured",
    enabled: true,
    triggers: [Trigger.CREATED, Trigger.REOPENED, Trigger.RELEASE, Trigger.SPIKE],
    filter: "!level:debug !environment:staging",
    channelIds: [channelId],
    spike,
  };
  const { rule: stored } = await client.notificationRules.createNotificationRule({ projectId, rule }, client.auth);
  // Each change ends suppressed by this rule, so that its counts show how far the evaluator is.
  const fence = {
    name: "Fence",
    enabled: true,
    triggers: [Trigger.CREATED, Trigger.REOPENED, Trigger.STATUS],
    filter: "type:never",
    channelIds: [channelId],
  };
  const { rule: fenced } = await client.notificationRules.createNotificationRule(
    { projectId, rule: fence },
    client.auth,
  );
  let changes = 0;
  const evaluated = async (more: number) => {
    changes += more;
    await until(
      "the evaluation",
      async () =>
        Object.values(await suppressedBy(projectId, fenced?.ruleId ?? 0)).reduce((sum, n) => sum + n, 0) >= changes,
      { deadlineMs: 30_000 },
    );
  };
  const create = async (title: string, more: object = {}) => {
    await send(project, title, more);
    await evaluated(1);
  };
  const later = (ms: number) => {
    clock.at += ms;
  };
  const status = async (title: string, to: ErrorStatus) => {
    later(1_000);
    await setStatus(projectId, title, to);
    await evaluated(1);
  };

  await create("first", { release: "shop@1" });
  later(5 * hourMs);
  await create("a debug line", { level: "debug", release: "shop@1" });
  later(5 * hourMs);
  await status("first", ErrorStatus.RESOLVED);
  later(hourMs);
  await send(project, "first", { release: "shop@2" });
  await evaluated(1); // back
  await status("first", ErrorStatus.RESOLVED);
  await send(project, "first");
  await evaluated(1); // back again within half an hour
  later(9 * hourMs);
  await status("first", ErrorStatus.IGNORED);
  await send(project, "first");
  later(9 * hourMs);
  await create("seen in staging", { environment: "staging", release: "shop@3" });
  await status("seen in staging", ErrorStatus.RESOLVED);
  later(hourMs);
  await send(project, "seen in staging", { environment: "production" });
  await evaluated(1); // back, by an event of production
  later(10 * hourMs);
  // A storm: five messages, then digests.
  for (const name of ["ash", "beech", "cedar", "elm", "fir", "hazel", "larch", "oak"]) {
    await create(`storm of ${name}`, { release: "shop@1" });
    later(10_000);
  }
  later(10 * minuteMs);
  const digests = async () => (await deliveriesTo(projectId, channelId)).filter(({ errorId }) => errorId === "").length;
  await until("the first digest", async () => (await digests()) === 1);
  await create("storm of pine", { release: "shop@1" });
  later(20 * minuteMs);
  await until("the second digest", async () => (await digests()) === 2);
  later(10 * hourMs);
  await status("storm of ash", ErrorStatus.RESOLVED); // until this is evaluated the channel left its digests
  later(10 * hourMs);
  await create("bursting", { release: "shop@1" });
  await Promise.all(Array.from({ length: 45 }, () => send(project, "bursting")));
  const made = async (title: string) => (await deliveriesTo(projectId, channelId)).some((one) => one.title === title);
  await until("the spike", async () => {
    later(10_000);
    return made("Spike: bursting");
  });
  await until(
    "its end",
    async () => {
      later(5 * minuteMs);
      return made("Spike over: bursting");
    },
    { deadlineMs: 30_000 },
  );
  later(10 * hourMs);
  await create("last", { release: "shop@4" });

  const sent = await deliveriesTo(projectId, channelId);
  const preview = await client.notificationRules.previewNotificationRule({ projectId, rule }, client.auth);
  assert.is(preview.messageCount, sent.filter(({ errorId }) => errorId !== "").length);
  assert.is(preview.digestCount, sent.filter(({ errorId }) => errorId === "").length);
  const byReason = Object.fromEntries(preview.suppressions.map(({ reason, count }) => [reason, count]));
  assert.equal(byReason, await suppressedBy(projectId, stored?.ruleId ?? 0));
  const titles = sent.filter(({ errorId }) => errorId !== "").map(({ title }) => title);
  const previewed = preview.notifications.filter(({ messageCount }) => messageCount > 0);
  assert.equal(previewed.map(({ headline, title }) => `${headline}: ${title}`).toSorted(), titles.toSorted());
  assert.is(preview.digestCount, 2);
  assert.ok(titles.length > 12, titles.join("\n"));
  assert.is(preview.examinedErrorCount, (await errorsOf(projectId)).length);
  assert.equal(
    preview.notReplayed.map(({ trigger, reason }) => [trigger, reason]),
    [
      [
        Trigger.CREATED,
        "Only their first events are replayed. The times at which errors began to match later are not kept.",
      ],
    ],
  );
});

test("a preview counts what is held at the end as one digest, and names what it cannot replay", async () => {
  const project = await createProject(service);
  const projectId = project.id;
  const channelId = await addChannel(projectId, "draft");
  for (const name of ["ash", "beech", "cedar", "elm", "fir", "hazel", "larch"]) await send(project, `new ${name}`);
  const rules = `/projects/${projectId}/error_tracking/notification_rules`;
  const body = {
    name: "Draft",
    triggers: ["created", "spike", "milestone"],
    channel_ids: [channelId],
    spike: { count: 5, window_minutes: 10 },
  };
  const { status, json: answer } = await rest(service, `POST ${rules.replace("_rules", "_rule_preview")}`, { body });
  const json = answer as {
    message_count: number;
    digest_count: number;
    not_replayed: { trigger: string; reason: string }[];
  };
  assert.equal([status, json.message_count, json.digest_count], [200, 5, 1]);
  assert.equal(
    json.not_replayed.map(({ trigger, reason }) => `${trigger}: ${reason}`),
    [
      "spike: Counts per minute are kept for only three hours.",
      "milestone: The times of the tenth, hundredth, ... event are not kept.",
    ],
  );
  assert.equal((await rest(service, `GET ${rules}`)).json, []);
});

test("a filter says environment, release, level, tag, handled, title, place and age, each by one term of a search", async () => {
  const project = await createProject(service);
  const projectId = project.id;
  const channelId = await addChannel(projectId, "filters");
  const thrown = (value: string, handled: boolean) => ({
    exception: { values: [{ type: "TypeError", value, mechanism: { type: "generic", handled } }] },
  });
  await send(project, "old and quiet", { environment: "staging", release: "shop@1.0.0" });
  clock.at += 2 * dayMs;
  await send(project, "payment failed", {
    environment: "production",
    release: "shop@1.4.0",
    level: "fatal",
    tags: { team: "checkout" },
    transaction: "app/checkout/pay",
  });
  await sendEvent(service, project, {
    event_id: newEventId(),
    ...thrown("x is undefined", false),
    environment: "production",
  });
  await sendEvent(service, project, {
    event_id: newEventId(),
    ...thrown("y is undefined", true),
    environment: "staging",
  });
  const [old, payment, x, y] = [
    "old and quiet",
    "payment failed",
    "TypeError: x is undefined",
    "TypeError: y is undefined",
  ];
  const cases: [filter: string, titles: (string | undefined)[]][] = [
    ["environment:production", [payment, x]],
    ["!environment:[staging, test]", [payment, x]],
    ["release:shop@1.4.0", [payment]],
    ["release:shop@1.*", [old, payment]],
    ["release:>=1.2.0", [payment]],
    ["level:[error, fatal]", [old, payment, x, y]],
    ["level:fatal", [payment]],
    ["team:checkout", [payment]],
    ["!team:check*", [old, x, y]],
    ["has:team", [payment]],
    ["handled:false", [x]],
    ["handled:true", [y]],
    [`title:"is undefined"`, [x, y]],
    ["title:pay*failed", [payment]],
    ["culprit:app/*/pay", [payment]],
    ["transaction:app/*/pay", [payment]],
    ["firstSeen:-24h", [payment, x, y]],
    ["age:+1d", [old]],
    ["environment:production !level:fatal", [x]],
  ];
  for (const [filter, titles] of cases) {
    const rule = {
      name: "Filter",
      triggers: [Trigger.CREATED],
      channelIds: [channelId],
      filter,
    };
    const { notifications } = await client.notificationRules.previewNotificationRule({ projectId, rule }, client.auth);
    assert.equal(notifications.map(({ title }) => title).toSorted(), titles.toSorted(), filter);
  }
});

test("a rolled back transaction leaves no signal, and the same transitions taken later are reported", async () => {
  const project = await createProject(service);
  const projectId = project.id;
  const channelId = await addChannel(projectId, "once");
  const rule = { name: "All", enabled: true, triggers: [Trigger.CREATED, Trigger.RELEASE], channelIds: [channelId] };
  await client.notificationRules.createNotificationRule({ projectId, rule }, client.auth);
  const titles = async () => (await deliveriesTo(projectId, channelId)).map(({ title }) => title).toReversed();
  await send(project, "taken");
  await until("the new error", async () => (await titles()).length === 1);
  const errorId = (await errorsOf(projectId))[0]?.errorId ?? "";
  clock.at += hourMs; // or it would be a repetition
  const of = { projectId, errorId, kind: "created" as const, status: ErrorStatus.UNRESOLVED, at: clock.at };
  const transition = { ...of, statusBefore: undefined, by: "", release: "shop@9" };
  const take = (isKept: boolean) =>
    host?.database
      .write()
      .transaction()
      .execute(async (transaction) => {
        await takeTransitions()([transition], { write: () => transaction as never });
        if (!isKept) throw new Error("rolled back");
      });
  await take(false)?.catch((failure: unknown) => assert.match(String(failure), "rolled back"));
  await send(project, "a later one");
  await until("the later one", async () => (await titles()).length === 2);
  assert.equal(await titles(), ["New error: taken", "New error: a later one"]);
  await take(true);
  await until("both kinds", async () => (await titles()).length === 4);
  assert.equal((await titles()).slice(2).toSorted(), ["First new error of a release: taken", "New error: taken"]);
});

test.run();

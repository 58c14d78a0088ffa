/** Notifications of a project with the external backend, from one request a minute. */
import { NotificationTrigger as Trigger } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { rejects } from "../../support/assert/rejects.ts";
import { linkedProject } from "../../support/core/linked-project.ts";
import { fakeExternal } from "../../support/external/fake-external.ts";
import { fakeData } from "../../support/external/played-sentry/data.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { until } from "../../support/run/until.ts";
import { hourMs, movableClock, movableFaultline } from "../../support/service/movable-faultline.ts";

const clock = movableClock();
const fake = await fakeExternal({ clock, issues: [{ id: "1001", firstSeen: clock.at - hourMs }] });
test.after(() => fake.close());
const other = await receiver();
const outbound = { networks: ["127.0.0.0/8"], ports: [fake.port, other.port] };
const { client } = await movableFaultline({ outbound, logLevel: "silent" }, clock);
const { projectId } = await linkedProject(client, fake);
const { channel } = await client.notificationChannels.createNotificationChannel(
  { projectId, kind: "webhook", name: "Hook", fields: { url: `${other.url}/hook` } },
  client.auth,
);
const channelIds = [channel?.channelId ?? 0];
const create = (triggers: Trigger[], more: object = {}) =>
  client.notificationRules.createNotificationRule(
    { projectId, rule: { name: `Rule ${triggers.join()}`, enabled: true, triggers, channelIds, ...more } },
    client.auth,
  );

const got = () => other.received.map(({ body }) => JSON.parse(body) as { type: string; data: { title: string } });

const pass = (awaited: string, stepMs: number, condition: () => boolean) =>
  until(
    awaited,
    () => {
      clock.at += stepMs;
      return condition();
    },
    { deadlineMs: 30_000 },
  );

test("new errors and spikes are found by asking, a system that fails is reported, and that it answers again", async () => {
  await create([Trigger.CREATED, Trigger.BACKEND_FAILING]);
  await create([Trigger.SPIKE], { spike: { count: 50, windowMinutes: 60 } });
  const calls = () => fake.calls.filter(({ path }) => path.includes("issues")).length;
  await pass("the first look", 61_000, () => calls() > 0);
  const issue = { id: "1002", type: "FarError", value: "far away", firstSeen: clock.at, lastSeen: clock.at, count: 3 };
  fake.data.issues.push(...fakeData({ issues: [issue] }, clock.at).issues);
  await pass("the new error", 30_000, () => got().length > 0);
  assert.equal([got()[0]?.type, got()[0]?.data.title], ["error.created", "FarError: far away"]);

  const far = fake.data.issues.find(({ id }) => id === "1002");
  assert.ok(far);
  // A minute for each look: after ten minutes without one, counting begins again.
  for (let minute = 0; minute < 10 && got().length < 2; minute += 1) {
    const before = calls();
    clock.at += 61_000;
    Object.assign(far, { count: far.count + 20, lastSeen: clock.at });
    await until("a look", () => calls() > before);
  }
  await until("the spike", () => got().length > 1);
  assert.equal([got()[1]?.type, got()[1]?.data.title], ["error.spike", "FarError: far away"]);

  const seen = got().length;
  fake.answerWith({ status: 503 });
  await pass("the failure", 61_000, () => got().some(({ type }) => type === "backend.failing"));
  fake.answerAsUsual();
  await pass("the recovery", 61_000, () => got().some(({ type }) => type === "backend.recovered"));
  const ofBackend = got().filter(({ type }) => type.startsWith("backend."));
  assert.is(ofBackend.length, 2);
  assert.match(ofBackend[0]?.data.title ?? "", /^It has been failing since 2026/);
  assert.ok(got().length >= seen + 2);
  assert.is(got().filter(({ type }) => type === "error.created").length, 1);
});

test("methods that an external project cannot have are refused with their reason", async () => {
  const refused = async (trigger: Trigger) => (await rejects(create([trigger]), "INVALID_ARGUMENT")).message;
  assert.match(await refused(Trigger.REOPENED), "External systems do not report");
  assert.match(await refused(Trigger.QUOTA_NEAR), "go to an external system");
  const { triggers } = await client.notificationRules.listNotificationTriggers({ projectId }, client.auth);
  assert.equal(
    triggers.filter(({ allowed }) => !allowed).map(({ trigger }) => trigger),
    [Trigger.REOPENED, Trigger.RELEASE, Trigger.REFUSED, Trigger.QUOTA_NEAR, Trigger.QUOTA_REACHED],
  );
});

test.run();

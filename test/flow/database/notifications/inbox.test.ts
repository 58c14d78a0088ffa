/** The inboxes of people over gRPC: an event is sent with the DSN, and an entry appears for the people who want it. */
import {
  ErrorStatus,
  ErrorSubscription,
  NotificationLevel as Level,
  NotificationSuppressionReason as Reason,
  NotificationTrigger,
  Role,
  type InboxEntry,
} from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { newMember, newPerson, type Person } from "../../../support/core/person.ts";
import { createProject } from "../../../support/core/project.ts";
import { rejects } from "../../../support/assert/rejects.ts";
import { until } from "../../../support/run/until.ts";
import { newEventId, sendEvent, type Target } from "../../../support/sentry/send.ts";
import { hourMs, movableFaultline } from "../../../support/service/movable-faultline.ts";

const { client, faultline, clock } = await movableFaultline({ logLevel: "silent" });
const service = { url: faultline.httpUrl };
const { CREATED, REOPENED, STATUS } = NotificationTrigger;

let projects = 0;

async function newProject() {
  projects += 1;
  const path = `inbox-${projects}`;
  const target = await createProject(service, { name: path, path });
  return { ...target, path, projectId: target.id };
}

type Project = Awaited<ReturnType<typeof newProject>>;

const send = (project: Target, message: string, more: object = {}) =>
  sendEvent(service, project, { event_id: newEventId(), message, ...more });

const entriesOf = async (person: Person, unreadOnly = false) =>
  (await client.inbox.listInboxEntries({ pageSize: 100, unreadOnly }, person)).entries;

const unreadOf = async (person: Person) => (await client.inbox.getUnreadCount({}, person)).unreadCount;

const titlesOf = (entries: readonly InboxEntry[]) => entries.map(({ title }) => title);

const inboxHolds = (person: Person, count: number) =>
  until(`${count} entries`, async () => (await entriesOf(person)).length === count);

async function errorNamed({ projectId }: Project, title: string): Promise<string> {
  return until(`the error ${title}`, async () => {
    const { errors } = await client.errors.listErrors({ projectId, pageSize: 100 }, client.auth);
    return errors.find((error) => error.title === title)?.errorId;
  });
}

const setStatus = (
  { projectId }: Project,
  errorId: string,
  status: ErrorStatus,
  by: { readonly token: string } = client.auth,
) => client.errors.updateErrors({ projectId, changes: [{ errorId, status }] }, by);

const setLevel = ({ projectId }: Project, level: Level, person: Person) =>
  client.notificationPreferences.updateNotificationLevel({ projectId, level }, person);

const subscribe = ({ projectId }: Project, errorId: string, subscription: ErrorSubscription, person: Person) =>
  client.notificationPreferences.updateErrorSubscription({ projectId, errorId, subscription }, person);

const why = ({ projectId }: Project, errorId: string, person: Person) =>
  client.notificationPreferences.getErrorSubscription({ projectId, errorId }, person);

/** A project with a developer who has the default level. */
async function developed() {
  const project = await newProject();
  return { project, ann: await newMember(client, project.projectId, Role.DEVELOPER) };
}

/** Sends a last error that everybody by default learns of: what came before is decided when it appears. */
async function decided(project: Project, person: Person): Promise<void> {
  const title = `the last of ${project.path} ${newEventId()}`;
  await send(project, title, { fingerprint: [newEventId()] });
  await until("the last entry", async () => titlesOf(await entriesOf(person)).includes(title));
}

/** Adds a rule that reports spikes of three events a minute to a channel that nobody hears. */
async function reportSpikes({ projectId }: Project): Promise<void> {
  const { channel } = await client.notificationChannels.createNotificationChannel(
    { projectId, kind: "webhook", name: "Nobody", fields: { url: "https://nobody.invalid/" } },
    client.auth,
  );
  const rule = { name: "Spikes", enabled: true, channelIds: [channel?.channelId ?? 0] };
  const spike = { count: 3, windowMinutes: 1 };
  await client.notificationRules.createNotificationRule(
    { projectId, rule: { ...rule, triggers: [NotificationTrigger.SPIKE], spike } },
    client.auth,
  );
}

const deliveriesOf = async ({ projectId }: Project) =>
  (await client.notificationDeliveries.listNotificationDeliveries({ projectId }, client.auth)).deliveries;

test("without any set-up a developer learns of a new error and of its return, a reporter of neither", async () => {
  const { project, ann } = await developed();
  const reporter = await newMember(client, project.projectId, Role.REPORTER);
  await send(project, "it broke", { level: "fatal", transaction: "checkout" });
  await inboxHolds(ann, 1);
  await send(project, "it broke");
  const errorId = await errorNamed(project, "it broke");
  await setStatus(project, errorId, ErrorStatus.RESOLVED);
  clock.at += hourMs;
  await send(project, "it broke");
  await inboxHolds(ann, 2);
  const entries = await entriesOf(ann);
  assert.equal(
    entries.map(({ trigger, title, projectPath, read }) => [trigger, title, projectPath, read]),
    [
      [REOPENED, "it broke", project.path, false],
      [CREATED, "it broke", project.path, false],
    ],
  );
  assert.equal(
    entries.map((entry) => entry.errorId),
    [errorId, errorId],
  );
  assert.is(await unreadOf(ann), 2);
  assert.equal(await entriesOf(reporter), []);
});

test("each level gets what it asks for, and mute and ignore hold everything back with a reason", async () => {
  const { project, ann: usual } = await developed();
  const { projectId } = project;
  const [all, mine, none, muting] = [
    await newMember(client, projectId, Role.DEVELOPER),
    await newMember(client, projectId, Role.REPORTER),
    await newMember(client, projectId, Role.DEVELOPER),
    await newMember(client, projectId, Role.DEVELOPER),
  ];
  await setLevel(project, Level.ALL, all);
  await setLevel(project, Level.MINE, mine);
  await setLevel(project, Level.NONE, none);
  await send(project, "one");
  await inboxHolds(usual, 1);
  const errorId = await errorNamed(project, "one");
  await subscribe(project, errorId, ErrorSubscription.WATCHED, mine);
  await subscribe(project, errorId, ErrorSubscription.MUTED, muting);
  await setStatus(project, errorId, ErrorStatus.RESOLVED, usual);
  await inboxHolds(all, 2);
  clock.at += hourMs;
  await send(project, "one");
  await inboxHolds(all, 3);
  await send(project, "a small thing", { level: "warning" });
  await decided(project, usual);

  const triggersOf = async (person: Person) =>
    (await entriesOf(person))
      .filter(({ title }) => title === "one" || title === "a small thing")
      .map((one) => one.trigger);
  assert.equal(await triggersOf(usual), [REOPENED, CREATED]);
  assert.equal(await triggersOf(all), [REOPENED, STATUS, CREATED]);
  assert.equal(await triggersOf(mine), [REOPENED, STATUS]);
  assert.equal(await triggersOf(none), []);
  assert.equal(await triggersOf(muting), [CREATED]);
  assert.is((await entriesOf(all))[2]?.madeBy, usual.username);
  const { suppressions, subscription } = await why(project, errorId, muting);
  assert.equal(
    [subscription, suppressions.map(({ reason, trigger }) => [reason, trigger])],
    [ErrorSubscription.MUTED, [[Reason.MUTED, REOPENED]]],
  );
  const small = await why(project, await errorNamed(project, "a small thing"), usual);
  assert.equal(
    small.suppressions.map(({ reason, count }) => [reason, count]),
    [[Reason.LOW_LEVEL, 1]],
  );
  assert.equal(small.notifications, []);
});

test("an error whose level rises to error reaches the people it did not reach before, once, dated by the event that raised it", async () => {
  const { project, ann } = await developed();
  await send(project, "getting worse", { level: "warning" });
  await decided(project, ann);
  const errorId = await errorNamed(project, "getting worse");
  assert.equal((await why(project, errorId, ann)).notifications, []);
  clock.at += hourMs;
  const raisedAt = clock.at;
  for (const level of ["error", "warning", "fatal", "warning", "error"])
    await send(project, "getting worse", { level });
  await decided(project, ann);
  const entries = (await entriesOf(ann)).filter((entry) => entry.errorId === errorId);
  assert.equal(
    entries.map(({ trigger, time }) => [trigger, Number(time?.seconds) * 1000]),
    [[CREATED, raisedAt]],
  );
});

test("people get no entry about their own change, and can read the reason", async () => {
  const { project, ann } = await developed();
  const bob = await newMember(client, project.projectId, Role.DEVELOPER);
  for (const person of [ann, bob]) await setLevel(project, Level.ALL, person);
  await send(project, "mine");
  await inboxHolds(bob, 1);
  const errorId = await errorNamed(project, "mine");
  await setStatus(project, errorId, ErrorStatus.RESOLVED, ann);
  await inboxHolds(bob, 2);
  assert.equal(
    (await entriesOf(ann)).map(({ trigger }) => trigger),
    [CREATED],
  );
  const decisions = await why(project, errorId, ann);
  assert.equal(
    decisions.suppressions.map(({ reason }) => reason),
    [Reason.OWN_CHANGE],
  );
  assert.equal(
    decisions.notifications.map(({ trigger }) => trigger),
    [CREATED],
  );
});

test("an ignored error never appears", async () => {
  const { project, ann } = await developed();
  await setLevel(project, Level.ALL, ann);
  await send(project, "noise");
  await inboxHolds(ann, 1);
  const errorId = await errorNamed(project, "noise");
  await subscribe(project, errorId, ErrorSubscription.WATCHED, ann);
  await setStatus(project, errorId, ErrorStatus.IGNORED);
  await inboxHolds(ann, 2); // that it was ignored is reported
  await send(project, "noise");
  await decided(project, ann);
  assert.is((await entriesOf(ann)).filter(({ title }) => title === "noise").length, 2);
});

test("a storm is five entries and one that counts the rest, and each change is in one of them", async () => {
  const { project, ann } = await developed();
  const count = 20;
  for (let n = 0; n < count; n++) await send(project, `storm`, { fingerprint: [`${n}`] });
  const gatheredIn = (entries: readonly InboxEntry[]) =>
    entries.flatMap(({ gathered }) => gathered.map((of) => of.count)).reduce((sum, n) => sum + n, 0);
  await until("all changes", async () => gatheredIn(await entriesOf(ann)) === count - 5);
  assert.is((await entriesOf(ann)).length, 6);
  const [digest] = await entriesOf(ann);
  assert.equal([digest?.errorId, digest?.gathered[0]?.trigger], ["", CREATED]);
  const { errors } = await client.errors.listErrors({ projectId: project.projectId, pageSize: 100 }, client.auth);
  const [newest] = errors;
  for (const { errorId } of [newest, ...errors.slice(-6)].filter((error) => error !== undefined)) {
    const { notifications, suppressions } = await why(project, errorId, ann);
    assert.equal([notifications.length, suppressions.length], [1, 0], errorId);
  }

  await client.inbox.markInboxEntriesRead({ untilEntryId: digest?.entryId ?? 0n }, ann);
  assert.is(await unreadOf(ann), 0);
  await send(project, "one more", { fingerprint: ["more"] });
  await until("the entry that gathers", async () => (await unreadOf(ann)) === 1);
  assert.is(gatheredIn(await entriesOf(ann)), count - 4);
  assert.is((await entriesOf(ann)).length, 6);

  clock.at += 2 * hourMs;
  await send(project, "after the storm", { fingerprint: ["after"] });
  await inboxHolds(ann, 7);
  assert.is((await entriesOf(ann))[0]?.title, "after the storm");
});

test("an entry that gathers several changes of an error is named once for it, not before the error existed", async () => {
  const { project, ann } = await developed();
  await setLevel(project, Level.ALL, ann);
  await reportSpikes(project);
  for (let n = 0; n < 6; n++) await send(project, "before", { fingerprint: [`${n}`] });
  await inboxHolds(ann, 6);
  clock.at += 60_000;
  const existsSince = clock.at;
  await send(project, "changed thrice", { fingerprint: ["thrice"] });
  const errorId = await errorNamed(project, "changed thrice");
  const gathered = async () => (await entriesOf(ann))[0]?.gathered.reduce((sum, { count }) => sum + count, 0);
  await until("the new error", async () => (await gathered()) === 2);
  await until("the spike", async () => {
    clock.at += 5_000;
    await send(project, "changed thrice", { fingerprint: ["thrice"] });
    return (await deliveriesOf(project)).some((delivery) => delivery.errorId === errorId);
  });
  await setStatus(project, errorId, ErrorStatus.RESOLVED);
  await until("its resolution", async () => (await gathered()) === 3);
  await setStatus(project, errorId, ErrorStatus.UNRESOLVED);
  await until("its return", async () => (await gathered()) === 4);
  const { notifications } = await why(project, errorId, ann);
  assert.equal(
    notifications.map(({ entryId }) => entryId),
    [(await entriesOf(ann))[0]?.entryId],
  );
  assert.ok(Number(notifications[0]?.time?.seconds) * 1000 >= existsSince - 1000);
});

test("entries are listed by the time that they show, and a gathered change has the time at which it happened", async () => {
  const { project, ann } = await developed();
  const quiet = await newProject();
  const member = { projectId: quiet.projectId, userId: ann.userId, role: Role.DEVELOPER };
  await client.members.addMember(member, client.auth);
  for (let n = 0; n < 6; n++) await send(project, "storm", { fingerprint: [`${n}`] });
  await inboxHolds(ann, 6);
  clock.at += 60_000;
  const old = new Date(clock.at - 3 * hourMs).toISOString();
  await send(quiet, "an old event", { timestamp: old });
  await inboxHolds(ann, 7);
  clock.at += 60_000;
  await send(project, "the late one");
  const errorId = await errorNamed(project, "the late one");
  const { notifications } = await until("the decision", async () => {
    const decisions = await why(project, errorId, ann);
    return decisions.notifications.length > 0 && decisions;
  });
  const { error } = await client.errors.getError({ projectId: project.projectId, errorId }, client.auth);
  assert.equal(
    notifications.map(({ time }) => time),
    [error?.firstSeenTime],
  );
  const first = await client.inbox.listInboxEntries({ pageSize: 1 }, ann);
  const others = await client.inbox.listInboxEntries({ pageSize: 100, pageToken: first.nextPageToken }, ann);
  const entries = [...first.entries, ...others.entries];
  const times = entries.map(({ arrivedTime }) => Number(arrivedTime?.seconds));
  assert.equal(
    times,
    times.toSorted((one, other) => other - one),
  );
  assert.equal([entries[0]?.errorId, entries[1]?.title, entries.length], ["", "an old event", 7]);

  const [top, next] = entries;
  const seen = { untilEntryId: next?.entryId ?? 0n, untilTime: next?.arrivedTime };
  await client.inbox.markInboxEntriesRead(seen, ann);
  assert.equal(
    (await entriesOf(ann, true)).map(({ entryId }) => entryId),
    [top?.entryId],
  );
});

test("changes in quiet hours appear when the hours end, and nothing is lost", async () => {
  const { project, ann } = await developed();
  const minute = (time: number) => new Date(time).getUTCHours() * 60 + new Date(time).getUTCMinutes();
  const quietHours = { fromMinute: minute(clock.at), untilMinute: minute(clock.at + 2 * hourMs) };
  const set = (preferences: object) =>
    client.notificationPreferences.updateNotificationPreferences({ preferences }, ann);
  await set({ mail: true, timeZone: "UTC", quietHours });
  await send(project, "in the night");
  const errorId = await errorNamed(project, "in the night");
  const { notifications } = await until("the decision", async () => {
    const decisions = await why(project, errorId, ann);
    return decisions.notifications.length > 0 && decisions;
  });
  const dueAt = Number(notifications[0]?.arrivedTime?.seconds) * 1000;
  assert.equal([minute(dueAt), await entriesOf(ann), await unreadOf(ann)], [quietHours.untilMinute, [], 0]);
  clock.at = dueAt - 1;
  assert.is(await unreadOf(ann), 0);

  const counts: number[] = [];
  const ended = new AbortController();
  const watching = (async () => {
    for await (const { unreadCount } of client.inbox.watchInbox({}, { token: ann.token, signal: ended.signal })) {
      counts.push(unreadCount);
    }
  })().catch(() => undefined);
  await until("the first count", () => counts.length > 0);
  clock.at = dueAt;
  await until("the count after quiet hours", () => counts.at(-1) === 1);
  assert.is(counts[0], 0);
  ended.abort();
  await watching;
  assert.equal(titlesOf(await entriesOf(ann)), ["in the night"]);
});

test("entries that quiet hours hold back appear when a person ends these", async () => {
  const { project, ann } = await developed();
  const set = (preferences: object) =>
    client.notificationPreferences.updateNotificationPreferences({ preferences }, ann);
  await set({ mail: false, timeZone: "Europe/Berlin", quietHours: { fromMinute: 1, untilMinute: 0 } });
  await send(project, "held back");
  const errorId = await errorNamed(project, "held back");
  await until("the decision", async () => (await why(project, errorId, ann)).notifications.length > 0);
  assert.equal(await entriesOf(ann), []);
  await set({ mail: false, timeZone: "Europe/Berlin" });
  assert.equal(titlesOf(await entriesOf(ann)), ["held back"]);
  const { preferences } = await client.notificationPreferences.getNotificationPreferences({}, ann);
  assert.equal(
    [preferences?.mail, preferences?.timeZone, preferences?.quietHours],
    [false, "Europe/Berlin", undefined],
  );
});

test("a watch streams the count immediately, after a new entry and after an entry was read", async () => {
  const { project, ann } = await developed();
  const counts: number[] = [];
  const ended = new AbortController();
  const watching = (async () => {
    for await (const { unreadCount } of client.inbox.watchInbox({}, { token: ann.token, signal: ended.signal })) {
      counts.push(unreadCount);
    }
  })().catch(() => undefined);
  await until("the first count", () => counts.length === 1);
  await send(project, "watched");
  await until("one unread entry", () => counts.at(-1) === 1);
  const [entry] = await entriesOf(ann);
  const { unreadCount } = await client.inbox.markInboxEntriesRead({ entryIds: [entry?.entryId ?? 0n] }, ann);
  assert.is(unreadCount, 0);
  await until("none", () => counts.at(-1) === 0);
  assert.equal(await entriesOf(ann, true), []);
  assert.is((await entriesOf(ann))[0]?.read, true);
  ended.abort();
  await watching;
});

test("people see and change only their own entries, entries of a lost project are hidden, and no new ones are added", async () => {
  const { project, ann } = await developed();
  const bob = await newMember(client, project.projectId, Role.DEVELOPER);
  const outsider = await newPerson(client);
  await send(project, "secret");
  await inboxHolds(ann, 1);
  await inboxHolds(bob, 1);
  const [entry] = await entriesOf(ann);
  await client.inbox.markInboxEntriesRead(
    { entryIds: [entry?.entryId ?? 0n], untilEntryId: entry?.entryId ?? 0n },
    outsider,
  );
  await client.inbox.markInboxEntriesRead({ entryIds: [entry?.entryId ?? 0n] }, bob);
  assert.equal([await unreadOf(ann), await entriesOf(outsider)], [1, []]);

  const errorId = await errorNamed(project, "secret");
  const { projectId } = project;
  await client.members.removeMember({ projectId, userId: ann.userId }, client.auth);
  assert.equal([await entriesOf(ann), await unreadOf(ann)], [[], 0]);
  await rejects(why(project, errorId, ann), "NOT_FOUND");
  await rejects(subscribe(project, errorId, ErrorSubscription.WATCHED, ann), "NOT_FOUND");
  await send(project, "after the loss");
  await inboxHolds(bob, 2);
  await client.members.addMember({ projectId, userId: ann.userId, role: Role.DEVELOPER }, client.auth);
  assert.equal(titlesOf(await entriesOf(ann)), ["secret"]);
});

test("an administrator who is not a member gets nothing by default, and otherwise what they choose", async () => {
  const { project, ann } = await developed();
  const root = await newPerson(client, { isAdmin: true });
  await send(project, "first");
  await inboxHolds(ann, 1);
  await setLevel(project, Level.NEW_AND_REOPENED, root);
  await send(project, "second");
  await inboxHolds(ann, 2);
  assert.equal(titlesOf(await entriesOf(root)), ["second"]);
});

test("the entries of a deleted error are gone, and pages of the inbox follow one another", async () => {
  const { project, ann } = await developed();
  for (const title of ["a", "b", "c"]) await send(project, `page ${title}`);
  await inboxHolds(ann, 3);
  const first = await client.inbox.listInboxEntries({ pageSize: 2 }, ann);
  const second = await client.inbox.listInboxEntries({ pageSize: 2, pageToken: first.nextPageToken }, ann);
  assert.equal(titlesOf([...first.entries, ...second.entries]), ["page c", "page b", "page a"]);
  assert.is(second.nextPageToken, "");
  const errorIds = [await errorNamed(project, "page b")];
  await client.deletions.createDeletion(
    { projectId: project.projectId, target: { case: "errors", value: { errorIds } } },
    client.auth,
  );
  await inboxHolds(ann, 2);
});

test("levels are listed by path, say whether they are a default, and go back to it", async () => {
  const person = await newPerson(client);
  const owned = [await newProject(), await newProject()];
  for (const [index, { projectId }] of owned.entries()) {
    const role = index === 0 ? Role.DEVELOPER : Role.REPORTER;
    await client.members.addMember({ projectId, userId: person.userId, role }, client.auth);
  }
  const list = async (page: object = {}) => client.notificationPreferences.listNotificationLevels(page, person);
  const shown = async () =>
    (await list()).levels.map(({ projectPath, level, isDefault }) => [projectPath, level, isDefault]);
  const [one, other] = owned.map(({ path }) => path);
  assert.equal(await shown(), [
    [one, Level.NEW_AND_REOPENED, true],
    [other, Level.NONE, true],
  ]);
  await setLevel(owned[1] as Project, Level.MINE, person);
  assert.equal((await shown())[1], [other, Level.MINE, false]);
  await setLevel(owned[1] as Project, Level.UNSPECIFIED, person);
  assert.equal((await shown())[1], [other, Level.NONE, true]);
  const first = await list({ pageSize: 1 });
  const second = await list({ pageSize: 1, pageToken: first.nextPageToken });
  assert.equal(
    [...first.levels, ...second.levels].map(({ projectPath }) => projectPath),
    [one, other],
  );
});

test("unknown zones, empty quiet hours and errors that do not exist are refused with words", async () => {
  const { project, ann } = await developed();
  const set = (preferences: object) =>
    rejects(client.notificationPreferences.updateNotificationPreferences({ preferences }, ann), "INVALID_ARGUMENT");
  assert.match((await set({ timeZone: "Mars/Olympus" })).message, "time zone does not exist");
  assert.match(
    (await set({ quietHours: { fromMinute: 5, untilMinute: 5 } })).message,
    "begin and end at different times",
  );
  assert.match((await set({ quietHours: { fromMinute: 5, untilMinute: 1440 } })).message, "23:59");
  const missing = subscribe(project, "999999", ErrorSubscription.WATCHED, ann);
  assert.match((await rejects(missing, "NOT_FOUND")).message, "error does not exist");
});

test.run();

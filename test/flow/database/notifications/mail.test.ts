// process: it trusts the certificate of its mail server
// limit: 240 s
/** Mail through the public doors: an event comes in by the DSN, a mail reaches a real mail server. */
import { ErrorStatus, MailState, NotificationDeliveryState, NotificationTrigger, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../../support/core/project.ts";
import { rejects } from "../../../support/assert/rejects.ts";
import { mailLogin, mailServer } from "../../../support/notifications/mail-server.ts";
import { receiver } from "../../../support/notifications/receiver.ts";
import { until } from "../../../support/run/until.ts";
import { dayMs, hourMs, movableFaultline, signIn } from "../../../support/service/movable-faultline.ts";
import { newEventId, sendEvent, type Target } from "../../../support/sentry/send.ts";

const smtp = await mailServer();
const other = await receiver();
const { client, faultline, clock } = await movableFaultline({
  baseUrl: "https://errors.example.com",
  mail: {
    host: "localhost",
    port: smtp.port,
    encryption: "starttls",
    login: mailLogin,
    sender: { name: "Faultline", address: "faultline@example.com" },
  },
  outbound: { networks: ["127.0.0.0/8"], ports: [other.port] },
  logLevel: "silent",
});
const service = { url: faultline.httpUrl };
const minuteMs = 60_000;

const passphrase = "a long enough passphrase";
let count = 0;

/** A project with a member. An administrator entered the member's address. */
async function mailed({ signsIn = false } = {}) {
  count += 1;
  const path = `mailed-${count}`;
  const target = await createProject(service, { name: path, path });
  const person = await newReader(path, signsIn ? { password: passphrase } : {});
  const member = { projectId: target.id, userId: person.userId, role: Role.DEVELOPER };
  await client.members.addMember(member, client.auth);
  return { ...target, path, projectId: target.id, ...person, got: () => smtp.to(person.email) };
}

/** Without a password the person cannot sign in, which costs no time of hashing. */
async function newReader(username: string, { email = `${username}@example.com`, password = "" } = {}) {
  const { user } = await client.users.createUser({ username, password, email }, client.auth);
  return { userId: user?.userId ?? 0, username, password, email };
}

const send = (project: Target, message: string, more: object = {}) =>
  sendEvent(service, project, { event_id: newEventId(), message, ...more });

/** Lets the clock of the service pass what it waits between two mails. */
const waitFor = async (condition: () => boolean | Promise<boolean>, stepMs = 1_000) =>
  until(
    "the mail",
    async () => {
      clock.at += stepMs;
      return condition();
    },
    { deadlineMs: 20_000 },
  );

const deliveriesOf = async (projectId: number) =>
  (await client.notificationDeliveries.listNotificationDeliveries({ projectId, pageSize: 100 }, client.auth))
    .deliveries;

const errorsOf = async (projectId: number) =>
  (await client.errors.listErrors({ projectId, pageSize: 100 }, client.auth)).errors;

const stateOf = async (projectId: number) => (await deliveriesOf(projectId))[0]?.state;

const mail = async () => (await client.notificationMail.getMail({}, client.auth)).mail;

/** An hour in which nothing is mailed, so that the limits of an hour are whole again. */
const nextHour = () => (clock.at += hourMs + minuteMs);

test("a newcomer's first error is one useful mail to one recipient, encrypted, with no settings touched", async () => {
  const project = await mailed();
  await send(project, "the payment failed", { level: "error", release: "shop@2.0.0" });
  await waitFor(() => project.got().length > 0);
  await waitFor(async () => (await stateOf(project.projectId)) === NotificationDeliveryState.SENT);
  await send(project, "the payment failed");
  clock.at += 5 * minuteMs;
  await send(project, "a warning", { level: "warning" });
  await waitFor(() => true, 10 * minuteMs);
  assert.is(project.got().length, 1);
  const [got] = project.got();
  assert.ok(got);
  assert.equal([got.recipients, got.sender, got.isEncrypted], [[project.email], "faultline@example.com", true]);
  const { mail: parsed } = got;
  assert.is(parsed.subject, `[${project.path}] the payment failed`);
  assert.is(parsed.from?.text, '"Faultline" <faultline@example.com>');
  const url = new RegExp(`https://errors.example.com/${project.path}/-/error_tracking/\\d+/details`);
  for (const part of [parsed.text ?? "", parsed.html || ""]) {
    assert.match(part, url);
    assert.match(part, `New error in ${project.path}`);
    assert.match(part, "shop@2.0.0");
    assert.match(part, /10 Jan 2026, \d\d:\d\d UTC/);
  }
  const [delivery] = await deliveriesOf(project.projectId);
  assert.equal([delivery?.recipient, delivery?.attempts[0]?.httpStatus], [project.username, 250]);
});

test("the mails of an error are a thread that stays quiet for automatic replies and names the way out", async () => {
  const project = await mailed();
  await send(project, "again");
  await waitFor(() => project.got().length === 1);
  const { errors } = await client.errors.listErrors({ projectId: project.projectId }, client.auth);
  const changes = errors.map(({ errorId }) => ({ errorId, status: ErrorStatus.RESOLVED }));
  await client.errors.updateErrors({ projectId: project.projectId, changes }, client.auth);
  clock.at += minuteMs;
  await send(project, "again", { timestamp: (clock.at + 1_000) / 1000 });
  await waitFor(() => project.got().length === 2);
  const [first, second] = project.got().map(({ mail: parsed }) => parsed);
  const thread = `<e.${project.projectId}.${errors[0]?.errorId}@errors.example.com>`;
  for (const parsed of [first, second]) {
    assert.equal([parsed?.inReplyTo, parsed?.references], [thread, thread]);
    assert.match(parsed?.messageId ?? "", /^<d\.msg_[\da-f]{32}@errors\.example\.com>$/);
    assert.is(parsed?.headers.get("auto-submitted"), "auto-generated");
    assert.is(parsed?.headers.get("x-auto-response-suppress"), "All");
    assert.is(parsed?.headers.get("x-faultline-project"), project.path);
  }
  assert.is(first?.subject, second?.subject);
  assert.not.equal(first?.messageId, second?.messageId);
  const [raw = ""] = project.got().map((one) => one.raw.replaceAll(/\r\n[ \t]+/g, " "));
  assert.match(raw, /^List-Unsubscribe: <https:\/\/errors\.example\.com\/-\/unsubscribe\/[\w.-]+>\r$/m);
  assert.match(raw, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
  assert.match(
    raw,
    new RegExp(`^List-ID: "${project.path}" <p${project.projectId}\\.errors\\.example\\.com>\\r$`, "m"),
  );
  assert.match(second?.text ?? "", "Back after it was resolved");
});

test("an ignored error, one below the level error, and a change of status by a person send no mail", async () => {
  nextHour();
  const project = await mailed();
  await send(project, "kept quiet", { level: "info" });
  const { errors } = await client.errors.listErrors({ projectId: project.projectId }, client.auth);
  const changes = errors.map(({ errorId }) => ({ errorId, status: ErrorStatus.IGNORED }));
  await client.errors.updateErrors({ projectId: project.projectId, changes }, client.auth);
  await send(project, "kept quiet", { level: "fatal" });
  await send(project, "the one that is mailed");
  await waitFor(() => project.got().length > 0);
  await waitFor(() => true, 10 * minuteMs);
  assert.equal(
    project.got().map(({ mail: parsed }) => parsed.subject),
    [`[${project.path}] the one that is mailed`],
  );
});

test("mail goes to members from Developer on, not to reporters, administrators without a role, blocked accounts or unconfirmed addresses", async () => {
  nextHour();
  const project = await mailed();
  const add = (userId: number, role: Role) =>
    client.members.addMember({ projectId: project.projectId, userId, role }, client.auth);
  const [reporter, blocked, changed, odd] = [
    await newReader("reads-only"),
    await newReader("is-blocked"),
    await newReader("has-changed", { password: passphrase }),
    await newReader("odd", { email: "a,b@example.com" }),
  ];
  await client.users.createUser({ username: "admin-2", email: "admin-2@example.com", isAdmin: true }, client.auth);
  await add(reporter.userId, Role.REPORTER);
  for (const { userId } of [blocked, changed, odd]) await add(userId, Role.DEVELOPER);
  const session = await signIn(client, changed.username, changed.password);
  await client.accounts.updateProfile({ email: "stranger@example.org" }, session);
  await client.users.updateUser({ userId: blocked.userId, isBlocked: true }, client.auth);
  const before = smtp.received.length;
  await send(project, "for few");
  await waitFor(() => project.got().length > 0);
  await waitFor(() => true, 5 * minuteMs);
  assert.equal(
    smtp.received.slice(before).map(({ recipients }) => recipients),
    [[project.email]],
  );
});

test("people who lose the role before a mail is sent do not get it", async () => {
  const project = await mailed();
  smtp.answers({ atRecipient: 450 });
  await send(project, "too late");
  await waitFor(async () => ((await deliveriesOf(project.projectId))[0]?.attempts.length ?? 0) > 0);
  await client.members.removeMember({ projectId: project.projectId, userId: project.userId }, client.auth);
  smtp.answers("take");
  await waitFor(async () => (await stateOf(project.projectId)) === NotificationDeliveryState.FAILED, minuteMs);
  assert.is(project.got().length, 0);
  assert.match((await deliveriesOf(project.projectId))[0]?.reason ?? "", "can no longer read the project's errors");
});

test("450 is tried again under the same id, 550 gives up that mail alone, and neither says that the server fails", async () => {
  nextHour();
  const project = await mailed();
  smtp.answers({ atText: 450 });
  await send(project, "greylisted");
  await waitFor(() => project.got().length === 1);
  smtp.answers("take");
  await waitFor(() => project.got().length === 2, minuteMs);
  const [first, second] = project.got().map(({ mail: parsed }) => parsed.messageId);
  assert.is(first, second);
  smtp.answers({ atRecipient: 550 });
  await send(project, "refused for good");
  await waitFor(async () => (await stateOf(project.projectId)) === NotificationDeliveryState.FAILED);
  assert.match((await deliveriesOf(project.projectId))[0]?.reason ?? "", /refused the e-mail.*550/);
  assert.is((await mail())?.state, MailState.WORKING);
  smtp.answers("take");
  await send(project, "the next one");
  await waitFor(() => project.got().length === 3);
});

test("a refused login pauses all mail with its reason, without the password, and mail continues after a quarter of an hour", async () => {
  nextHour();
  const [project, later] = [await mailed(), await mailed()];
  smtp.endConnections();
  smtp.answers("refuse-login");
  await send(project, "held back");
  await waitFor(async () => (await mail())?.state === MailState.PAUSED);
  await send(later, "held back too");
  const sessions = smtp.sessions();
  await waitFor(() => true, minuteMs);
  await waitFor(() => true, minuteMs);
  assert.is(smtp.sessions(), sessions);
  const paused = await mail();
  assert.match(paused?.failure ?? "", /^The mail server refuses the user name and password\./);
  const shown = JSON.stringify([paused, await deliveriesOf(project.projectId)], (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  assert.not.match(shown, mailLogin.password);
  assert.ok(paused?.failingSinceTime);
  smtp.answers("take");
  await waitFor(() => project.got().length === 1 && later.got().length === 1, minuteMs);
  await waitFor(async () => (await mail())?.state === MailState.WORKING);
});

test("a server that takes the text and closes without an answer gets the mail at most once more", async () => {
  nextHour();
  const project = await mailed();
  smtp.answers("drop");
  await send(project, "perhaps");
  await waitFor(async () => (await stateOf(project.projectId)) === NotificationDeliveryState.FAILED, minuteMs);
  assert.is(project.got().length, 2);
  assert.match((await deliveriesOf(project.projectId))[0]?.reason ?? "", "It may have arrived.");
  await waitFor(() => true, hourMs);
  assert.is(project.got().length, 2);
  smtp.answers("take");
});

test("everything beyond five mails is in one digest, and a person gets at most 20 mails an hour", async () => {
  nextHour();
  const project = await mailed();
  const words = "abcdefghijklmnopqrstuvwxyz";
  for (const letter of words) await send(project, `storm ${letter}${letter}`);
  await until("all errors of the storm", async () => (await errorsOf(project.projectId)).length === words.length);
  await waitFor(() => project.got().length === 5);
  await waitFor(() => project.got().length === 6, minuteMs);
  const digest = project.got()[5]?.mail;
  assert.match(digest?.subject ?? "", /^\[mailed-\d+\] \d+ more changes$/);
  assert.match(digest?.text ?? "", "Not listed");
  await waitFor(async () => {
    const deliveries = await deliveriesOf(project.projectId);
    const reported = deliveries.reduce((sum, { changeCount }) => sum + changeCount, 0);
    return reported === words.length && deliveries.length === project.got().length;
  }, minuteMs);
});

test("a project sends half of the mails that others left of 60 an hour, and the rest comes as digests later", async () => {
  nextHour();
  count += 1;
  const path = `crowd-${count}`;
  const target = await createProject(service, { name: path, path });
  const people = 13;
  for (let n = 0; n < people; n++) {
    const { userId } = await newReader(`crowd-${n}`);
    await client.members.addMember({ projectId: target.id, userId, role: Role.DEVELOPER }, client.auth);
  }
  const before = smtp.received.length;
  const words = ["alpha", "beta", "gamma", "delta", "omega"];
  for (const word of words) await send(target, `everyone hears of ${word}`);
  await waitFor(() => smtp.received.length - before >= 30);
  await waitFor(() => true, minuteMs);
  assert.is(smtp.received.length - before, 30);
  const changes = async () => (await deliveriesOf(target.id)).reduce((sum, { changeCount }) => sum + changeCount, 0);
  assert.is(await changes(), 30);
  const quiet = await mailed();
  await send(quiet, "not in the crowd");
  await waitFor(() => quiet.got().length === 1);
  await waitFor(async () => (await changes()) === people * words.length, 10 * minuteMs);
});

test("the link of a mail ends the mails of that project once and for all, and a forged or cut one ends nothing", async () => {
  nextHour();
  const [project, stranger] = [await mailed(), await mailed()];
  await send(project, "first");
  await waitFor(() => project.got().length === 1);
  const token = /\/-\/unsubscribe\/([\w.-]+)/.exec(project.got()[0]?.mail.text ?? "")?.[1] ?? "";
  const { unsubscribeFromMail, getMailSubscription } = client.notificationMail;
  const forged = token.replace(`${project.userId}.`, `${stranger.userId}.`);
  for (const wrong of [forged, token.slice(0, -1), `${token}x`, ""]) {
    await rejects(getMailSubscription({ token: wrong }), "NOT_FOUND");
    await rejects(unsubscribeFromMail({ token: wrong }), "NOT_FOUND");
  }
  const open = await getMailSubscription({ token });
  assert.equal([open.projectPath, open.subscribed], [project.path, true]);
  assert.is((await unsubscribeFromMail({ token })).ended, true);
  assert.is((await unsubscribeFromMail({ token })).ended, false);
  assert.is((await getMailSubscription({ token })).subscribed, false);
  const { auditEvents } = await client.audit.listAuditEvents({ projectId: project.projectId }, client.auth);
  const acts = auditEvents.filter(({ method }) => method === "NotificationMailService.UnsubscribeFromMail");
  assert.equal(
    acts.map(({ username, summary }) => [username, summary]),
    [[project.username, `Ended the mails about errors of ${project.path} by the link in one.`]],
  );
  await send(project, "second");
  await waitFor(() => true, minuteMs);
  await waitFor(() => true, minuteMs);
  assert.is(project.got().length, 1);
});

test("an address that a person enters gets mail once its link is confirmed, within a day, and only for that address", async () => {
  nextHour();
  const project = await mailed({ signsIn: true });
  const session = await signIn(client, project.username, project.password);
  const email = `${project.username}-new@example.org`;
  const { user } = await client.accounts.updateProfile({ email }, session);
  assert.is(user?.isEmailConfirmed, false);
  await rejects(client.notificationMail.sendTestMail({}, session), "FAILED_PRECONDITION");
  const sent = await client.notificationMail.sendAddressConfirmation({}, session);
  assert.equal([sent.accepted, sent.recipient], [true, email]);
  const token = /\/-\/confirm_email\/([\w.-]+)/.exec(smtp.to(email)[0]?.mail.text ?? "")?.[1] ?? "";
  const { getAddressConfirmation, confirmAddress } = client.notificationMail;
  assert.equal((await getAddressConfirmation({ token })).email, email);
  await client.accounts.updateProfile({ email: `x-${email}` }, session);
  await rejects(confirmAddress({ token }), "NOT_FOUND");
  await client.accounts.updateProfile({ email }, session);
  clock.at += dayMs + 1;
  await rejects(confirmAddress({ token }), "NOT_FOUND");
  clock.at -= dayMs;
  assert.is((await confirmAddress({ token })).user?.isEmailConfirmed, true);
  const tested = await client.notificationMail.sendTestMail({}, session);
  assert.ok(tested.accepted);
  assert.match(tested.answer, /^250 /);
  assert.match(smtp.to(email)[1]?.mail.text ?? "", "E-mail works");
});

test("five mails to oneself an hour are sent, a sixth is refused", async () => {
  const project = await mailed({ signsIn: true });
  const session = await signIn(client, project.username, project.password);
  for (let n = 0; n < 5; n++) await client.notificationMail.sendTestMail({}, session);
  const refused = await rejects(client.notificationMail.sendTestMail({}, session), "FAILED_PRECONDITION");
  assert.match(refused.message, "five of these e-mails per hour");
  assert.is(project.got().length, 5);
});

test("others than administrators see that mail works, and neither the server nor what it said", async () => {
  const project = await mailed({ signsIn: true });
  const session = await signIn(client, project.username, project.password);
  const { mail: seen } = await client.notificationMail.getMail({}, session);
  assert.equal([seen?.state, seen?.sender, seen?.server], [MailState.WORKING, "faultline@example.com", ""]);
  assert.is((await mail())?.server, `localhost:${smtp.port}`);
});

test("a mail server that stalls keeps no webhook waiting", async () => {
  nextHour();
  const project = await mailed();
  const url = `${other.url}/hook`;
  const { channel } = await client.notificationChannels.createNotificationChannel(
    { projectId: project.projectId, kind: "webhook", name: "Hook", fields: { url } },
    client.auth,
  );
  const rule = {
    name: "All",
    enabled: true,
    triggers: [NotificationTrigger.CREATED],
    channelIds: [channel?.channelId ?? 0],
  };
  await client.notificationRules.createNotificationRule({ projectId: project.projectId, rule }, client.auth);
  smtp.answers("hang");
  for (const letter of "abcdefg") await send(await mailed(), `stalled ${letter}${letter}`);
  await send(project, "to both");
  await waitFor(() => other.received.length === 1);
  smtp.answers("take");
  smtp.endConnections();
  await waitFor(() => project.got().length > 0, minuteMs);
});

test.run();

import { ActivityKind, DeletionState, NotificationTrigger, Role, type Comment } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, withoutReason } from "../../support/assert/assert-answer.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { linkedProject } from "../../support/core/linked-project.ts";
import { newMember, newPerson, type Person } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { execSql, rowsOf } from "../../support/database/other-process.ts";
import { fakeExternal } from "../../support/external/fake-external.ts";
import { rest } from "../../support/rest/rest.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { hourMs, movableFaultline } from "../../support/service/movable-faultline.ts";
import { tempDir } from "../../support/service/temp-dir.ts";

/** Comments on errors: what people may do, what is kept, who is notified, and what happens when the error goes. */

const fake = await fakeExternal({ issues: [{ id: "1001" }] });
const dataDir = tempDir();
const outbound = { networks: ["127.0.0.0/8"], ports: [fake.port] };
const { client, clock, faultline } = await movableFaultline({ dataDir, outbound });
test.after(() => fake.close());
const server = { url: faultline.httpUrl };
const { comments } = client;

let project: Project;
let error: { projectId: number; errorId: string };
let anna: Person;
let ben: Person;
let reporter: Person;

test.before.each(async () => {
  clock.at += 60_000;
  project = await createProject(server);
  error = { projectId: project.id, errorId: await newError("cart") };
  anna = await newMember(client, project.id, Role.DEVELOPER);
  ben = await newMember(client, project.id, Role.DEVELOPER);
  reporter = await newMember(client, project.id, Role.REPORTER);
});

async function newError(message: string): Promise<string> {
  await answered(sendEvent(server, project, { event_id: newEventId(), message, fingerprint: [message] }), 200);
  const { errors } = await client.errors.listErrors({ projectId: project.id, query: message }, client.auth);
  return errors[0]?.errorId ?? "";
}

async function comment(person: Person, text: string): Promise<Comment> {
  const { comment: added } = await comments.createComment({ ...error, text }, person);
  assert.ok(added);
  return added;
}

const textsOf = async (person: Person = anna) =>
  (await comments.listComments(error, person)).comments.map(({ author, text }) => `${author}: ${text}`);

test("comments are listed oldest first or newest first, in pages, to everybody who may read the error", async () => {
  for (const text of ["one", "two", "three"]) await comment(anna, text);
  const all = await comments.listComments(error, reporter);
  assert.equal(
    all.comments.map(({ text, version, mayUpdate, mayDelete }) => [text, version, mayUpdate, mayDelete]),
    ["one", "two", "three"].map((text) => [text, 1, false, false]),
  );
  assert.equal([all.totalSize, all.nextPageToken, all.mayCreate], [3, "", false]);
  for (const [newestFirst, expected] of [
    [false, ["one two", "three"]],
    [true, ["three two", "one"]],
  ] as const) {
    const asked = { ...error, pageSize: 2, newestFirst };
    const first = await comments.listComments(asked, anna);
    const second = await comments.listComments({ ...asked, pageToken: first.nextPageToken }, anna);
    assert.equal(
      [first, second].map((page) => page.comments.map(({ text }) => text).join(" ")),
      expected,
    );
    assert.is(second.nextPageToken, "");
    const other = { ...asked, newestFirst: !newestFirst, pageToken: first.nextPageToken };
    await refusedBecause("INVALID_PAGE_TOKEN", comments.listComments(other, anna));
  }
});

test("a text is read as Markdown, without control characters, and refused if it is empty or too long", async () => {
  const { text, blocks } = await comment(anna, "  **now**\r\n\u202e<b>\u0007\t- no\n\n- yes ");
  assert.is(text, "**now**\n<b>    - no\n\n- yes");
  assert.equal(
    blocks.map(({ spans }) => spans.map((span) => [span.text, span.bold])),
    [
      [
        ["now", true],
        ["\n<b>    - no", false],
      ],
      [["yes", false]],
    ],
  );
  for (const bad of ["", " \n", "\u0007", "x".repeat(10_001)]) {
    assert.is((await refusedBecause("INVALID_FIELD", comment(anna, bad))).field, "text");
  }
  await comment(anna, "x".repeat(10_000));
});

test("a person changes their own comment only, from the version that they read; the earlier texts stay", async () => {
  const { commentId } = await comment(anna, "first");
  const of = { ...error, commentId };
  clock.at += 1_000;
  const { comment: second } = await comments.updateComment({ ...of, version: 1, text: "second" }, anna);
  assert.equal([second?.version, second?.text, Boolean(second?.editedTime)], [2, "second", true]);
  const outdated = comments.updateComment({ ...of, version: 1, text: "other" }, anna);
  assert.match((await refusedBecause("VERSION_CHANGED", outdated)).message, /version 2 now/);
  await refusedBecause("FORBIDDEN", comments.updateComment({ ...of, version: 2, text: "mine" }, ben));
  await refusedBecause("FORBIDDEN", comments.updateComment({ ...of, version: 2, text: "mine" }, client.auth));
  await refusedBecause("FORBIDDEN", comments.updateComment({ ...of, version: 2, text: "mine" }, reporter));
  const outcomes = await Promise.allSettled(
    ["a", "b", "c"].map((text) => comments.updateComment({ ...of, version: 2, text }, anna)),
  );
  assert.is(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  const first = await comments.listCommentVersions({ ...of, pageSize: 2 }, reporter);
  const others = await comments.listCommentVersions({ ...of, pageSize: 2, pageToken: first.nextPageToken }, reporter);
  assert.equal(
    [...first.versions, ...others.versions].map(({ version, author }) => [version, author]),
    [3, 2, 1].map((version) => [version, anna.username]),
  );
  assert.equal(
    [...first.versions, ...others.versions].slice(1).map(({ text }) => text),
    ["second", "first"],
  );
  for (let version = 3; version < 50; version += 1) {
    await comments.updateComment({ ...of, version, text: `text ${version}` }, anna);
  }
  await refusedBecause("LIMIT_REACHED", comments.updateComment({ ...of, version: 50, text: "one more" }, anna));
});

test("a deleted comment leaves a stub without its texts; its author or a maintainer deletes it", async () => {
  const maintainer = await newMember(client, project.id, Role.MAINTAINER);
  const secret = await comment(anna, "the password is secret-1");
  await comments.updateComment({ ...error, commentId: secret.commentId, version: 1, text: "no secret-2" }, anna);
  const other = await comment(ben, "noise");
  await refusedBecause("FORBIDDEN", comments.deleteComment({ ...error, commentId: secret.commentId }, ben));
  await comments.deleteComment({ ...error, commentId: secret.commentId }, anna);
  await comments.deleteComment({ ...error, commentId: other.commentId }, maintainer);
  const { comments: stubs, totalSize } = await comments.listComments(error, anna);
  assert.is(totalSize, 2);
  assert.equal(
    stubs.map(({ author, text, deletedBy, mayDelete }) => [author, text, deletedBy, mayDelete]),
    [
      [anna.username, "", anna.username, false],
      [ben.username, "", maintainer.username, false],
    ],
  );
  const of = { ...error, commentId: secret.commentId };
  assert.equal((await comments.listCommentVersions(of, anna)).versions, []);
  await refusedBecause("NOT_FOUND", comments.updateComment({ ...of, version: 2, text: "again" }, anna));
  await refusedBecause("NOT_FOUND", comments.deleteComment(of, anna));
  const { auditEvents } = await client.audit.listAuditEvents({ pageSize: 1 }, client.auth);
  assert.is(auditEvents[0]?.summary, `Deleted a comment of ${ben.username} on the error ${error.errorId}.`);
  const rows = await rowsOf(dataDir, `select text from comments_version union all select text from comments_comment`);
  assert.not.match(JSON.stringify(rows), "secret-");
});

test("a comment of another error or project is missing, and strangers do not learn that the project exists", async () => {
  const { commentId } = await comment(anna, "here");
  const elsewhere = { ...error, errorId: await newError("other"), commentId };
  await refusedBecause("NOT_FOUND", comments.listCommentVersions(elsewhere, anna));
  await refusedBecause("NOT_FOUND", comments.updateComment({ ...elsewhere, version: 1, text: "x" }, anna));
  await refusedBecause("NOT_FOUND", comments.deleteComment(elsewhere, anna));
  await refusedBecause("ERROR_NOT_FOUND", comments.createComment({ ...error, errorId: "999", text: "x" }, anna));
  const stranger = await newPerson(client);
  await refusedBecause("PROJECT_NOT_FOUND", comments.listComments(error, stranger));
  await refusedBecause("FORBIDDEN", comment(reporter, "I may read only"));
  assert.equal(await textsOf(), [`${anna.username}: here`]);
});

test("a mention reaches the inbox of a person who may read the error, once, and of nobody else", async () => {
  const stranger = await newPerson(client);
  const inboxOf = async (person: Person) =>
    (await client.inbox.listInboxEntries({}, person)).entries.filter(
      ({ trigger, kind }) => trigger === NotificationTrigger.ANNOUNCED && kind === "mention",
    );
  const text = `**@${ben.username.toUpperCase()}**, @${stranger.username} and \`@${reporter.username}\`: look, @${anna.username}`;
  const { commentId } = await comment(anna, text);
  const [entry] = await until("the mention", async () => {
    const entries = await inboxOf(ben);
    return entries.length > 0 ? entries : undefined;
  });
  assert.equal(
    [entry?.headline, entry?.text, entry?.errorId],
    [`You were mentioned by ${anna.username}`, text.replaceAll(/[*`]/g, ""), error.errorId], // without marks of Markdown
  );
  const more = `${text} @${reporter.username}`;
  await comments.updateComment({ ...error, commentId, version: 1, text: more }, anna);
  await until("the second mention", async () => (await inboxOf(reporter)).length > 0);
  assert.equal([(await inboxOf(ben)).length, (await inboxOf(reporter)).length], [1, 1]);
  for (const person of [anna, stranger]) assert.equal(await inboxOf(person), []);
});

test("more than 20 mentions, 20 comments in a minute and 1,000 on an error are refused", async () => {
  const people: Person[] = [];
  for (let n = 0; n < 21; n += 1) people.push(await newMember(client, project.id, Role.REPORTER));
  const mentions = people.map(({ username }) => `@${username}`);
  const crowded = await refusedBecause("INVALID_FIELD", comment(anna, mentions.join(" ")));
  assert.match(crowded.message, /at most 20 people. This comment mentions 21/);
  await comment(anna, mentions.slice(1).join(" "));
  for (let n = 1; n < 20; n += 1) await comment(anna, `comment ${n}`);
  await refusedBecause("RATE_LIMITED", comment(anna, "too fast"));
  await comment(ben, "not too fast");
  clock.at += 60_000;
  await comment(anna, "slower");
  const rows = Array.from(
    { length: 1_000 - 22 },
    () => `(${error.projectId}, '${error.errorId}', 'old', 'x', 1, 1, '', 1)`,
  );
  await execSql(
    dataDir,
    `insert into comments_comment (project_id, error_id, author, text, version, created_at, deleted_by, bytes)
      values ${rows.join(", ")}`,
  );
  await refusedBecause("LIMIT_REACHED", comment(anna, "one more"));
  assert.is((await comments.listComments(error, anna)).totalSize, 1_000);
});

test("a comment is an entry of the activity, under the name that its author had, also after the user is deleted", async () => {
  const { commentId } = await comment(ben, "I look into it");
  await client.users.deleteUser({ userId: ben.userId }, client.auth);
  const { entries } = await client.activity.listErrorActivity(error, anna);
  assert.equal(
    entries.map(({ kind, text, actor }) => [kind, text, actor]),
    [
      [ActivityKind.OTHER, "Commented", ben.username],
      [ActivityKind.CREATED, "", ""],
    ],
  );
  assert.equal(await textsOf(), [`${ben.username}: I look into it`]);
  await refusedBecause("FORBIDDEN", comments.deleteComment({ ...error, commentId }, anna));
});

test("comments go with their error, return when its deletion is undone, and are erased with it", async () => {
  await comment(anna, "kept");
  const deleteError = async () => {
    const target = { case: "errors" as const, value: { errorIds: [error.errorId] } };
    const { deletion } = await client.deletions.createDeletion({ projectId: project.id, target }, client.auth);
    return { projectId: project.id, deletionId: deletion?.deletionId ?? 0 };
  };
  const deletion = await deleteError();
  await refusedBecause("ERROR_NOT_FOUND", comments.listComments(error, anna));
  await refusedBecause("ERROR_NOT_FOUND", comment(anna, "too late"));
  await client.deletions.undoDeletion(deletion, client.auth);
  assert.equal(await textsOf(), [`${anna.username}: kept`]);
  const last = await deleteError();
  clock.at += 25 * hourMs;
  await until("the error is erased", async () => {
    const { deletion: now } = await client.deletions.getDeletion(last, client.auth);
    return now?.state === DeletionState.ERASED;
  });
  const count = async () =>
    (await rowsOf(dataDir, `select id from comments_comment where project_id = ${project.id}`)).length;
  await until("the comments are erased", async () => (await count()) === 0);
});

test("an error of an external system has comments, and the system does not get them", async () => {
  const linked = await linkedProject(client, fake);
  const of = { projectId: linked.projectId, errorId: "1001" };
  await comments.createComment({ ...of, text: "kept here" }, client.auth);
  const listed = await comments.listComments(of, client.auth);
  assert.equal(
    listed.comments.map(({ text }) => text),
    ["kept here"],
  );
  await refusedBecause("ERROR_NOT_FOUND", comments.listComments({ ...of, errorId: "1099" }, client.auth));
});

test("REST adds, changes, lists and deletes comments", async () => {
  const list = `/projects/${project.id}/error_tracking/errors/${error.errorId}/comments`;
  const ask = (call: string, body?: object) => rest(server, call, { token: anna.token, ...(body && { body }) });
  const { json: added } = await answered(ask(`POST ${list}`, { text: "**by** REST" }), 201);
  const { id } = added as { id: number };
  const { json: changed } = await answered(ask(`PUT ${list}/${id}`, { version: 1, text: "changed" }), 200);
  const time = new Date(clock.at).toISOString();
  const expected = {
    id,
    error_id: error.errorId,
    author: anna.username,
    text: "changed",
    created_at: time,
    edited_at: time,
    deleted_at: null,
    deleted_by: null,
    version: 2,
    may_update: true,
    may_delete: true,
  };
  assert.equal(changed, expected);
  await answered(ask(`PUT ${list}/${id}`, { version: 1, text: "again" }), 409);
  assert.equal((await answered(ask(`GET ${list}`), 200)).json, [expected]);
  const { json: versions } = await answered(ask(`GET ${list}/${id}/versions`), 200);
  assert.equal(
    (versions as { text: string }[]).map(({ text }) => text),
    ["changed", "**by** REST"],
  );
  await answered(ask(`DELETE ${list}/${id}`), 204);
  assert.match((await answered(ask(`DELETE ${list}/${id}`), 404)).text, "This comment was deleted.");
  assert.equal(withoutReason((await answered(ask(`POST ${list}`, {}), 400)).json), { error: "text is missing" });
});

test("comments count for what a project keeps", async () => {
  await comment(anna, "é".repeat(5_000));
  await until("the bytes are counted", async () => {
    const { quota } = await client.quotas.getQuota({ projectId: project.id }, client.auth);
    return quota?.keptParts.some(({ name, bytes }) => name === "comments" && bytes > 10_000n);
  });
});

test.run();

/** A plugin in `test/` that one line loads, and what it gets without any other edit. */
import type { Host, ServiceError } from "@faultline/plugin";
import {
  ActivityKind,
  DeletionService,
  ErrorReason,
  ErrorStatus,
  ErrorSubscription,
  NotificationLevel,
  NotificationSuppressionReason,
  NotificationTrigger,
  Role,
} from "@faultline/proto";
import { connect } from "@faultline/proto/grpc";
import { credentials } from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { notes } from "../../notes-plugin/notes.ts";
import { NoteService } from "../../notes-plugin/schema.ts";
import { permissionsDocument } from "../../permissions/document.ts";
import { entrancesOf, methodsOf } from "../../permissions/operations.ts";
import { answered, withoutReason } from "../../support/assert/assert-answer.ts";
import { fakeExternal } from "../../support/external/fake-external.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { http } from "../../support/http/http.ts";
import { linkedProject } from "../../support/core/linked-project.ts";
import { execSql, rowsOf } from "../../support/database/other-process.ts";
import { newMember, newPerson } from "../../support/core/person.ts";
import { discovered, reflected } from "../../support/core/reflection.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { until } from "../../support/run/until.ts";
import { testPace } from "../../support/service/movable-faultline.ts";

/** How often the plugin still fails after it has written. */
let failuresLeft = 0;
const { promise: started, resolve: onStart } = Promise.withResolvers<Host>();
const plugin = notes({
  onStart,
  onNoted() {
    if (failuresLeft-- > 0) throw new Error("the plugin fails");
  },
});

const fake = await fakeExternal({ issues: [{ id: "1001" }, { id: "1002", status: "resolved" }] });
const channel = await receiver();
const outbound = { networks: ["127.0.0.0/8"], ports: [fake.port, channel.port] };
const faultline = await startFaultline({ ...testConfig(tempDir()), outbound, logLevel: "silent" }, undefined, {
  plugins: [plugin],
  pace: testPace,
});
const service = { url: faultline.httpUrl };
const client = grpcClient(faultline);
const connection = connect(faultline.grpcAddress, credentials.createInsecure());
const { addNote, listNotes } = connection.service(NoteService) as Record<
  "addNote" | "listNotes",
  (request: object, context?: object) => Promise<object>
>;
const { project } = await client.projects.createProject({ path: "noted" }, client.auth);
const projectId = project?.projectId ?? 0;
const developer = await newMember(client, projectId, Role.DEVELOPER);

test.after(async () => {
  connection.close();
  client.close();
  await faultline.stop();
  await fake.close();
});

test("its service stores in its own table and reads from it", async () => {
  await addNote({ projectId, text: "seen twice" }, developer);
  const { texts } = (await listNotes({ projectId }, developer)) as { texts: string[] };
  assert.equal(texts, [`${developer.username}: seen twice`]);
});

test("its method is refused to people without the right, by the option of the method", async () => {
  const reporter = await newMember(client, projectId, Role.REPORTER);
  const reader = await newMember(client, projectId, Role.DEVELOPER, ["read_api"]);
  const stranger = await newPerson(client);
  await listNotes({ projectId }, reporter);
  await listNotes({ projectId }, reader);
  const ofReporter = await rejects(addNote({ projectId, text: "" }, reporter), "PERMISSION_DENIED");
  assert.match(ofReporter.message, "at least the Developer role in noted");
  const ofReader = await rejects(addNote({ projectId, text: "" }, reader), "PERMISSION_DENIED");
  assert.match(ofReader.message, "lacks the scope api");
  await rejects(listNotes({ projectId }, stranger), "NOT_FOUND");
  await rejects(listNotes({ projectId }), "UNAUTHENTICATED");
});

test("the audit log records its act, by the option of the method, and not its reading", async () => {
  await addNote({ projectId, text: "look at the cache" }, developer);
  await listNotes({ projectId }, developer);
  const { auditEvents } = await client.audit.listAuditEvents({ pageSize: 1 }, client.auth);
  assert.equal(
    auditEvents.map(({ method, username, projectPath, summary }) => [method, username, projectPath, summary]),
    [["NoteService.AddNote", developer.username, "noted", 'Added the note "look at the cache".']],
  );
});

test("its operations answer below /api/v4, with the rights of their methods", async () => {
  const ask = (verb: "GET" | "POST", token: string | null, body?: object) =>
    rest(service, `${verb} /projects/noted/notes`, { token, ...(body && { body }) });
  await answered(ask("POST", developer.token, { text: "by REST" }), 204);
  const { texts } = (await answered(ask("GET", developer.token), 200)).json as { texts: string[] };
  assert.is(texts.at(-1), `${developer.username}: by REST`);
  assert.equal(withoutReason((await answered(ask("POST", developer.token, {}), 400)).json), {
    error: "text is missing",
  });

  const reporter = await newMember(client, projectId, Role.REPORTER);
  const reader = await newMember(client, projectId, Role.DEVELOPER, ["read_api"]);
  await answered(ask("POST", reporter.token, {}), 403);
  await answered(ask("POST", reader.token, {}), 403);
  await answered(ask("GET", (await newPerson(client)).token), 404);
  await answered(ask("GET", null), 401);
});

test("the document of the REST API describes its operations, with the role and the scope of their methods", async () => {
  const { json } = await answered(http(`${faultline.httpUrl}/api/v4/openapi.json`), 200);
  const { paths, components } = json as {
    paths: Record<string, Record<string, Record<string, unknown>>>;
    components: { schemas: object };
  };
  const { get, post } = paths["/projects/{project}/notes"] ?? {};
  assert.equal([post?.["operationId"], post?.["x-least-role"], post?.["x-scope"]], ["addNote", "Developer", "write"]);
  assert.equal([get?.["operationId"], get?.["x-least-role"], get?.["x-scope"]], ["listNotes", "Reporter", "read"]);
  assert.ok("Notes" in components.schemas);
  assert.match((await answered(http(`${faultline.httpUrl}/api/v4/docs`), 200)).text, '<section id="addNote">');
});

test("its notices reach those who follow the error, once each, although the plugin fails first", async () => {
  const told = await createProject(service);
  const follower = await newMember(client, told.id, Role.DEVELOPER);
  const other = await newMember(client, told.id, Role.DEVELOPER);
  const level = NotificationLevel.ALL;
  await client.notificationPreferences.updateNotificationLevel({ projectId: told.id, level }, follower);
  failuresLeft = 1;
  await answered(sendEvent(service, told, { event_id: newEventId(), message: "told" }), 200);
  const entriesOf = async (person: typeof follower) => (await client.inbox.listInboxEntries({}, person)).entries;
  await until("the notice is in the inbox", async () => (await entriesOf(follower)).length === 2);
  const seen = (await entriesOf(follower)).map(({ trigger, kind, headline, text, title }) => ({
    trigger,
    kind,
    headline,
    text,
    title,
  }));
  const title = "told";
  assert.equal(
    seen.toSorted((one, two) => one.trigger - two.trigger),
    [
      { trigger: NotificationTrigger.CREATED, kind: "", headline: "New error", text: "", title },
      {
        trigger: NotificationTrigger.ANNOUNCED,
        kind: "note",
        headline: "New note",
        text: "The service noted: created",
        title,
      },
    ],
  );
  assert.equal(
    (await entriesOf(other)).map(({ trigger }) => trigger),
    [NotificationTrigger.CREATED],
  );
});

test("a notice reaches the people whom it names and the channels of a rule of its kind, as plain text", async () => {
  const told = await createProject(service);
  const at = { projectId: told.id };
  const author = await newMember(client, told.id, Role.DEVELOPER);
  const reporter = await newMember(client, told.id, Role.REPORTER);
  const muting = await newMember(client, told.id, Role.DEVELOPER);
  const unnamed = await newMember(client, told.id, Role.DEVELOPER);
  const outside = await newPerson(client);
  await answered(sendEvent(service, told, { event_id: newEventId(), message: "<b>told</b>" }), 200);
  const [{ errorId = "" } = {}] = (await client.errors.listErrors(at, client.auth)).errors;
  const rule = { name: "Notes", enabled: true, kinds: ["note_mention"], channelIds: [await addHook(told.id, "notes")] };
  const created = await client.notificationRules.createNotificationRule({ ...at, rule }, client.auth);
  assert.equal([created.rule?.triggers, created.rule?.kinds], [[], ["note_mention"]]);
  const subscription = ErrorSubscription.MUTED;
  await client.notificationPreferences.updateErrorSubscription({ ...at, errorId, subscription }, muting);
  const people = [author, reporter, muting, outside].map(({ username }) => `@${username}`);
  for (const n of [1, 2]) await addNote({ ...at, errorId, text: `<script>${n} ${people.join(" ")}` }, author);
  await until("both messages", () => channel.received.length === 2);
  const [message] = channel.received.map(({ body }) => JSON.parse(body) as { type: string; data: { facts: object[] } });
  assert.is(message?.type, "notice.note_mention");
  assert.equal(message?.data.facts.slice(0, 2), [
    { label: "By", value: author.username },
    { label: "Text", value: `<script>1 ${people.join(" ")}` },
  ]);
  const textsOf = async (person: typeof author) =>
    (await client.inbox.listInboxEntries({}, person)).entries
      .filter(({ kind }) => kind === "note_mention")
      .map(({ headline, text }) => [headline, text.slice(0, 9)]);
  const headline = `Mention by ${author.username}`;
  assert.equal(await textsOf(reporter), [
    [headline, "<script>2"],
    [headline, "<script>1"],
  ]);
  for (const person of [author, muting, unnamed, outside]) assert.equal(await textsOf(person), []);
  const suppressed = async (person: typeof author) =>
    (await client.notificationPreferences.getErrorSubscription({ ...at, errorId }, person)).suppressions
      .filter(({ kind }) => kind !== "")
      .map(({ kind, headline: words, reason, count }) => [kind, words, reason, count]);
  assert.equal(await suppressed(author), [["note_mention", "Mention", NotificationSuppressionReason.OWN_CHANGE, 2]]);
  assert.equal(await suppressed(muting), [["note_mention", "Mention", NotificationSuppressionReason.MUTED, 2]]);
});

/** Adds a channel to a project, and returns its id. */
async function addHook(ofProject: number, path: string): Promise<number> {
  const fields = { url: `${channel.url}/${path}` };
  const hook = { projectId: ofProject, kind: "webhook", name: "Hook", fields };
  const added = await client.notificationChannels.createNotificationChannel(hook, client.auth);
  return added.channel?.channelId ?? 0;
}

test("rules can name its kinds, and a kind that no plugin announces is refused with those that are", async () => {
  const { triggers } = await client.notificationRules.listNotificationTriggers({ projectId }, client.auth);
  assert.equal(
    triggers
      .filter(({ kind }) => kind.startsWith("note"))
      .map(({ trigger, kind, label, allowed }) => [trigger, kind, label, allowed]),
    [
      [NotificationTrigger.ANNOUNCED, "note", "Notes", true],
      [NotificationTrigger.ANNOUNCED, "note_mention", "Mentions", true],
    ],
  );
  const rule = { name: "Odd", enabled: true, channelIds: [await addHook(projectId, "unknown")] };
  const create = (reports: object) =>
    client.notificationRules.createNotificationRule({ projectId, rule: { ...rule, ...reports } }, client.auth);
  const byRest = { name: "By REST", triggers: [], kinds: ["note"], channel_ids: rule.channelIds };
  const added = await rest(service, "POST /projects/noted/error_tracking/notification_rules", { body: byRest });
  assert.equal((added.json as { kinds: string[] }).kinds, ["note"]);
  const unknown = await rejects(create({ kinds: ["note", "noet"] }), "INVALID_ARGUMENT");
  assert.match(unknown.message, /No plugin announces the kind "noet"\. Use one of: .*note, note_mention/);
  await rejects(create({ triggers: [NotificationTrigger.ANNOUNCED] }), "INVALID_ARGUMENT");
  await rejects(create({ kinds: Array.from({ length: 101 }, () => "note") }), "INVALID_ARGUMENT");
});

test("a notice that it may not announce is refused with the reason", async () => {
  const { database, notify } = await started;
  const notice = { kind: "note", projectId, errorId: "1", at: 0, actor: "", text: "" };
  const announce = (...notices: (typeof notice & { userIds?: number[] })[]) =>
    database
      .write()
      .transaction()
      .execute((transaction) => notify(notices, transaction))
      .then(
        () => "nothing is refused",
        ({ message }: Error) => message,
      );
  assert.match(await announce(notice, { ...notice, kind: "created" }), /the kind created, .*: note, note_mention\./);
  assert.match(await announce({ ...notice, text: "x".repeat(501) }), /a text of 501 characters/);
  assert.match(await announce({ ...notice, userIds: Array.from({ length: 101 }, (_, id) => id) }), /names 101 people/);
  assert.match(await announce(...Array.from({ length: 501 }, () => notice)), /501 notices at once/);
  const outside = await notify([notice], database.write()).catch(({ message }: Error) => message);
  assert.match(String(outside), /outside a transaction/);
});

test("it takes each change of an error once, and writes of it in its own table", async () => {
  const changed = await createProject(service);
  const notesOf = async () => ((await listNotes({ projectId: changed.id }, client.auth)) as { texts: string[] }).texts;
  const noted = (...expected: string[]) =>
    until(`the note ${expected.at(-1)}`, async () => (await notesOf()).length >= expected.length);
  const expected: string[] = [];
  const expectNote = async (text: string) => {
    expected.push(`the service: ${text}`);
    await noted(...expected);
    assert.equal(await notesOf(), expected);
  };
  const send = () => sendEvent(service, changed, { event_id: newEventId(), message: "noted" });
  await answered(send(), 200);
  const { errors } = await client.errors.listErrors({ projectId: changed.id }, client.auth);
  const [{ errorId = "" } = {}] = errors;
  await expectNote(`created ${errorId}, status 1`);
  await answered(send(), 200); // changes nothing
  const update = (status: ErrorStatus) =>
    client.errors.updateErrors({ projectId: changed.id, changes: [{ errorId, status }] }, client.auth);
  await update(ErrorStatus.RESOLVED);
  await expectNote(`status ${errorId}, status 2`);
  await update(ErrorStatus.RESOLVED); // changes nothing
  await answered(send(), 200);
  await expectNote(`reopened ${errorId}, status 1`);
  const target = { case: "errors" as const, value: { errorIds: [errorId] } };
  const { deletion } = await client.deletions.createDeletion({ projectId: changed.id, target }, client.auth);
  await expectNote(`deleted ${errorId}, status 1`);
  const deletionId = deletion?.deletionId ?? 0;
  await client.deletions.undoDeletion({ projectId: changed.id, deletionId }, client.auth);
  await expectNote(`restored ${errorId}, status 1`);
});

test("its entries are in the activity of an error, in the order of time, with the status that the error had", async () => {
  const active = await createProject(service);
  await answered(sendEvent(service, active, { event_id: newEventId(), message: "active" }), 200);
  const { errors } = await client.errors.listErrors({ projectId: active.id }, client.auth);
  const of = { projectId: active.id, errorId: errors[0]?.errorId ?? "" };
  const { entries } = await client.activity.listErrorActivity(of, client.auth);
  assert.equal(
    entries.map(({ kind, text, actor, status }) => [kind, text, actor, status]),
    [
      [ActivityKind.OTHER, "Noted", "root", ErrorStatus.UNRESOLVED],
      [ActivityKind.CREATED, "", "", ErrorStatus.UNRESOLVED],
    ],
  );
});

test("it takes changes of status in an external system, where they change something", async () => {
  const linked = await linkedProject(client, fake);
  const { RESOLVED } = ErrorStatus;
  const changes = ["1001", "1002"].map((errorId) => ({ errorId, status: RESOLVED }));
  await client.errors.updateErrors({ projectId: linked.projectId, changes }, client.auth);
  const textsOf = async () =>
    ((await listNotes({ projectId: linked.projectId }, client.auth)) as { texts: string[] }).texts;
  await until("the note", async () => (await textsOf()).length > 0);
  assert.equal(await textsOf(), ["the service: status 1001, status 2"]);
});

test("changes that it could not take come again, and what it wrote of them before is not kept", async () => {
  const changed = await createProject(service);
  failuresLeft = 2;
  await answered(sendEvent(service, changed, { event_id: newEventId(), message: "noted later" }), 200);
  const textsOf = async () => ((await listNotes({ projectId: changed.id }, client.auth)) as { texts: string[] }).texts;
  await until("the note", async () => (await textsOf()).length > 0);
  assert.is(failuresLeft, -1);
  assert.is((await textsOf()).length, 1);
});

test("it calls the methods that it lists as itself, the audit log names it, and others are refused to it", async () => {
  const host = await started;
  const own = await createProject(service);
  await answered(sendEvent(service, own, { event_id: newEventId(), message: "noise" }), 200);
  const { errors } = await client.errors.listErrors({ projectId: own.id }, client.auth);
  const target = { case: "errors" as const, value: { errorIds: errors.map(({ errorId }) => errorId) } };
  const { createDeletion, listDeletions } = DeletionService.method;
  const { deletion } = await host.invoke(createDeletion, { projectId: own.id, target });
  assert.equal([deletion?.foundCount, deletion?.createdBy], [1, "plugin:notes"]);

  const { auditEvents } = await client.audit.listAuditEvents({ pageSize: 1 }, client.auth);
  assert.equal(
    auditEvents.map(({ method, userId, username, projectPath }) => [method, userId, username, projectPath]),
    [["DeletionService.CreateDeletion", 0, "plugin:notes", own.path]],
  );
  const reason = (call: Promise<unknown>) => call.catch((refusal: ServiceError) => refusal.reason);
  assert.is(await reason(host.invoke(listDeletions, { projectId: own.id })), ErrorReason.FORBIDDEN);
  assert.is(
    await reason(host.invoke(createDeletion, { projectId: 999_999_999, target })),
    ErrorReason.PROJECT_NOT_FOUND,
  );
});

test("the table of rights has a row for each of its methods, with its operation", () => {
  const methods = methodsOf({ notes: NoteService });
  const table = permissionsDocument(methods, entrancesOf(plugin.rest ?? [], methods));
  const may = (...cells: string[]) => cells.join(" | ");
  assert.match(
    table,
    `| \`AddNote\` | \`POST /api/v4/projects/:project/notes\` |  | write | ${may("·", "404", "·", "·", "✓", "✓", "✓", "✓")} |`,
  );
  assert.match(
    table,
    `| \`ListNotes\` | \`GET /api/v4/projects/:project/notes\` |  | read | ${may("·", "404", "·", "✓", "✓", "✓", "✓", "✓")} |`,
  );
});

test("a foreign client discovers its service by reflection", async () => {
  const { list_services_response: list } = await reflected(faultline, { list_services: "*" });
  const names = (list as { service: { name: string }[] }).service.map(({ name }) => name);
  assert.ok(names.includes("notes.v1.NoteService"), names.join(", "));
  assert.equal(Object.keys((await discovered(faultline, "notes.v1.NoteService")).service), ["AddNote", "ListNotes"]);
});

test("notes for a plugin that no process loaded are kept for six days and deleted after seven", async () => {
  const config = { ...testConfig(tempDir()), logLevel: "silent" } as const;
  await (await startFaultline(config)).stop();
  const noted = (name: string, days: number) =>
    `insert into error_change_reader values ('${name}', ${Date.now() - days * 86_400_000});
     insert into error_change (plugin, project_id, error_id, kind, status_before, status)
       values ('${name}', 1, '1', 'created', 0, 1);`;
  await execSql(config.dataDir, noted("gone", 8) + noted("away", 6));
  const again = await startFaultline(config);
  const left = async (table: string) =>
    (await rowsOf(config.dataDir, `select plugin from ${table}`)).map((row) => row["plugin"]);
  await until("the deletion", async () => (await left("error_change")).length === 1).finally(() => again.stop());
  assert.equal(await left("error_change"), ["away"]);
  const readers = await left("error_change_reader"); // the product's too
  assert.ok(readers.includes("away") && !readers.includes("gone"), readers.join(", "));
});

test.run();

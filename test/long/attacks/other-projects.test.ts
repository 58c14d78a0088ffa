import { create, ScalarType, toJson, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { ErrorStatus, NotificationTrigger, Role, services, StatusChangeSchema } from "@faultline/proto";
import { CallError, connect } from "@faultline/proto/grpc";
import { credentials } from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  coreMethods,
  harmlessRequest,
  restEntrances,
  trpcEntrances,
  type CoreMethod,
} from "../../permissions/operations.ts";
import { callTrpc } from "../../support/console/console.ts";
import { runningServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { newMember, personPassword } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { execSql } from "../../support/database/other-process.ts";
import { makeSamples, samples } from "../../support/samples/samples.ts";
import { storedErrors } from "../../support/database/stored.ts";

/** An owner of one project who knows every id of another, and asks for them under the own project's address. */

const { server, client } = await runningServer();
const connection = connect(server.grpcAddress, credentials.createInsecure());
test.after(() => connection.close());
const own = await createProject(server);
const other = await createProject(server);
const attacker = await newMember(client, own.id, Role.OWNER);
const signIn = async (username: string) =>
  (await client.accounts.signIn({ username, password: personPassword })).sessionToken;
const session = await signIn(attacker.username);

const victim = await newMember(client, other.id, Role.OWNER);
const victimSession = { token: await signIn(victim.username) };
const eventId = newEventId();
await sendEvent(server, other, { event_id: eventId, message: "theirs", release: "their-release" });
await client.releaseRecords.recordRelease({ projectId: other.id, version: "their-release" }, client.auth);
const [error] = await storedErrors(client, other.id);
await sendEvent(server, other, { message: "deleted" });
const [deletedError] = (await storedErrors(client, other.id)).filter(({ title }) => title === "deleted");
const { deletion } = await client.deletions.createDeletion(
  {
    projectId: other.id,
    target: { case: "errors", value: { errorIds: [deletedError?.errorId ?? ""] } },
    discard: {},
  },
  client.auth,
);
const { bulkUpdate } = await client.bulkUpdates.createBulkUpdate(
  { projectId: other.id, query: "theirs", newStatus: ErrorStatus.IGNORED, expectedCount: 1 },
  client.auth,
);
const { discards } = await client.deletions.listDiscards({ projectId: other.id }, client.auth);
const { invitation } = await client.members.createInvitation({ projectId: other.id, role: Role.GUEST }, victimSession);
const sampled = await makeSamples(client, { projectId: other.id, errorId: error?.errorId ?? "" });
const { channel } = await client.notificationChannels.createNotificationChannel(
  { projectId: other.id, kind: "slack", name: "Theirs", fields: { url: "https://chat.example.com/hooks/theirs" } },
  client.auth,
);
const channelId = channel?.channelId ?? 0;
const { rule } = await client.notificationRules.createNotificationRule(
  { projectId: other.id, rule: { name: "Theirs", triggers: [NotificationTrigger.CREATED], channelIds: [channelId] } },
  client.auth,
);
await execSql(
  server.dataDir,
  `insert into notifier_delivery values (5001, ${other.id}, ${channelId}, 'msg', '1', 1, '{}', 3, 'it failed', 1, 1, 1)`,
);

await execSql(
  server.dataDir,
  `insert into notifier_tracker
    values (5002, ${other.id}, 'gitlab', 'Theirs', 'sealed', 0, 'key', null, 0, '', 1, 1, 'root')`,
);
await execSql(
  server.dataDir,
  `insert into source_bundle (
    id, project_id, checksum, release, dist, chunks, state, detail, warnings, file_count, mapped_file_count, stored_bytes, created_at
  ) values (5003, ${other.id}, ${databaseOf(server.dataDir) ? "'\\\\x00'" : "x'00'"}, 'theirs', '', '[]', 3, '', '[]', 0, 0, 0, 1)`,
);

/** Ids by the names of their fields. A path names them in snake case. */
type Ids = Readonly<Record<"errorId" | "bundleId" | (string & {}), string>>;

const theirs: Ids = {
  errorId: error?.errorId ?? "",
  eventId,
  keyId: String(other.keyId),
  userId: String(victim.userId),
  invitationId: String(invitation?.invitationId),
  version: "their-release",
  deletionId: String(deletion?.deletionId),
  discardId: String(discards[0]?.discardId),
  bulkUpdateId: String(bulkUpdate?.bulkUpdateId),
  channelId: String(channel?.channelId),
  ruleId: String(rule?.ruleId),
  deliveryId: "5001",
  trackerId: "5002",
  bundleId: "5003",
  ...sampled,
};
const missing: Ids = {
  errorId: "4000001",
  eventId: newEventId(),
  keyId: "4000002",
  userId: "4000003",
  invitationId: "4000004",
  version: "no-such-release",
  deletionId: "4000005",
  discardId: "4000006",
  bulkUpdateId: "4000007",
  channelId: "4000009",
  ruleId: "4000010",
  deliveryId: "4000011",
  trackerId: "4000012",
  bundleId: "4000013",
  ...Object.fromEntries(Object.keys(sampled).map((name, n) => [name, String(4000014 + n)])),
};

function idFor(name: string, ids: Ids): string {
  const id = ids[name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
  if (id === undefined) throw new Error(`a path names ${name}, of which there is no id here`);
  return id;
}

/** An answer in which an id reads the same whosever it is. */
function withoutIds(text: string, ids: Ids): string {
  return Object.entries(ids).reduce(
    (result, [name, id]) => result.replaceAll(new RegExp(`\\b${id}\\b`, "g"), `<${name}>`),
    text,
  );
}

/** All that the victim could see changed. */
async function stateOfOther(): Promise<string> {
  const ofOther = { projectId: other.id };
  const parts = await Promise.all([
    storedErrors(client, other.id),
    client.errors.getEvent({ ...ofOther, eventId }, client.auth),
    client.clientKeys.listClientKeys(ofOther, client.auth),
    client.members.listMembers(ofOther, client.auth),
    client.members.listInvitations(ofOther, client.auth),
    ...[...samples.values()].map((sample) => sample.read(client, { projectId: other.id, errorIds: [theirs.errorId] })),
    client.releaseRecords.listReleaseRecords(ofOther, client.auth),
    client.sourceMaps.listArtifactBundles(ofOther, client.auth),
    client.notificationChannels.listNotificationChannels(ofOther, client.auth),
    client.notificationRules.listNotificationRules(ofOther, client.auth),
    client.projects.getProject({ key: { case: "projectId", value: other.id } }, client.auth),
  ]);
  return JSON.stringify(parts, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part));
}
const before = await stateOfOther();
test.after.each(async () => {
  assert.is(await stateOfOther(), before);
});

const projectRoutes = restEntrances.filter(({ path }) => /:project\/.*:\w/.test(path));
assert.ok(projectRoutes.length > 12, "the routes were not found");

for (const { verb, path } of projectRoutes) {
  test(`A90: REST ${verb} ${path} answers for what is another project's as for what is missing`, async () => {
    const ask = async (ids: Ids) => {
      const filled = path
        .replace("/api/v4", "")
        .replace(":project", String(own.id))
        .replaceAll(/:(\w+)/g, (_, name: string) => idFor(name, ids));
      const named = { name: "Mine", triggers: ["created"], channel_ids: [1], subscription: "muted" };
      const body = verb === "GET" ? undefined : { status: "resolved", access_level: 10, ...named };
      const { status, text } = await rest(server, `${verb} ${filled}`, { body, token: attacker.token });
      return [status, withoutIds(text, ids)];
    };
    assert.equal(await ask(theirs), await ask(missing));
  });
}

test("A90: a change of many errors over REST passes over errors of another project like missing ones", async () => {
  const path = `/projects/${own.id}/error_tracking/errors/bulk`;
  const ask = async (ids: Ids) => {
    const body = { ids: [ids.errorId], error_ids: [ids.errorId], status: "resolved" };
    const { status, text } = await rest(server, `POST ${path}`, { body, token: attacker.token });
    return [status, withoutIds(text, ids)];
  };
  assert.equal(await ask(theirs), await ask(missing));
});

/** A request to the own project that names whatever ids its fields have; undefined when it has none. */
function requestWith({ desc, name }: CoreMethod, ids: Ids): MessageShape<DescMessage> | undefined {
  const request = harmlessRequest(desc, own.id);
  if (name === "ErrorService.UpdateErrors") {
    return Object.assign(request, {
      changes: [create(StatusChangeSchema, { errorId: ids.errorId, status: ErrorStatus.RESOLVED })],
    });
  }
  const fields = desc.input.fields.filter(({ localName }) => localName in ids);
  if (fields.length === 0) return undefined;
  const values = fields.map(({ localName, scalar }) => {
    const id = ids[localName];
    return [localName, scalar === ScalarType.STRING ? id : Number(id)] as const;
  });
  return Object.assign(request, Object.fromEntries(values), "role" in request ? { role: Role.GUEST } : {});
}

// AddMember names a user of the installation, not of a project: any caller that may add members may find all users. A release
// is recorded under any name, which then is the own project's.
const methods = coreMethods.filter(
  (method) =>
    method.need.who === "member" &&
    method.name !== "MemberService.AddMember" &&
    !method.name.startsWith("ReleaseRecordService.Record") &&
    requestWith(method, missing),
);
assert.ok(methods.length >= 10, "the methods were not found");

type AnyClient = Record<
  string,
  (request: MessageShape<DescMessage>, context: object) => Promise<MessageShape<DescMessage>>
>;

for (const method of methods) {
  test(`A90: gRPC ${method.name} answers for what is another project's as for what is missing`, async () => {
    const call = (connection.service(services[method.service]) as unknown as AnyClient)[method.desc.localName];
    const ask = async (ids: Ids) => {
      const request = requestWith(method, ids);
      assert.ok(call && request);
      const result = await call(request, { token: attacker.token }).then(
        (answer) => toJson(method.desc.output, answer),
        (refusal: CallError) => [refusal.code, refusal.reason, refusal.message, refusal.field],
      );
      return withoutIds(JSON.stringify(result), ids);
    };
    assert.is(await ask(theirs), await ask(missing));
  });
}

const procedures = trpcEntrances.filter(
  ({ method, kind }) => kind !== "subscription" && methods.some(({ name }) => name === method.name),
);
assert.ok(procedures.length >= 8, "the procedures were not found");

for (const { name, method, kind } of procedures) {
  test(`A90: tRPC ${name} answers for what is another project's as for what is missing`, async () => {
    const headers = { Cookie: `faultline_session=${session}` };
    const ask = async (ids: Ids) => {
      const request = requestWith(method, ids);
      assert.ok(request);
      const input = toJson(method.desc.input, request);
      const { status, text } = await (kind === "query"
        ? http(`${server.url}/-/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`, { headers })
        : callTrpc(server, name, input, headers));
      return [status, withoutIds(text, ids)];
    };
    assert.equal(await ask(theirs), await ask(missing));
  });
}

test("A90: pages show nothing of another project under the own address", async () => {
  const { project } = await client.projects.getProject({ key: { case: "projectId", value: own.id } }, client.auth);
  const root = `${server.url}/${project?.path}/-/error_tracking`;
  for (const path of [
    `${theirs.errorId}/details`,
    `${theirs.errorId}/events`,
    `${theirs.errorId}/events/${eventId}.json`,
    `${theirs.errorId}/details?event=${eventId}`,
  ]) {
    const { status, text } = await http(`${root}/${path}`, { headers: { Cookie: `faultline_session=${session}` } });
    assert.is(status, 404, path);
    assert.not.match(text, "theirs");
  }
});

test.run();

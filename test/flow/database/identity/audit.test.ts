import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Role, type AuditEvent } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../../backend/src/main.ts";
import { grpcClient } from "../../../support/core/grpc.ts";
import { dayMs, movableFaultline, newUser, passTime, signIn } from "../../../support/service/movable-faultline.ts";
import { rejects } from "../../../support/assert/rejects.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { testConfig } from "../../../support/service/test-config.ts";

const { client, clock } = await movableFaultline();
const { accounts, users, projects, settings, clientKeys, members, memberRoles, audit, auth } = client;

const events = async (request: object = {}) =>
  (await audit.listAuditEvents({ pageSize: 100, ...request }, auth)).auditEvents;

/** The acts recorded meanwhile, the first one first. */
async function written(work: () => Promise<unknown>): Promise<AuditEvent[]> {
  const before = (await events())[0]?.auditEventId ?? 0n;
  await work();
  return (await events()).filter(({ auditEventId }) => auditEventId > before).toReversed();
}

const summaries = (rows: readonly AuditEvent[]) => rows.map(({ summary }) => summary);

test("an act is written down with who did it, when, by which token, in which project", async () => {
  const { project } = await projects.createProject({ path: "audited" }, auth);
  const projectId = project?.projectId ?? 0;
  const { user: root } = await accounts.getCurrentUser({}, auth);
  const { accessToken: token } = await accounts.getAccessToken({}, auth);
  const [made] = await written(() => clientKeys.createClientKey({ projectId }, auth));
  assert.equal(
    [made?.userId, made?.username, made?.tokenId, made?.method, made?.projectId, made?.projectPath],
    [root?.userId, "root", token?.tokenId, "ClientKeyService.CreateClientKey", projectId, "audited"],
  );
  assert.is(made?.time && timestampMs(made.time), clock.at);
  assert.match(made?.summary ?? "", /^Created the client key \d+\.$/);
  const [bySession] = await written(async () => clientKeys.createClientKey({ projectId }, await signIn(client)));
  assert.equal([bySession?.method, bySession?.username, bySession?.tokenId], ["AccountService.SignIn", "root", 0]);
});

test("refusals, reads and daily work are not recorded", async () => {
  const { session } = await newUser(client);
  const rows = await written(async () => {
    await rejects(accounts.signIn({ username: "root", password: "guess" }), "UNAUTHENTICATED");
    await rejects(users.createUser({ username: "not-made" }, session), "PERMISSION_DENIED");
    await rejects(users.createUser({ username: "" }, auth), "INVALID_ARGUMENT");
    await accounts.listSessions({}, session);
    await client.ingest.reportEvents({ events: [] }, auth).catch(() => undefined); // whether empty is refused or not
  });
  assert.equal(rows, []);
});

test("acts of accounts are recorded, with what changed and without a secret", async () => {
  const ann = await newUser(client);
  const secrets: string[] = [];
  const rows = await written(async () => {
    const session = await signIn(client, ann.username, ann.password);
    await accounts.updateProfile({ name: "Ann", email: "ann@example.com" }, session);
    await accounts.signOut({}, session);
    const newPassword = "another long password";
    const { sessionToken } = await accounts.changePassword({ currentPassword: ann.password, newPassword }, ann.session);
    const token = { token: sessionToken };
    const made = await accounts.createAccessToken({ name: "robot", scopes: ["api"] }, token);
    const rotated = await accounts.rotateAccessToken({}, { token: made.token });
    await accounts.revokeAccessToken({ tokenId: rotated.accessToken?.tokenId ?? 0 }, token);
    await accounts.signOut({ everywhere: true }, token);
    secrets.push(session.token, newPassword, sessionToken, made.token, rotated.token, ann.password);
  });
  assert.equal(
    rows.map(({ method }) => method),
    [
      "AccountService.SignIn",
      "AccountService.UpdateProfile",
      "AccountService.SignOut",
      "AccountService.ChangePassword",
      "AccountService.CreateAccessToken",
      "AccountService.RotateAccessToken",
      "AccountService.RevokeAccessToken",
      "AccountService.SignOut",
    ],
  );
  for (const { userId, username } of rows) assert.equal([userId, username], [ann.userId, ann.username]);
  assert.is(rows[1]?.summary, "Changed their profile: name, e-mail address.");
  assert.match(rows[4]?.summary ?? "", /^Created the personal access token \d+, "robot", for api\.$/);
  const text = JSON.stringify(summaries(rows));
  for (const secret of secrets) assert.not(text.includes(secret));
});

test("acts on users are recorded, and a password link names its user", async () => {
  const session = await signIn(client);
  const { user } = await users.createUser({ username: "noted", password: "a long password" }, auth);
  const userId = user?.userId ?? 0;
  const request = { name: "robot", scopes: ["api"] };
  await accounts.createAccessToken(request, await signIn(client, "noted", "a long password"));
  let link = "";
  const rows = await written(async () => {
    await users.updateUser({ userId, name: "Noted", isAdmin: true, isBlocked: false }, auth);
    link = (await users.createPasswordReset({ userId }, session)).url.split("/").at(-1) ?? "";
    await users.resetPassword({ token: link, password: "set by a link" });
    await users.deleteUser({ userId }, auth);
  });
  assert.equal(summaries(rows), [
    `Changed the user noted (${userId}): name, made an administrator, unblocked.`,
    `Created a password link for user ${userId}.`,
    "Set their password by a link and revoked 1 personal access token.",
    `Deleted the user noted (${userId}).`,
  ]);
  assert.equal(
    rows.map(({ username }) => username),
    ["root", "root", "noted", "root"],
  );
  assert.is(rows[2]?.userId, userId);
  assert.not(JSON.stringify(summaries(rows)).includes(link));
});

test("acts in a project are recorded, of settings which fields changed and never the token", async () => {
  const { userId, session } = await newUser(client);
  const rows = await written(async () => {
    const { project } = await projects.createProject({ path: "acme/noted" }, auth);
    const projectId = project?.projectId ?? 0;
    await projects.updateProject({ projectId, name: "Noted" }, auth);
    await settings.updateSettings({ projectId, active: true, externalAuthToken: "very-secret" }, auth);
    await members.addMember({ projectId, userId, role: Role.DEVELOPER }, auth);
    await members.updateMember({ projectId, userId, role: Role.REPORTER }, auth);
    await members.removeMember({ projectId, userId }, auth);
    const { url } = await members.createInvitation({ projectId, role: Role.GUEST }, auth);
    await members.acceptInvitation({ token: url.split("/").at(-1) ?? "" }, session);
    const another = await members.createInvitation({ projectId, role: Role.GUEST }, auth);
    const token = another.url.split("/").at(-1) ?? "";
    await members.registerByInvitation({ token, username: "invited", password: "a long password" });
    await projects.deleteProject({ projectId }, auth);
  });
  const projectId = rows[0]?.projectId;
  assert.equal(
    summaries(rows).map((summary) => summary.replaceAll(/\d+/g, "N")),
    [
      "Created the project acme/noted (N).",
      "Changed the project: name.",
      "Changed the error-tracking settings: active, external auth token.",
      "Added user-N (N) as Developer.",
      "Gave user-N (N) the role Reporter.",
      "Removed the member user-N (N).",
      "Created the invitation N as Guest.",
      "Joined by an invitation as Guest.",
      "Created the invitation N as Guest.",
      "Created their account invited (N) by an invitation and joined.",
      "Deleted the project acme/noted (N).",
    ],
  );
  for (const row of rows) assert.equal([row.projectId, row.projectPath], [projectId, "acme/noted"], row.summary);
  assert.is(rows[7]?.userId, userId);
  assert.is(rows[9]?.username, "invited");
});

test("custom roles are recorded by their name", async () => {
  const rows = await written(async () => {
    const { memberRole } = await memberRoles.createMemberRole(
      { name: "Triage", baseRole: Role.REPORTER, permissions: [4] },
      auth,
    );
    await memberRoles.deleteMemberRole({ memberRoleId: memberRole?.memberRoleId ?? 0 }, auth);
  });
  assert.equal(summaries(rows), ['Created the custom role "Triage".', 'Deleted the custom role "Triage".']);
});

test("acts are listed newest first in pages, of one user or one project", async () => {
  const { userId, session } = await newUser(client);
  const { project } = await projects.createProject({ path: "paged" }, session);
  const projectId = project?.projectId ?? 0;
  for (const name of ["One", "Two", "Three"]) await projects.updateProject({ projectId, name }, session);
  const ofProject = await events({ projectId });
  assert.equal(
    ofProject.map(({ method }) => method),
    [
      "ProjectService.UpdateProject",
      "ProjectService.UpdateProject",
      "ProjectService.UpdateProject",
      "ProjectService.CreateProject",
    ],
  );
  assert.is((await events({ userId })).at(-1)?.method, "AccountService.SignIn");
  assert.equal(await events({ userId: 1, projectId }), []);
  const walked: AuditEvent[] = [];
  for (let pageToken = ""; walked.length === 0 || pageToken !== "";) {
    const page = await audit.listAuditEvents({ projectId, pageSize: 3, pageToken }, auth);
    walked.push(...page.auditEvents);
    pageToken = page.nextPageToken;
  }
  assert.equal(walked, ofProject);
  const { nextPageToken: pageToken } = await audit.listAuditEvents({ projectId, pageSize: 3 }, auth);
  await rejects(audit.listAuditEvents({ pageToken }, auth), "INVALID_ARGUMENT");
});

test("only administrators read the record", async () => {
  const { session } = await newUser(client);
  await rejects(audit.listAuditEvents({}, session), "PERMISSION_DENIED");
});

test("acts are kept for a year and gone after it", async () => {
  const config = testConfig(tempDir());
  const moved = { at: Date.UTC(2026, 0, 10), now: () => moved.at };
  const usernames = async (days: number, made?: string) => {
    await passTime(config, moved, Date.UTC(2026, 0, 10) + days * dayMs);
    const faultline = await startFaultline(config, moved);
    const its = grpcClient(faultline);
    if (made !== undefined) await its.users.createUser({ username: made }, its.auth);
    const { auditEvents } = await its.audit.listAuditEvents({}, its.auth);
    its.close();
    await faultline.stop(); // waits for what the scheduler began at the start
    return auditEvents.map(({ summary }) => /user (\S+)/.exec(summary)?.[1]);
  };
  await usernames(0, "old");
  await usernames(1, "young");
  assert.equal(await usernames(365), ["young", "old"]);
  await usernames(365.5);
  assert.equal(await usernames(365.5), ["young"]);
});

test.run();

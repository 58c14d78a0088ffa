import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { liesInDatabase } from "../support/database/other-process.ts";
import { rejects } from "../support/assert/rejects.ts";
import { reported } from "../support/run/reported.ts";
import { rootPassword, rootToken, startServer, type Server } from "../support/service/server.ts";

let server: Server;
let client: GrpcClient;

test.before(
  reported(async () => {
    server = await startServer();
    client = grpcClient(server);
  }),
);
test.after(async () => {
  client?.close();
  await server?.stop();
});

const signIn = async () => {
  const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
  return { token: sessionToken };
};

async function assertReason(call: Promise<unknown>, reason: keyof typeof ErrorReason): Promise<void> {
  const refusal = await call.then(
    () => undefined,
    (error: { reason?: ErrorReason }) => error,
  );
  assert.is(refusal?.reason, ErrorReason[reason]);
}

test("the administrator signs in without regard to the case of the name, and the session says who it is", async () => {
  const { sessionToken: token, user } = await client.accounts.signIn({ username: "ROOT", password: rootPassword });
  assert.is(user?.username, "root");
  assert.ok(user?.isAdmin);
  const current = await client.accounts.getCurrentUser({}, { token });
  assert.is(current.user?.userId, user?.userId);
  assert.match(current.serviceVersion, /^\d+\.\d+\.\d+$/);
});

test("a session ends when its user signs out", async () => {
  const session = await signIn();
  await client.accounts.signOut({}, session);
  await rejects(client.accounts.getCurrentUser({}, session), "UNAUTHENTICATED");
});

test("every method but SignIn and health asks for a token", async () => {
  const projectId = 1;
  const calls = [
    client.accounts.getCurrentUser({}),
    client.accounts.listAccessTokens({}),
    client.projects.listProjects({}),
    client.projects.createProject({ path: "x" }),
    client.settings.getSettings({ projectId }),
    client.settings.updateSettings({ projectId, active: true }),
    client.clientKeys.listClientKeys({ projectId }),
    client.clientKeys.createClientKey({ projectId }),
    client.clientKeys.deleteClientKey({ projectId, keyId: 1 }),
    client.errors.listErrors({ projectId }),
    client.errors.getError({ projectId, errorId: "1" }),
    client.errors.updateErrors({ projectId, changes: [] }),
    client.errors.listEvents({ projectId, errorId: "1" }),
    client.errors.getEvent({ projectId, eventId: "0".repeat(32) }),
    client.errors.getErrorStats({ projectId, errorId: "1" }),
    client.ingest.reportEvents({ events: [] }),
  ];
  await Promise.all(calls.map((call) => rejects(call, "UNAUTHENTICATED")));
});

test("a token with the scope read_api reads, and is refused wherever something changes", async () => {
  const { token } = await client.accounts.createAccessToken({ name: "reader", scopes: ["read_api"] }, await signIn());
  const reader = { token };
  const { project } = await client.projects.createProject({ path: "scopes" }, client.auth);
  const projectId = project?.projectId ?? 0;
  assert.is(
    (await client.projects.getProject({ key: { case: "projectId", value: projectId } }, reader)).project?.path,
    "scopes",
  );
  const calls = [
    client.projects.createProject({ path: "not-made" }, reader),
    client.projects.updateProject({ projectId, name: "not renamed" }, reader),
    client.settings.updateSettings({ projectId, active: true }, reader),
    client.clientKeys.createClientKey({ projectId }, reader),
    client.errors.updateErrors({ projectId, changes: [{ errorId: "1", status: 2 }] }, reader),
  ];
  await Promise.all(calls.map((call) => assertReason(call, "INSUFFICIENT_SCOPE")));
});

test("a token makes no tokens", async () => {
  await rejects(
    client.accounts.createAccessToken({ name: "child", scopes: ["api"] }, client.auth),
    "PERMISSION_DENIED",
  );
});

test("a revoked token stays dead, also after a restart", async () => {
  const { token, accessToken } = await client.accounts.createAccessToken(
    { name: "gone", scopes: ["api"] },
    await signIn(),
  );
  await client.accounts.revokeAccessToken({ tokenId: accessToken?.tokenId ?? 0 }, await signIn());
  await assertReason(client.projects.listProjects({}, { token }), "TOKEN_REVOKED");
  client.close();
  await server.stop();
  server = await startServer({ dataDir: server.dataDir });
  client = grpcClient(server);
  await assertReason(client.projects.listProjects({}, { token }), "TOKEN_REVOKED");
  assert.ok(await client.projects.listProjects({}, client.auth));
});

test("tokens are listed newest first, in pages, without their secrets", async () => {
  const session = await signIn();
  for (const name of ["one", "two", "three"])
    await client.accounts.createAccessToken(
      { name, scopes: ["api"], expiresTime: timestampFromMs(Date.now() + 86_400_000) },
      session,
    );
  const first = await client.accounts.listAccessTokens({ pageSize: 2 }, session);
  assert.equal(
    first.accessTokens.map(({ name }) => name),
    ["three", "two"],
  );
  const second = await client.accounts.listAccessTokens({ pageSize: 2, pageToken: first.nextPageToken }, session);
  assert.is(second.accessTokens[0]?.name, "one");
});

test("neither tokens, passwords nor sessions lie in the database as they are", async () => {
  const { token } = await signIn();
  const { token: made } = await client.accounts.createAccessToken({ name: "hidden", scopes: ["api"] }, { token });
  for (const secret of [token, made, rootToken, rootPassword]) {
    assert.not.ok(await liesInDatabase(server.dataDir, secret), secret);
  }
});

test("wrong passwords and unknown names get the same answer, and guessing is slowed down", async () => {
  const attempt = (username: string) => client.accounts.signIn({ username, password: "guess" });
  const unknown = await rejects(attempt("nobody"), "UNAUTHENTICATED");
  const wrong = await rejects(attempt("root"), "UNAUTHENTICATED");
  assert.is(unknown.message, wrong.message);
  const codes = new Set<number>();
  for (let count = 0; count < 20; count += 1)
    await attempt("root").catch((error: { code: number }) => codes.add(error.code));
  assert.ok(codes.has(8), `20 wrong passwords were answered ${[...codes].join(", ")}, never RESOURCE_EXHAUSTED`);
});

test("a project with the id of another project as its path opens nothing of the other", async () => {
  const { project: victim } = await client.projects.createProject({ path: "victim" }, client.auth);
  const projectId = victim?.projectId ?? 0;
  await client.users.createUser({ username: "mallory", password: "a long enough passphrase" }, client.auth);
  const session = await client.accounts.signIn({ username: "mallory", password: "a long enough passphrase" });
  const mallory = { token: session.sessionToken };
  await client.projects.createProject({ path: `${projectId}` }, mallory);
  await client.projects.getProject({ key: { case: "path", value: `${projectId}` } }, mallory);
  const attempts = [
    client.projects.getProject({ key: { case: "projectId", value: projectId } }, mallory),
    client.clientKeys.listClientKeys({ projectId }, mallory),
    client.errors.listErrors({ projectId }, mallory),
  ];
  await Promise.all(attempts.map((attempt) => assertReason(attempt, "PROJECT_NOT_FOUND")));
});

test.run();

import { ErrorReason, ErrorStatus } from "@faultline/proto";
import type { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../support/service/flow.ts";
import { createProject } from "../support/core/project.ts";
import { rejects } from "../support/assert/rejects.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { rootPassword } from "../support/service/server.ts";
import { storedErrors } from "../support/database/stored.ts";
import { until } from "../support/run/until.ts";

const { server, client } = await sharedServer();
const project = await createProject(server);
const other = await createProject(server);

const unknownProject = 4_000_000;

async function signIn() {
  const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
  return { token: sessionToken };
}

const tokens: [claim: string, token: () => string | undefined][] = [
  ["no token", () => undefined],
  ["an unknown token", () => "flp_unknown"],
  ["an unknown session", () => "fls_unknown"],
  ["a token of a megabyte's start", () => "x".repeat(2_000)],
  ["a client key", () => project.key],
];

for (const [claim, token] of tokens) {
  test(`${claim} is refused with TOKEN_REQUIRED`, async () => {
    const refusal = await rejects(client.projects.listProjects({}, { token: token() }), "UNAUTHENTICATED");
    assert.is(refusal.reason, ErrorReason.TOKEN_REQUIRED);
    assert.is(refusal.field, "");
  });
}

test("a token works until it expires and is refused with TOKEN_EXPIRED from then on", async () => {
  const expiresTime = { seconds: BigInt(Math.floor(Date.now() / 1000) + 2), nanos: 0 };
  const request = { name: "short-lived", scopes: ["api"], expiresTime };
  const { token } = await client.accounts.createAccessToken(request, await signIn());
  assert.ok(await client.projects.listProjects({}, { token }));
  const refusal = await until("the token to expire", () =>
    client.projects.listProjects({}, { token }).then(
      () => undefined,
      (error: CallError) => error,
    ),
  );
  assert.is(refusal.reason, ErrorReason.TOKEN_EXPIRED);
});

test("methods for people are refused to every personal access token with FORBIDDEN", async () => {
  const calls = [
    client.accounts.createAccessToken({ name: "child", scopes: ["api"] }, client.auth),
    client.accounts.listSessions({}, client.auth),
    client.accounts.signOut({}, client.auth),
  ];
  const refusals = await Promise.all(calls.map((call) => rejects(call, "PERMISSION_DENIED")));
  for (const { reason } of refusals) assert.is(reason, ErrorReason.FORBIDDEN);
});

test("signing out ends this session immediately and no other", async () => {
  const [first, second] = [await signIn(), await signIn()];
  await client.accounts.signOut({}, first);
  const refusal = await rejects(client.accounts.getCurrentUser({}, first), "UNAUTHENTICATED");
  assert.is(refusal.reason, ErrorReason.TOKEN_REQUIRED);
  assert.ok(await client.accounts.getCurrentUser({}, second));
});

test("a wrong password and an unknown user are refused with the same words", async () => {
  const attempt = (username: string) =>
    rejects(client.accounts.signIn({ username, password: "guess" }), "UNAUTHENTICATED");
  const [wrong, unknown] = [await attempt("root"), await attempt("nobody")];
  assert.is(wrong.reason, ErrorReason.WRONG_CREDENTIALS);
  assert.equal([unknown.reason, unknown.message, unknown.field], [wrong.reason, wrong.message, wrong.field]);
});

test("of 30 simultaneous guesses 6 to 10 are checked, and other people still sign in", async () => {
  const guesses = Array.from({ length: 30 }, (_, n) =>
    client.accounts.signIn({ username: n % 2 === 0 ? "guessed" : "GUESSED", password: `guess ${n}` }).then(
      () => ErrorReason.UNSPECIFIED,
      ({ reason }: CallError) => reason,
    ),
  );
  const reasons = await Promise.all(guesses);
  const looked = reasons.filter((reason) => reason === ErrorReason.WRONG_CREDENTIALS).length;
  assert.ok(looked >= 6 && looked <= 10, `${looked} were looked at`); // ten are let through, of which one runs and five wait
  assert.is(reasons.filter((reason) => reason === ErrorReason.TOO_MANY_ATTEMPTS).length, 30 - looked);
  assert.ok(await signIn());
});

test("things of another project are refused exactly like missing things", async () => {
  const eventId = newEventId();
  assert.is((await sendEvent(server, project, { event_id: eventId, message: "theirs" })).status, 200);
  const [error] = await storedErrors(client, project.id);
  const { errors, clientKeys, auth } = client;
  const refusals = (errorId: string, event: string, keyId: number) =>
    Promise.all([
      rejects(errors.getError({ projectId: other.id, errorId }, auth), "NOT_FOUND"),
      rejects(errors.listEvents({ projectId: other.id, errorId }, auth), "NOT_FOUND"),
      rejects(errors.getErrorStats({ projectId: other.id, errorId }, auth), "NOT_FOUND"),
      rejects(errors.getEvent({ projectId: other.id, errorId }, auth), "NOT_FOUND"),
      rejects(errors.getEvent({ projectId: other.id, eventId: event }, auth), "NOT_FOUND"),
      rejects(errors.getEvent({ projectId: other.id, errorId, eventId: event }, auth), "NOT_FOUND"),
      rejects(clientKeys.deleteClientKey({ projectId: other.id, keyId }, auth), "NOT_FOUND"),
    ]);
  const theirs = await refusals(error?.errorId ?? "", eventId, project.keyId);
  const missing = await refusals("4000000", newEventId(), unknownProject);
  const contentOf = (refusal: CallError) => [refusal.reason, refusal.message, refusal.field];
  assert.equal(theirs.map(contentOf), missing.map(contentOf));
  const { ERROR_NOT_FOUND, EVENT_NOT_FOUND, CLIENT_KEY_NOT_FOUND } = ErrorReason;
  assert.equal(
    missing.map(({ reason }) => reason),
    [
      ERROR_NOT_FOUND,
      ERROR_NOT_FOUND,
      ERROR_NOT_FOUND,
      ERROR_NOT_FOUND,
      EVENT_NOT_FOUND,
      EVENT_NOT_FOUND,
      CLIENT_KEY_NOT_FOUND,
    ],
  );
  const changes = [{ errorId: error?.errorId ?? "", status: ErrorStatus.RESOLVED }];
  assert.equal((await errors.updateErrors({ projectId: other.id, changes }, auth)).errors, []);
  assert.is((await storedErrors(client, project.id))[0]?.status, ErrorStatus.UNRESOLVED);
});

test("ids that cannot exist are not found, whatever they look like", async () => {
  const { errors, auth } = client;
  for (const errorId of ["", "0", "-1", "01", "1e3", "abc", "9".repeat(30), "1' or 1=1"]) {
    const refusal = await rejects(errors.getError({ projectId: project.id, errorId }, auth), "NOT_FOUND");
    assert.is(refusal.reason, ErrorReason.ERROR_NOT_FOUND, errorId);
  }
  for (const eventId of ["0", "g".repeat(32), "0".repeat(33), "../x"]) {
    const refusal = await rejects(errors.getEvent({ projectId: project.id, eventId }, auth), "NOT_FOUND");
    assert.is(refusal.reason, ErrorReason.EVENT_NOT_FOUND, eventId);
  }
});

test("every service refuses an unknown project with PROJECT_NOT_FOUND", async () => {
  const projectId = unknownProject;
  const { auth } = client;
  const event = { projectId, eventId: newEventId(), payload: Buffer.from("{}") };
  const calls = [
    client.projects.getProject({ key: { case: "projectId", value: projectId } }, auth),
    client.projects.getProject({ key: { case: "path", value: "no/such" } }, auth),
    client.projects.getProject({}, auth),
    client.projects.updateProject({ projectId, name: "x" }, auth),
    client.settings.getSettings({ projectId }, auth),
    client.settings.updateSettings({ projectId, active: true }, auth),
    client.clientKeys.createClientKey({ projectId }, auth),
    client.clientKeys.listClientKeys({ projectId }, auth),
    client.clientKeys.deleteClientKey({ projectId, keyId: 1 }, auth),
    client.errors.listErrors({ projectId }, auth),
    client.errors.getError({ projectId, errorId: "1" }, auth),
    client.errors.updateErrors({ projectId, changes: [{ errorId: "1", status: ErrorStatus.RESOLVED }] }, auth),
    client.errors.listEvents({ projectId, errorId: "1" }, auth),
    client.errors.getEvent({ projectId, errorId: "1" }, auth),
    client.errors.getErrorStats({ projectId, errorId: "1" }, auth),
    client.ingest.reportEvents({ events: [event] }, auth),
  ];
  const refusals = await Promise.all(calls.map((call) => rejects(call, "NOT_FOUND")));
  for (const { reason } of refusals) assert.is(reason, ErrorReason.PROJECT_NOT_FOUND);
});

test("the refusal of a token that may only read names the scope it takes", async () => {
  const { token } = await client.accounts.createAccessToken({ name: "reader", scopes: ["read_api"] }, await signIn());
  const event = { projectId: project.id, eventId: newEventId(), payload: Buffer.from("{}") };
  const refusal = await rejects(client.ingest.reportEvents({ events: [event] }, { token }), "PERMISSION_DENIED");
  assert.is(refusal.reason, ErrorReason.INSUFFICIENT_SCOPE);
  assert.match(refusal.message, "scope api");
});

test.run();

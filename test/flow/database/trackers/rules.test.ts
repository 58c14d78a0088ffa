/** Issue trackers: refusals, outages, secrets, rights, and what a kill leaves. The tracker is a played GitLab. */
import { createHmac } from "node:crypto";
import { ErrorReason, ErrorStatus, Role, TrackerIssueState as State } from "@faultline/proto";
import type { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../../backend/src/main.ts";
import { rejects } from "../../../support/assert/rejects.ts";
import { grpcClient } from "../../../support/core/grpc.ts";
import { newMember } from "../../../support/core/person.ts";
import { createProject } from "../../../support/core/project.ts";
import { http } from "../../../support/http/http.ts";
import { until } from "../../../support/run/until.ts";
import { newEventId, sendEvent } from "../../../support/sentry/send.ts";
import { startServer } from "../../../support/service/server.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { testConfig } from "../../../support/service/test-config.ts";
import { gitlabManner, signedHook } from "../../../support/trackers/gitlab.ts";
import type { PlayedTracker } from "../../../support/trackers/played-tracker.ts";
import { trackedService } from "../../../support/trackers/tracked-service.ts";

const { played, client, auth, service, clock, tracked, failing, issueOf, setStatus, waitFor, newMessage } =
  await trackedService([gitlabManner]);
const [gitlab] = played as [PlayedTracker];

test("a tracker that only comments leaves the issue of an error that comes back closed", async () => {
  const project = await tracked(gitlab, { onlyComments: true });
  const message = newMessage();
  const errorId = await failing(project, message);
  const { projectId, trackerId } = project;
  await client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
  const issue = gitlab.issues.all.at(-1);
  assert.ok(issue);
  await setStatus(projectId, errorId, ErrorStatus.RESOLVED);
  await waitFor("the closed issue", () => !issue.isOpen);
  await failing(project, message);
  await waitFor("the comment", () => issue.comments.length === 2);
  assert.not.ok(issue.isOpen);
});

test("while a tracker of one project hangs, changes still reach the trackers of others", async () => {
  const projects = [await tracked(gitlab), await tracked(gitlab)] as const;
  const issues = [];
  for (const project of projects) {
    const errorId = await failing(project, newMessage());
    const { projectId, trackerId } = project;
    await client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
    issues.push({ projectId, errorId, issue: gitlab.issues.all.at(-1) });
  }
  const [first, second] = issues;
  assert.ok(first && second);
  gitlab.mishap("hang");
  await setStatus(first.projectId, first.errorId, ErrorStatus.RESOLVED);
  await waitFor("the call that hangs", () => first.issue?.comments.length === 1);
  await setStatus(second.projectId, second.errorId, ErrorStatus.RESOLVED);
  await waitFor("the issue of the other project", () => second.issue?.isOpen === false);
  const { trackers } = await client.trackers.listTrackers({ projectId: first.projectId }, auth);
  assert.is(trackers[0]?.failure, "", "it still hangs");
  gitlab.drop();
});

test("refusals of a tracker are shown in words, and leave nothing behind", async () => {
  const project = await tracked(gitlab);
  const errorId = await failing(project, newMessage());
  const { projectId, trackerId } = project;
  const create = () => client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
  const refusals = [
    [{ status: 401 }, "FAILED_PRECONDITION", "refuses the token"],
    [{ status: 403 }, "FAILED_PRECONDITION", "cannot do this"],
    [{ status: 404 }, "FAILED_PRECONDITION", "no such project"],
    [{ status: 410 }, "FAILED_PRECONDITION", "Issues are turned off"],
    [{ status: 422 }, "FAILED_PRECONDITION", "did not accept it"],
    [{ status: 302, headers: { location: "/elsewhere" } }, "FAILED_PRECONDITION", "redirect"],
    [{ status: 429, headers: { "retry-after": "600" } }, "RESOURCE_EXHAUSTED", "no more requests for now"],
  ] as const;
  for (const [answer, code, words] of refusals) {
    gitlab.mishap(answer);
    const refused = await rejects(create(), code);
    assert.match(refused.message, words);
    if (answer.status === 429) assert.is(refused.retryAfterSeconds, 600);
    assert.is(await issueOf(projectId, errorId), undefined);
  }
  assert.is((await create()).issue?.state, State.OPEN);
});

test("a tracker that fails is asked less and less, its failure is shown, and what waited is sent once it works", async () => {
  const project = await tracked(gitlab);
  const errorId = await failing(project, newMessage());
  const { projectId, trackerId } = project;
  await client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
  const issue = gitlab.issues.all.at(-1);
  const tracker = async () => (await client.trackers.listTrackers({ projectId }, auth)).trackers[0];
  gitlab.outage({ status: 401 });
  await setStatus(projectId, errorId, ErrorStatus.RESOLVED);
  await waitFor("the failures", async () => ((await tracker())?.failedCalls ?? 0) >= 3, 30_000);
  assert.match((await tracker())?.failure ?? "", "refuses the token");
  gitlab.outage(undefined);
  await waitFor("the closed issue", () => issue?.isOpen === false, 60_000);
  await waitFor("the success", async () => (await tracker())?.failure === "", 0);
});

test("a webhook of GitLab with a signing token counts for five minutes", async () => {
  const project = await tracked(gitlab);
  const address = `${service.url}${new URL(project.webhookUrl).pathname}`;
  const body = JSON.stringify({ object_kind: "issue", object_attributes: { iid: 1 } });
  const post = async (at: number, secret = project.webhookSecret) =>
    (await http(address, { method: "POST", headers: signedHook(secret, { at, body }), body })).status;
  assert.is(await post(clock.at), 204);
  assert.is(await post(clock.at - 310_000), 401);
  assert.is(await post(clock.at, `whsec_${createHmac("sha256", "x").digest("base64")}`), 401);
});

test("no answer shows a token or a secret again, and another server clears the token", async () => {
  const project = await tracked(gitlab);
  const { projectId, trackerId } = project;
  gitlab.outage({ status: 422, body: { message: `the token ${gitlabManner.token} is no good` } });
  const errorId = await failing(project, newMessage());
  const refused = await rejects(
    client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth),
    "FAILED_PRECONDITION",
  );
  gitlab.outage(undefined);
  const { trackers } = await client.trackers.listTrackers({ projectId }, auth);
  const shown = JSON.stringify([trackers, refused.message], (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  for (const secret of [gitlabManner.token, project.webhookSecret]) assert.not.ok(shown.includes(secret));
  assert.is(trackers[0]?.secretHints["token"], "…cret");
  const moved = client.trackers.updateTracker(
    { projectId, trackerId, fields: { url: `http://127.0.0.2:${gitlab.port}` } },
    auth,
  );
  assert.match((await rejects(moved, "INVALID_ARGUMENT")).message, "Access token");
});

test("addresses that are not allowed, another project of linked issues, and a sixth tracker are refused", async () => {
  const project = await tracked(gitlab);
  const { projectId, trackerId } = project;
  const add = (name: string, fields: Record<string, string>) =>
    client.trackers.createTracker({ projectId, kind: "gitlab", name, fields: { ...gitlab.fields, ...fields } }, auth);
  const metadata = await rejects(add("Metadata", { url: "http://169.254.169.254" }), "FAILED_PRECONDITION");
  assert.match(metadata.message, "blocked");
  assert.match(
    (await rejects(add("Other", { project: "acme/gone" }), "FAILED_PRECONDITION")).message,
    "no such project",
  );
  const errorId = await failing(project, newMessage());
  await client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
  for (const name of ["Two", "Three", "Four", "Five"]) await add(name, {});
  await rejects(add("Six", {}), "FAILED_PRECONDITION");
  const other = client.trackers.updateTracker({ projectId, trackerId, fields: { project: "acme%2Fshop" } }, auth);
  await rejects(other, "INVALID_ARGUMENT");
});

test("developers create issues, maintainers change trackers, reporters see the issue alone", async () => {
  const project = await tracked(gitlab);
  const errorId = await failing(project, newMessage());
  const { projectId, trackerId } = project;
  const developer = await newMember(client, projectId, Role.DEVELOPER);
  const reporter = await newMember(client, projectId, Role.REPORTER);
  await rejects(
    client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, reporter),
    "PERMISSION_DENIED",
  );
  await client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId, confidential: true }, developer);
  assert.ok(gitlab.issues.all.at(-1)?.confidential);
  const { issue } = await client.trackerIssues.getTrackerIssue({ projectId, errorId }, reporter);
  assert.is(issue?.createdBy, developer.username);
  await rejects(client.trackers.deleteTracker({ projectId, trackerId }, developer), "PERMISSION_DENIED");
  await rejects(client.trackers.listTrackers({ projectId }, reporter), "PERMISSION_DENIED");
  await client.trackers.deleteTracker({ projectId, trackerId }, auth);
  assert.is(await issueOf(projectId, errorId), undefined);
});

test("an issue is forgotten with its error", async () => {
  const project = await tracked(gitlab);
  const errorId = await failing(project, newMessage());
  const { projectId, trackerId } = project;
  await client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
  const target = { case: "errors" as const, value: { errorIds: [errorId] } };
  await client.deletions.createDeletion({ projectId, target, withoutUndo: true }, auth);
  const isForgotten = () =>
    issueOf(projectId, errorId).then(
      () => false, // while it is kept it is answered, although the error is gone
      ({ reason }: CallError) => reason === ErrorReason.ERROR_NOT_FOUND,
    );
  await waitFor("the issue to be forgotten", isForgotten, 60_000);
});

test("a kill between the request and the answer leaves one issue, which the next start finds", async () => {
  const dataDir = tempDir();
  const env = { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: String(gitlab.port) };
  const killed = await startServer({ dataDir, env });
  const before = grpcClient(killed);
  const project = await createProject(killed);
  await sendEvent(killed, project, { event_id: newEventId(), message: "killed" });
  const [error] = (await before.errors.listErrors({ projectId: project.id }, before.auth)).errors;
  const errorId = error?.errorId ?? "";
  const { tracker } = await before.trackers.createTracker(
    { projectId: project.id, kind: "gitlab", name: "Issues", fields: gitlab.fields },
    before.auth,
  );
  const count = gitlab.issues.all.length;
  gitlab.mishap("hang");
  const asked = { projectId: project.id, errorId, trackerId: tracker?.trackerId ?? 0 };
  const call = before.trackerIssues.createTrackerIssue(asked, before.auth).catch(() => undefined);
  await until("the request", () => gitlab.issues.all.length === count + 1);
  await killed.kill9();
  before.close();
  await call;
  const later = { at: Date.now() + 120_000, now: () => later.at };
  const outbound = { networks: ["127.0.0.0/8"], ports: [gitlab.port] };
  const next = await startFaultline({ ...testConfig(dataDir), outbound, logLevel: "silent" }, later);
  const after = grpcClient(next);
  const issue = async () =>
    (await after.trackerIssues.getTrackerIssue({ projectId: project.id, errorId }, after.auth)).issue;
  await until("the issue", async () => (await issue())?.state === State.OPEN);
  assert.is(gitlab.issues.all.length, count + 1);
  assert.is((await issue())?.url, gitlab.pageOf(count + 1));
  after.close();
  await next.stop();
});

test.run();

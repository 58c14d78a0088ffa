// limit: 300 s
/** Issue trackers, played by their documentation: an issue an error, whatever happens on the way, and its state both ways. */
import { ErrorStatus, TrackerIssueState as State } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { rejects } from "../../../support/assert/rejects.ts";
import { http } from "../../../support/http/http.ts";
import { newEventId, sendEvent } from "../../../support/sentry/send.ts";
import { githubManner } from "../../../support/trackers/github.ts";
import { gitlabManner } from "../../../support/trackers/gitlab.ts";
import { jiraManner } from "../../../support/trackers/jira.ts";
import { trackedService } from "../../../support/trackers/tracked-service.ts";

const { played, client, auth, service, clock, tracked, failing, issueOf, statusOf, setStatus, waitFor, newMessage } =
  await trackedService([gitlabManner, githubManner, jiraManner]);

for (const tracker of played) {
  const name = tracker.manner.kind;
  const latest = () => tracker.issues.all.at(-1);

  test(`${name}: an issue has the title, the facts and the address of its error, and is linked to it`, async () => {
    const project = await tracked(tracker);
    const message = newMessage();
    const frame = { filename: "shop.ts", function: "open", lineno: 12, in_app: true, context_line: "door.open()" };
    const exception = { type: "DoorError", value: message, stacktrace: { frames: [frame] } };
    await sendEvent(service, project, { event_id: newEventId(), exception: { values: [exception] }, release: "2.0" });
    const [error] = (await client.errors.listErrors({ projectId: project.id }, auth)).errors;
    const errorId = error?.errorId ?? "";
    const { projectId, trackerId } = project;
    const { issue } = await client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
    assert.equal([issue?.state, issue?.url], [State.OPEN, tracker.pageOf(latest()?.number ?? 0)]);
    assert.is(latest()?.title, `DoorError: ${message}`);
    for (const part of ["Events: 1", "First seen: ", "Last release: 2.0", "at shop.ts:12 in open", "door.open()"]) {
      assert.ok(latest()?.body.includes(part), part);
    }
    assert.ok(latest()?.body.includes(`/${project.path}/-/error_tracking/${errorId}/details`));
    assert.equal(await issueOf(projectId, errorId), issue);
  });

  test(`${name}: simultaneous calls and a later call make one issue`, async () => {
    const project = await tracked(tracker);
    const errorId = await failing(project, newMessage());
    const before = tracker.issues.all.length;
    const { projectId, trackerId } = project;
    const create = () => client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
    await Promise.all([create(), create(), create()]);
    const { issue } = await create();
    assert.is(tracker.issues.all.length, before + 1);
    assert.is(issue?.state, State.OPEN);
  });

  test(`${name}: where the answer is lost, the issue is found by its mark and not created again`, async () => {
    const project = await tracked(tracker);
    const errorId = await failing(project, newMessage());
    const { projectId, trackerId } = project;
    const before = { issues: tracker.issues.all.length, creations: tracker.creations() };
    tracker.mishap("unanswered");
    const { issue } = await client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
    assert.is(issue?.state, State.CREATING);
    assert.match(issue?.reason ?? "", "is checking whether the issue was created");
    await waitFor("the issue", async () => (await issueOf(projectId, errorId))?.state === State.OPEN);
    assert.is(tracker.issues.all.length, before.issues + 1);
    assert.is(tracker.creations(), before.creations + 1);
    assert.is((await issueOf(projectId, errorId))?.url, tracker.pageOf(latest()?.number ?? 0));
  });

  test(`${name}: where the request is lost, the issue is created once the search has found none`, async () => {
    const project = await tracked(tracker);
    const errorId = await failing(project, newMessage());
    const { projectId, trackerId } = project;
    const before = tracker.issues.all.length;
    tracker.mishap("lost");
    await client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
    const since = clock.at;
    await waitFor("the issue", async () => (await issueOf(projectId, errorId))?.state === State.OPEN);
    assert.ok(clock.at - since >= 60_000, `${clock.at - since} ms`);
    assert.is(tracker.issues.all.length, before + 1);
  });

  test(`${name}: an existing issue is linked by its address, and only one of the tracker`, async () => {
    const project = await tracked(tracker);
    const errorId = await failing(project, newMessage());
    const { projectId } = project;
    const body = tracker.manner.kind === "jira" ? '{"type":"doc"}' : "text";
    const { number } = tracker.issues.add({ title: "by hand", body });
    const link = (url: string) => client.trackerIssues.linkTrackerIssue({ projectId, errorId, url }, auth);
    await rejects(link(tracker.pageOf(99_999)), "NOT_FOUND");
    await rejects(link("https://tracker.example/acme/shop/-/issues/1"), "INVALID_ARGUMENT");
    await rejects(link("javascript:alert(1)"), "INVALID_ARGUMENT");
    const { issue } = await link(`${tracker.pageOf(number)}#note_1`);
    assert.equal([issue?.state, issue?.url], [State.OPEN, tracker.pageOf(number)]);
    await rejects(link(tracker.pageOf(number)), "ALREADY_EXISTS");
    await client.trackerIssues.unlinkTrackerIssue({ projectId, errorId }, auth);
    assert.is(await issueOf(projectId, errorId), undefined);
  });

  test(`${name}: a closed issue resolves its error within minutes, and a reopened one changes nothing`, async () => {
    const project = await tracked(tracker);
    const errorId = await failing(project, newMessage());
    const { projectId, trackerId } = project;
    await client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
    const issue = latest();
    assert.ok(issue);
    issue.isOpen = false;
    const since = clock.at;
    await waitFor("the status", async () => (await statusOf(projectId, errorId)) === ErrorStatus.RESOLVED, 20_000);
    assert.ok(clock.at - since <= 600_000, `${clock.at - since} ms`);
    issue.isOpen = true;
    await waitFor("the state", async () => (await issueOf(projectId, errorId))?.state === State.OPEN, 600_000);
    assert.is(await statusOf(projectId, errorId), ErrorStatus.RESOLVED);
    assert.equal(issue.comments, []); // what came from the tracker is not sent back
  });

  test(`${name}: a signed webhook resolves immediately; forged, foreign and repeated webhooks do nothing`, async () => {
    const project = await tracked(tracker);
    const errorId = await failing(project, newMessage());
    const { projectId, trackerId, webhookSecret } = project;
    await client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
    const issue = latest();
    assert.ok(issue);
    const address = `${service.url}${new URL(project.webhookUrl).pathname}`;
    const post = async (hook: { headers: Record<string, string>; body: string }, url = address) =>
      (await http(url, { method: "POST", headers: hook.headers, body: hook.body })).status;
    const hook = tracker.manner.hook({ ...issue, isOpen: false }, webhookSecret, clock.at);
    const readings = () => tracker.asked.length;
    const before = readings();
    assert.is(await post(tracker.manner.hook(issue, "whsec_wrong", clock.at)), 401);
    assert.is(await post({ headers: {}, body: hook.body }), 401);
    if (name !== "gitlab") assert.is(await post({ ...hook, body: `${hook.body} ` }), 401);
    assert.is(await post(hook, `${address.slice(0, -32)}${"0".repeat(32)}`), 404);
    assert.is(await post({ ...hook, body: "x".repeat(1024 * 1024 + 1) }), 413);
    assert.is(readings(), before);
    assert.is(await post(hook), 204); // it is open: what it says is not believed
    await waitFor("a reading", () => readings() > before, 0);
    assert.is(await statusOf(projectId, errorId), ErrorStatus.UNRESOLVED);
    issue.isOpen = false;
    const since = clock.at;
    assert.is(await post(hook), 204);
    await waitFor("the status", async () => (await statusOf(projectId, errorId)) === ErrorStatus.RESOLVED, 0);
    assert.is(clock.at, since);
    issue.isOpen = true;
    await setStatus(projectId, errorId, ErrorStatus.UNRESOLVED);
    const read = readings();
    assert.is(await post(hook), 204); // again: the issue is open, so nothing follows
    await waitFor("a reading", () => readings() > read, 0);
    assert.is(await statusOf(projectId, errorId), ErrorStatus.UNRESOLVED);
  });

  test(`${name}: an error that comes back reopens its issue with one comment, also where an answer is lost`, async () => {
    const project = await tracked(tracker);
    const message = newMessage();
    const errorId = await failing(project, message);
    const { projectId, trackerId } = project;
    await client.trackerIssues.createTrackerIssue({ projectId, errorId, trackerId }, auth);
    const issue = latest();
    assert.ok(issue);
    await setStatus(projectId, errorId, ErrorStatus.RESOLVED);
    await waitFor("the closed issue", () => !issue.isOpen);
    assert.is(issue.comments.length, 1);
    assert.match(issue.comments[0] ?? "", "The error was resolved");
    await waitFor("its state", async () => (await issueOf(projectId, errorId))?.state === State.CLOSED, 0);
    tracker.mishap("unanswered");
    await failing(project, message, { release: "3.0" });
    await waitFor("the open issue", () => issue.isOpen);
    await waitFor("its state", async () => (await issueOf(projectId, errorId))?.state === State.OPEN, 0);
    assert.is(issue.comments.length, 2);
    assert.match(issue.comments[1] ?? "", /came back after it was resolved[^]*Release: 3\.0/);
    assert.is(await statusOf(projectId, errorId), ErrorStatus.UNRESOLVED);
  });

  test(`${name}: it asked for nothing that the API does not have`, () => assert.equal(tracker.faults, []));
}

test.run();

import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rootPassword, startServer, type Server } from "../../support/service/server.ts";
import { gitlabManner } from "../../support/trackers/gitlab.ts";
import { playedTracker, type PlayedTracker } from "../../support/trackers/played-tracker.ts";

/** Settings > Issue trackers, and the issue of an error on its page, with a played GitLab. */

let server: Server;
let browser: TestBrowser;
let page: Page;
let project: Project;
let tracker: PlayedTracker;

test.before(
  reported(async () => {
    tracker = await playedTracker(gitlabManner);
    const env = { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: String(tracker.port) };
    server = await startServer({ env });
    project = await createProject(server, { name: "Shop", path: "acme/shop" });
    await sendEvent(server, project, { event_id: newEventId(), message: "the shop is closed" });
    browser = await openBrowser(server);
    page = browser.page;
    const client = grpcClient(server);
    const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
    client.close();
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser.close();
  await server.stop();
});

test("a tracker is added once it has answered, and an error's page creates, shows, unlinks and links its issue", async () => {
  await page.goto("/acme/shop/-/error_tracking");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Issue trackers" }).click();
  await page.getByText("Add GitLab, GitHub or Jira to create issues").waitFor();
  await page.getByRole("link", { name: "GitLab" }).click();
  await page.getByLabel("Address").fill(tracker.url);
  await page.getByLabel("Project", { exact: true }).fill("acme/shop");
  await page.getByLabel("Access token").fill("a wrong one".replaceAll(" ", "-"));
  await page.getByRole("button", { name: "Add GitLab" }).press("Enter");
  await page.getByText("GitLab refuses the token. Enter a valid one.").waitFor();
  assert.is(await page.getByLabel("Address").inputValue(), tracker.url);
  await page.getByLabel("Access token").fill(gitlabManner.token);
  await page.getByRole("button", { name: "Add GitLab" }).press("Enter");
  await page.getByText("GitLab responded and was added.").waitFor();
  assert.match((await page.locator("code", { hasText: "whsec_" }).textContent()) ?? "", /^whsec_[\w+/=]{44}$/);
  await browser.photograph("issue-trackers");
  await page.getByRole("link", { name: "Change GitLab" }).press("Enter");
  const form = page.getByRole("region", { name: "Change GitLab" });
  assert.equal(
    [await form.getByLabel("Address").inputValue(), await form.getByLabel("Access token").inputValue()],
    [tracker.url, ""],
  );
  await form.getByLabel("Comment on issues").check();
  await form.getByRole("button", { name: "Save changes" }).press("Enter");
  await page.getByText("GitLab responded and was changed.").waitFor();
  await page.getByText("Issues get comments and are not reopened.").waitFor();

  await page.goto("/acme/shop/-/error_tracking");
  await page.getByRole("link", { name: "the shop is closed" }).click();
  await page.getByRole("link", { name: "Create issue" }).click();
  await page.getByLabel("Confidential").check();
  await browser.photograph("issue-of-an-error");
  await page.getByRole("button", { name: "Create issue in GitLab" }).press("Enter");
  await page.getByText("GitLab issue:").waitFor();
  assert.is(await page.getByRole("link", { name: "View issue" }).getAttribute("href"), tracker.pageOf(1));
  assert.equal([tracker.issues.all.length, tracker.issues.all[0]?.confidential], [1, true]);
  await browser.photograph("error-with-issue");

  await page.getByRole("link", { name: "Change the issue" }).click();
  await page.getByRole("button", { name: "Unlink issue" }).press("Enter");
  await page.getByRole("link", { name: "Create issue" }).click();
  await page.getByLabel("Or link an existing issue").fill("https://elsewhere.example/1");
  await page.getByRole("button", { name: "Link issue" }).press("Enter");
  await page.getByText("This address belongs to none of the project's issue trackers.").waitFor();
  await page.getByLabel("Or link an existing issue").fill(tracker.pageOf(1));
  await page.getByRole("button", { name: "Link issue" }).press("Enter");
  await page.getByRole("link", { name: "View issue" }).waitFor();
  assert.is(tracker.creations(), 1);
  assert.not.match(await page.content(), gitlabManner.token);
  assert.equal(browser.complaints.splice(0).length, 2); // of the two refused forms
});

test.run();

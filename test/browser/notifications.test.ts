import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { receiver } from "../support/notifications/receiver.ts";
import { reported } from "../support/run/reported.ts";
import { until } from "../support/run/until.ts";
import { rootPassword, startServer, type Server } from "../support/service/server.ts";
import { grpcClient } from "../support/core/grpc.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";

/** Settings > Notifications as a Maintainer sets it up, against a receiver that answers. */

let server: Server;
let browser: TestBrowser;
let page: Page;
let project: Project;
let other: Awaited<ReturnType<typeof receiver>>;

test.before(
  reported(async () => {
    other = await receiver();
    const env = { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: String(other.port) };
    server = await startServer({ env });
    project = await createProject(server, { name: "Shop", path: "acme/shop" });
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

test("a channel and a rule are set up, tested, and send the next new error", async () => {
  await page.goto("/acme/shop/-/error_tracking");
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Notifications", exact: true })
    .click();
  await page.getByText("No rules yet, so nothing is sent.").waitFor();
  await page.getByRole("link", { name: "Webhook" }).click();
  await page.getByLabel("Address").fill("https://me:pass@example.com/");
  await page.getByRole("button", { name: "Add Webhook" }).press("Enter");
  await page.getByText("It must not contain a user name or password.").waitFor();
  await page.getByLabel("Address").fill(`${other.url}/hooks/of-the-team-and-secret`);
  await page.getByRole("button", { name: "Add Webhook" }).press("Enter");
  await page.getByText("The channel Webhook was added.").waitFor();
  assert.match((await page.locator("code", { hasText: "whsec_" }).textContent()) ?? "", /^whsec_[\w+/=]{44}$/);

  await page.getByRole("button", { name: "Test Webhook" }).press("Enter");
  await page.getByText("The test was accepted with HTTP status 200.").waitFor();
  assert.is(JSON.parse(other.received[0]?.body ?? "{}").type, "test");

  await page.getByLabel("Name").last().fill("Fatal ones");
  await page.getByLabel("Only errors that match").fill("level:fatal (");
  await page.getByRole("button", { name: "Add rule" }).press("Enter");
  await page.getByText("Groups in parentheses are not supported.").waitFor();
  await page.getByLabel("Only errors that match").fill("level:fatal");
  await page.getByRole("button", { name: "Add rule" }).press("Enter");
  await page.getByText("The rule Fatal ones was added.").waitFor();
  await browser.photograph("notifications");

  await sendEvent(server, project, { event_id: newEventId(), message: "the shop is down", level: "fatal" });
  await until("the notification", () => other.received.length === 2);
  assert.is(JSON.parse(other.received[1]?.body ?? "{}").data.title, "the shop is down");
  await page.reload();
  await page.getByText("New error: the shop is down").waitFor();
  assert.not.match(await page.content(), "of-the-team-and-secret");
  assert.equal(browser.complaints.splice(0).length, 2); // of the two refused forms
});

test("a draft about spikes shows the usual numbers, is previewed, keeps what was typed, and is then added", async () => {
  await page.goto("/acme/shop/-/settings/notifications");
  const form = page.locator("form", { has: page.getByRole("button", { name: "Add rule" }) });
  assert.ok(await form.getByLabel("A failing external system").isDisabled());
  await form.getByText("The project's errors are stored here, not in an external system.").waitFor();
  await form.getByLabel("Spikes").press("Space");
  await form.getByText(/^Per hour over the last day/).waitFor();
  await form.getByLabel("Name").fill("Bursts");
  await form.getByLabel("How many").fill("25");
  await form.getByLabel("Within minutes").fill("10");
  await form.getByRole("button", { name: "Preview the last 7 days" }).press("Enter");
  await form.getByText("This rule would have sent 1 message and 0 digests").waitFor();
  await form.getByText(/since \d\d \w{3}, \d\d:\d\d:\d\d\. Examined/).waitFor();
  await form.getByText("New error: the shop is down").waitFor();
  await form.getByText("Not included: Spikes. Counts per minute are kept for only three hours.").waitFor();
  await browser.photograph("notification-rule-preview");
  assert.is(await form.getByLabel("How many").inputValue(), "25");
  await form.getByRole("button", { name: "Add rule" }).press("Enter");
  await page.getByText("The rule Bursts was added.").waitFor();
  await page.getByText("Spikes (25 events in 10 minutes)").waitFor();
  assert.is(await form.getByLabel("How many").count(), 0); // the form is a new one
});

test("a rule is turned off and on, and rules and channels are changed in place; an address that is not shown stays", async () => {
  await page.goto("/acme/shop/-/settings/notifications");
  await page.getByRole("button", { name: "Turn off Fatal ones" }).press("Enter");
  await page.getByText("The rule Fatal ones is turned off.").waitFor();
  await page.getByText("Turned off. It sends nothing.").waitFor();
  await page.getByRole("button", { name: "Turn on Fatal ones" }).press("Enter");
  await page.getByText("The rule Fatal ones is turned on.").waitFor();
  await page.getByRole("link", { name: "Change Fatal ones" }).press("Enter");
  const rule = page.getByRole("region", { name: "Change Fatal ones" });
  assert.is(await rule.getByLabel("Only errors that match").inputValue(), "level:fatal");
  assert.ok(await rule.getByLabel("Webhook").isChecked());
  await rule.getByLabel("Only errors that match").fill("level:fatal (");
  await rule.getByRole("button", { name: "Save changes" }).press("Enter");
  await rule.getByText("Groups in parentheses are not supported.").waitFor();
  await rule.getByLabel("Only errors that match").fill("level:[fatal,error]");
  await rule.getByRole("button", { name: "Save changes" }).press("Enter");
  await page.getByText("The rule Fatal ones was changed.").waitFor();
  await page.getByRole("cell", { name: "level:[fatal,error]" }).waitFor();
  await rule.getByRole("link", { name: "Cancel" }).press("Enter");
  await page.getByRole("heading", { name: "Add a rule" }).waitFor();

  await page.getByRole("link", { name: "Change Webhook" }).press("Enter");
  const channel = page.getByRole("region", { name: "Change Webhook" });
  assert.is(await channel.getByLabel("Address").inputValue(), "");
  await browser.photograph("notification-channel-change");
  await channel.getByLabel("Name").fill("Team");
  await channel.getByRole("button", { name: "Save changes" }).press("Enter");
  await page.getByText("The channel Team was changed.").waitFor();
  const before = other.received.length;
  await page.getByRole("button", { name: "Test Team" }).press("Enter");
  await until("the test at the address of before", () => other.received.length === before + 1);
  assert.is(browser.complaints.splice(0).length, 1); // of the refused form
});

test("a maintenance window is set, shown with who set it, and ended by the keyboard", async () => {
  await page.goto("/acme/shop/-/settings/notifications");
  const panel = page.getByRole("region", { name: "Maintenance window" });
  await panel.getByLabel("Duration").selectOption("4 hours");
  await panel.getByRole("button", { name: "Start window" }).press("Enter");
  await panel.getByText("Set by root.").waitFor();
  await browser.photograph("notification-maintenance");
  await panel.getByRole("button", { name: "End window" }).press("Enter");
  await panel.getByRole("button", { name: "Start window" }).waitFor();
  assert.equal(browser.complaints, []);
});

test.run();

import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { ErrorStatus } from "@faultline/proto";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rootPassword } from "../../support/service/server.ts";
import { until } from "../../support/run/until.ts";

const { server, client: core } = await sharedServer();
let browser: TestBrowser;
let page: Page;
let project: Project;
let home: string;

test.before(
  reported(async () => {
    project = await createProject(server);
    home = `/${project.path}/-`;
    const event = { event_id: newEventId(), exception: { values: [{ type: "Late", value: "script" }] } };
    assert.is((await sendEvent(server, project, event)).status, 200);
    const { sessionToken } = await core.accounts.signIn({ username: "root", password: rootPassword });
    browser = await openBrowser(server);
    ({ page } = browser);
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
});
test.after.each(
  reported(async () => {
    assert.equal(browser.complaints.splice(0), []);
  }),
);

/** Opens a page and acts on it before its scripts arrive. */
async function before(address: string, act: () => Promise<unknown>): Promise<void> {
  const scripts = /\/_app\/immutable\/.*\.js$/;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let held = 0;
  await page.route(scripts, async (route) => {
    held++;
    await released;
    await route.continue().catch(() => undefined); // the page was left
  });
  const opened = page.goto(address);
  await page.locator("main").waitFor();
  await act();
  await until("the scripts to be on their way", () => held > 0);
  release();
  await opened;
  await page.unroute(scripts);
}

test("a button that is pressed before the page's scripts run does its work once they do, and once", async () => {
  await before(`${home}/error_tracking`, () => page.getByRole("button", { name: "Resolve Late: script" }).click());
  const statuses = async () => {
    const { errors } = await core.errors.listErrors({ projectId: project.id, pageSize: 10 }, core.auth);
    return errors.map(({ status }) => status);
  };
  await until("the error is resolved", async () => (await statuses())[0] === ErrorStatus.RESOLVED);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await until("it is unresolved", async () => (await statuses())[0] === ErrorStatus.UNRESOLVED);

  await before("/-/profile/account", () => page.getByRole("button", { name: "Show new password" }).click());
  await page.getByRole("button", { name: "Hide new password" }).waitFor();
});

test("choices, ticks and text entered before the page's scripts run stay and take effect", async () => {
  await before(`${home}/error_tracking`, () => page.getByRole("checkbox", { name: "Select Late: script" }).check());
  await page.getByText("1 selected").waitFor();
  assert.ok(await page.getByRole("checkbox", { name: "Select Late: script" }).isChecked());

  await before(`${home}/error_tracking`, () =>
    page.getByRole("combobox", { name: "Search errors" }).pressSequentially("Late"),
  );
  await page.waitForURL(/\?q=Late$/);
  assert.is(await page.getByRole("combobox", { name: "Search errors" }).inputValue(), "Late");

  await before("/-/deprecations", () => page.getByLabel("State").selectOption({ index: 1 }));
  await page.waitForURL(/\?state=/);

  await before(`${home}/settings/monitor`, () => page.getByRole("radio", { name: "External" }).check());
  await page.getByText("Unsaved changes").waitFor();
  await page.getByLabel("External API URL").waitFor();
  assert.ok(await page.getByRole("radio", { name: "External" }).isChecked());
  page.once("dialog", (dialog) => void dialog.accept()); // the page is left with unsaved changes
});

test("a shortcut that is pressed before the page's scripts run does its work then", async () => {
  await before(`${home}/error_tracking`, () => page.keyboard.press("?"));
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
});

test("an event that arrives while the page's scripts are on their way is shown, though no watch was open then", async () => {
  const send = async (to = project) => {
    const event = { event_id: newEventId(), exception: { values: [{ type: "Meanwhile", value: "stored" }] } };
    assert.is((await sendEvent(server, to, event)).status, 200);
  };
  await before(`${home}/error_tracking`, () => send());
  await page.getByRole("button", { name: /^1 new · Show/ }).click();
  await page.getByRole("link", { name: "Meanwhile: stored" }).waitFor();
  assert.is(await page.getByRole("button", { name: /· Show/ }).count(), 0);

  await page.goto(`${home}/error_tracking`);
  const details = (await page.getByRole("link", { name: "Meanwhile: stored" }).getAttribute("href")) ?? "";
  await before(details, () => send());
  await page.locator("dt", { hasText: "Events" }).locator("+ dd", { hasText: /^2$/ }).waitFor();

  const fresh = await createProject(server);
  await before(`/${fresh.path}/-/error_tracking/get_started`, () => send(fresh));
  await page.getByText("First error received: Meanwhile: stored").waitFor();
});

test("actions that work without scripts happen once", async () => {
  await before(`${home}/error_tracking`, () =>
    page.getByRole("link", { name: "First seen" }).click({ noWaitAfter: true }),
  );
  await page.waitForURL(/sort=first_seen/);
  await page.goBack();
  await page.waitForURL((url) => !url.searchParams.has("sort"));
});

test.run();

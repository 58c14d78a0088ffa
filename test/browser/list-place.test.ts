// limit: 60 s
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { until } from "../support/run/until.ts";
import { sharedServer } from "../support/service/flow.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { rootPassword } from "../support/service/server.ts";

/** The keyboard keeps its place in the list of errors (console-findings 7). */

const { server, client: core } = await sharedServer();
const errorCount = 30;
let browser: TestBrowser;
let page: Page;
let project: Project;

test.before(
  reported(async () => {
    project = await createProject(server);
    for (let n = 1; n <= errorCount; n += 1) {
      const message = `Failure ${n}`;
      const event = { event_id: newEventId(), message, fingerprint: [message] };
      assert.is((await sendEvent(server, project, event)).status, 200);
    }
    const { sessionToken } = await core.accounts.signIn({ username: "root", password: rootPassword });
    browser = await openBrowser(server);
    ({ page } = browser);
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

const list = () => `/${project.path}/-/error_tracking?sort=first_seen`;
const focused = () => page.evaluate<string>("document.activeElement.textContent.trim()");
const scroll = () => page.evaluate<number>("window.scrollY");
const isSelected = (name: string) => page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).isChecked();
async function press(...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}
const opened = (name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
const listed = () => page.getByRole("heading", { level: 1, name: "Error Tracking" }).waitFor();

test("Back and “‹ Errors” return to the row, the scroll and the selection, and j continues from there", async () => {
  await page.goto(list());
  await press("j", "x", ...Array.from({ length: 11 }, () => "j"));
  assert.is(await focused(), "Failure 19", "the 12th of 30, the newest first");
  const scrolled = await scroll();
  assert.ok(scrolled > 0, "the row is below the fold");
  for (const back of [() => page.goBack(), () => page.getByRole("link", { name: "‹ Errors" }).click()]) {
    await press("Enter");
    await opened("Failure 19");
    await back();
    await listed();
    await until("the row to have the focus", async () => (await focused()) === "Failure 19");
    assert.is(await scroll(), scrolled);
    assert.ok(await isSelected("Failure 30"));
    await press("j");
    assert.is(await focused(), "Failure 18");
    await press("k");
  }
});

test("Shift and X select a range, and Ctrl and A in the list select the page", async () => {
  await page.goto(`${list()}&status=all`);
  await press("j", "j", "x", "j", "j", "j", "Shift+X");
  assert.is(
    await page.getByRole("toolbar", { name: "Selected errors" }).locator("span").first().textContent(),
    "4 selected",
  );
  await press("Escape", "Control+a");
  assert.is(await page.getByRole("checkbox", { name: "Select all on this page" }).isChecked(), true);
});

test.run();

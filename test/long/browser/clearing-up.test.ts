// limit: 120 s
// quiet: changes 30,000 errors within the limits of reads
import { BulkUpdateState, ErrorStatus } from "@faultline/proto";
import type { Page, Route } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { execSql } from "../../support/database/other-process.ts";
import { storeErrors } from "../../support/database/many-errors.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { hourMs, movableFaultline } from "../../support/service/movable-faultline.ts";
import { rootPassword } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { stretched } from "../../support/run/deadlines.ts";
import { until } from "../../support/run/until.ts";

/** Many errors are changed together, and each change can be undone later. */

const dataDir = tempDir();
const { client: core, faultline, clock } = await movableFaultline({ dataDir });
const server = { url: faultline.httpUrl };
const errorCount = 1_050;
const { UNRESOLVED, RESOLVED, IGNORED } = ErrorStatus;
let browser: TestBrowser;
let page: Page;
let project: Project;

test.before(
  reported(async () => {
    project = await createProject(server);
    for (let n = 0; n < errorCount; n += 50) {
      clock.at += hourMs; // this many simultaneous new errors would be "Other errors"
      await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const message = `Failure ${n + i}`;
          const event = { event_id: newEventId(), message, fingerprint: [message] };
          assert.is((await sendEvent(server, project, event)).status, 200);
        }),
      );
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

const list = (query = "") => `/${project.path}/-/error_tracking${query}`;
const count = async (status: ErrorStatus) =>
  (await core.errors.getErrorCount({ projectId: project.id, status }, core.auth)).count;
const counts = async () => [await count(UNRESOLVED), await count(RESOLVED), await count(IGNORED)];
const toast = (text: RegExp) => page.getByRole("status").filter({ hasText: text }).waitFor();
const button = (name: string | RegExp) => page.getByRole("button", { name });

test("a page says which errors it shows of how many, and its size and order are links", async () => {
  await page.goto(list());
  await page.getByText("1–50 of 1,000+").waitFor();
  await page.getByRole("link", { name: "Next ›" }).click();
  await page.getByText("51–100 of 1,000+").waitFor();
  await page.getByRole("navigation", { name: "Errors per page" }).getByRole("link", { name: "100" }).click();
  await page.getByText("1–100 of 1,000+", { exact: true }).waitFor(); // and not 51–100
  await page.getByRole("columnheader", { name: "Events" }).getByRole("link").click();
  await page.waitForURL(/per_page=100&sort=events$/);
  const sorted = await page.getByRole("columnheader", { name: "Events" }).getAttribute("aria-sort");
  assert.is(sorted, "descending");
});

test("all that match are selected in a second step, and resolved after one question with their number", async () => {
  await page.goto(list());
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByText("50 selected").waitFor();
  await button("Select all unresolved errors").click();
  await page.getByText("All 1,050 unresolved errors are selected").waitFor();
  await browser.photograph("all-matching");
  await page.keyboard.press("r");
  await page.getByText("Resolve 1,050 unresolved errors?").waitFor();
  assert.equal(await counts(), [errorCount, 0, 0], "nothing is changed before the answer");
  await button("Resolve 1,050 errors").click();
  await toast(/Resolved 1,050 errors\./);
  assert.equal(await counts(), [0, errorCount, 0]);
});

test("recent actions are undone after a reload, and what others changed since is left and counted", async () => {
  await page.reload();
  const { errors } = await core.errors.listErrors({ projectId: project.id, pageSize: 2 }, core.auth);
  clock.at += hourMs;
  const changes = errors.map(({ errorId }) => ({ errorId, status: IGNORED }));
  await core.errors.updateErrors({ projectId: project.id, changes }, core.auth);
  await page.getByText("Administrator").click();
  await button("Recent actions").click();
  const dialog = page.getByRole("dialog", { name: "Recent actions" });
  await dialog.getByText("Resolved 1,050 errors.").first().waitFor();
  await browser.photograph("recent-actions");
  await dialog.getByRole("button", { name: /^Undo/ }).click();
  await toast(/Undone, but 2 of 1,050 errors were skipped because they were changed or deleted since/);
  assert.equal(await counts(), [errorCount - 2, 0, 2]);
});

test("z undoes the last change though its toast is gone and the page was read again", async () => {
  await page.goto(list());
  await page.keyboard.press("j");
  await page.keyboard.press("r");
  await toast(/^Resolved/);
  await page.goto(list("?status=resolved"));
  await page.keyboard.press("z");
  await toast(/^Undone\./);
  assert.equal(await counts(), [errorCount - 2, 0, 2]);
});

test("errors of mixed statuses that are resolved together get their own statuses back with one undo", async () => {
  const { errors } = await core.errors.listErrors({ projectId: project.id, pageSize: 4 }, core.auth);
  const mixed = [IGNORED, RESOLVED, UNRESOLVED, IGNORED];
  const changes = errors.map(({ errorId }, n) => ({ errorId, status: mixed[n] ?? UNRESOLVED }));
  const { undo } = await core.errors.updateErrors({ projectId: project.id, changes }, core.auth);
  const statuses = async () => {
    const listed = await core.errors.listErrors({ projectId: project.id, pageSize: 4 }, core.auth);
    return listed.errors.map(({ status }) => status);
  };
  assert.equal(await statuses(), mixed);
  await page.goto(list("?status=all"));
  for (const { title } of errors) await page.getByRole("checkbox", { name: `Select ${title}`, exact: true }).check();
  await page.keyboard.press("r");
  await toast(/^Resolved 3 errors/);
  assert.equal(await statuses(), [RESOLVED, RESOLVED, RESOLVED, RESOLVED]);
  await page.keyboard.press("z");
  await toast(/^Undone\./);
  assert.equal(await statuses(), mixed);
  await core.errors.updateErrors({ projectId: project.id, changes: undo }, core.auth);
});

test("errors that others changed first are left, named with the reason, and changed by one button", async () => {
  await page.goto(list());
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  const titles = await page
    .getByRole("checkbox", { name: /^Select Failure/ })
    .evaluateAll((boxes) =>
      boxes.slice(0, 2).map((box) => box.getAttribute("aria-label")?.slice("Select ".length) ?? ""),
    );
  const changedLater = clock.at + hourMs;
  const named = titles.map((title) => `'${title}'`).join();
  await execSql(
    dataDir,
    `update integrated_error set status_changed_at = ${changedLater} where project_id = ${project.id} and title in (${named})`,
  );
  await button("Select all unresolved errors").click();
  await page.getByText("All 1,048 unresolved errors are selected").waitFor();
  await page.keyboard.press("r");
  await button("Resolve 1,048 errors").click();
  await toast(/Resolved 1,046 errors\. 2 were skipped because they were changed or deleted/);
  await page.getByRole("link", { name: "Show them" }).click();
  await page.getByText("Resolved 1,046 of 1,048 errors. Started by root").waitFor();
  for (const title of titles) {
    await page.getByRole("row", { name: `${title} Somebody changed its status first. unresolved` }).waitFor();
  }
  await browser.photograph("left-errors");
  await button("Resolve 2 errors").click();
  await page.getByText("Resolved 2 errors.", { exact: true }).waitFor();
  assert.equal(await counts(), [0, errorCount - 2, 2]);
  assert.is(await button(/^Resolve/).count(), 0, "nothing is left to do");
  await page.getByText("Administrator").click();
  await button("Recent actions").click();
  const dialog = page.getByRole("dialog", { name: "Recent actions" });
  await dialog.getByRole("link", { name: "Skipped errors" }).waitFor();
});

test("all errors are resolved though the tab is closed; other tabs show how far it is, stop it and undo it", async () => {
  const many = await createProject(server);
  const manyCount = 30_000;
  await storeErrors({ dataDir }, many.id, { count: manyCount });
  const address = `/${many.path}/-/error_tracking`;
  const states = async () =>
    (await core.bulkUpdates.listBulkUpdates({ projectId: many.id }, core.auth)).bulkUpdates.map(({ state }) => state);
  const other = await page.context().newPage();
  await other.goto(server.url + address);
  await other.getByText("1–50 of 1,000+").waitFor();

  const start = async (tab: Page) => {
    await tab.goto(server.url + address);
    await tab.getByRole("checkbox", { name: "Select all on this page" }).check();
    await tab.getByRole("button", { name: "Select all unresolved errors" }).click();
    await tab.getByText("All 30,000 unresolved errors are selected").waitFor();
    await tab.keyboard.press("r");
    await tab.getByRole("button", { name: "Resolve 30,000 errors" }).click();
    await tab.getByText(/^Resolving [\d,]+ of 30,000 errors$/).waitFor();
  };
  await start(page);
  assert.is(await page.getByText("50 selected").count(), 0);
  await browser.photograph("bulk-update");
  await other.getByText(/^Resolving [\d,]+ of 30,000 errors$/).waitFor(); // by the watch, without a reload
  await page.reload();
  await button("Stop").click();
  await toast(/^Resolved [\d,]+ errors\./);
  await other
    .getByRole("status")
    .filter({ hasText: /^Resolved/ })
    .waitFor(); // it keeps the act, which is undone here
  assert.equal(await states(), [BulkUpdateState.STOPPED]);
  await page.keyboard.press("z");
  await toast(/^Undone\./);
  assert.equal(await states(), [BulkUpdateState.UNDONE]);

  clock.at += 1_000;
  const closed = await page.context().newPage();
  await start(closed);
  await closed.close();
  const ended = async () => (await states())[0] === BulkUpdateState.CHANGED;
  await until("the bulk update to end", ended, { deadlineMs: 60_000 });
  await other.reload();
  await other.getByText("Administrator").click();
  const held = Promise.withResolvers<Route>();
  await other.route(/listBulkUpdates/, (route) => held.resolve(route), { times: 1 });
  await other.getByRole("button", { name: "Recent actions" }).click();
  const dialog = other.getByRole("dialog", { name: "Recent actions" });
  const undo = dialog.getByRole("button", { name: /^Undo/ });
  const reading = await held.promise;
  assert.is(await undo.count(), 0, "it does not offer to undo before it knows what was undone elsewhere");
  await reading.continue();
  await dialog.getByText("Resolved 30,000 errors.").first().waitFor();
  await undo.click();
  await other
    .getByRole("status")
    .filter({ hasText: /^Undone\./ })
    .waitFor({ timeout: stretched(60_000) });
  assert.equal(await states(), [BulkUpdateState.UNDONE, BulkUpdateState.UNDONE]);
  await other.close();
});

test.run();

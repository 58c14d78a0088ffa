import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rootPassword } from "../../support/service/server.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { until } from "../../support/run/until.ts";

const { server, client: core } = await sharedServer();
let browser: TestBrowser;
let page: Page;
let project: Project;
let list: string;

test.before(
  reported(async () => {
    project = await createProject(server);
    list = `/${project.path}/-/error_tracking`;
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

async function report(name: string, fields: object = {}): Promise<void> {
  const event = { event_id: newEventId(), message: name, fingerprint: [name], ...fields };
  assert.is((await sendEvent(server, project, event)).status, 200);
}

const titles = async () => (await storedErrors(core, project.id)).map(({ title }) => title).toSorted();

async function open(title: string): Promise<void> {
  const error = (await storedErrors(core, project.id)).find((one) => one.title === title);
  await page.goto(`${list}/${error?.errorId}/details`);
}

test("an error is deleted and brought back by the keyboard alone", async () => {
  await report("Checkout failed");
  await report("Login failed");
  await open("Checkout failed");
  await page.getByRole("link", { name: "Delete…" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Delete “Checkout failed”?" }).waitFor();
  await browser.photograph("deletion-new");
  await page.getByRole("button", { name: "Delete “Checkout failed”" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Deleted “Checkout failed”.").waitFor();
  await page.getByRole("heading", { name: "Deletions" }).waitFor();
  assert.equal(await titles(), ["Login failed"]);
  await browser.photograph("deletions");
  await page.getByRole("status").getByRole("button", { name: "Undo" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("1 restored.").waitFor();
  assert.equal(await titles(), ["Checkout failed", "Login failed"]);
});

test("an open page of an error that somebody deletes says that it is gone", async () => {
  await report("Gone soon");
  await open("Gone soon");
  await page.getByText("Live", { exact: true }).first().waitFor();
  const [error] = await storedErrors(core, project.id, "message:Gone");
  const target = { case: "errors" as const, value: { errorIds: [error?.errorId ?? ""] } };
  await core.deletions.createDeletion({ projectId: project.id, target }, core.auth);
  await page.getByText("This page does not exist, or you do not have access to it.").waitFor();
  browser.complaints.splice(0); // the browser complains about the 404 that is meant
});

test("selected errors are deleted from the list, and an open list hears of it", async () => {
  const watching = await browser.context.newPage();
  await watching.goto(list);
  await watching.getByRole("link", { name: "Login failed" }).waitFor();
  await page.goto(list);
  await page.getByRole("checkbox", { name: /Login failed/ }).check();
  await page.getByRole("toolbar", { name: "Selected errors" }).getByRole("link", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete “Login failed”" }).click();
  await page.getByRole("heading", { name: "Deletions" }).waitFor();
  await watching.getByRole("button", { name: /Show/ }).click();
  await watching.getByRole("link", { name: "Login failed" }).waitFor({ state: "detached" });
  await watching.close();
  const row = page.getByRole("row", { name: /Login failed/ });
  await row.getByRole("button", { name: "Undo" }).click();
  await page.getByText("1 restored.").first().waitFor();
  assert.ok((await titles()).includes("Login failed"));
});

test("all that match are deleted with their number, discarded, and recorded again", async () => {
  for (let n = 0; n < 5; n += 1) await report(`noise ${n}`, { environment: "staging" });
  await page.goto(`${list}?q=environment%3Astaging`);
  await page.getByRole("link", { name: /Delete all…/ }).click();
  await page.getByRole("heading", { name: "Delete all 5 errors?" }).waitFor();
  await page.getByRole("radio", { name: "Discard a number of them" }).check();
  await page.getByRole("button", { name: "Delete all 5 errors" }).click();
  await page.getByText("Enter a number of events, 1 or more.").waitFor();
  await page.getByRole("textbox", { name: "Number of events to discard" }).fill("1,000");
  await browser.photograph("deletion-new-discard");
  await report("noise 5", { environment: "staging" });
  await page.getByRole("button", { name: "Delete all 5 errors" }).click();
  await page.getByText("6 errors match now, but 5 were expected, so nothing was deleted.").waitFor();
  assert.is((await titles()).length, 8);
  browser.complaints.splice(0); // it complains about the refusals that are meant
  await page.goto(`${list}/deletions/new?q=environment%3Astaging`);
  await page.getByRole("radio", { name: "Discard them until somebody" }).check();
  await page.getByRole("radio", { name: /Erase it now/ }).check();
  await page.getByRole("button", { name: "Delete all 6 errors" }).click();
  await page.getByText(/6 events erased/).waitFor();
  await report("noise 1", { environment: "staging" });
  await until("it to be counted", async () => {
    const { discards } = await core.deletions.listDiscards({ projectId: project.id }, core.auth);
    return discards.some(({ stoppedCount }) => stoppedCount === 1n);
  });
  await page.reload();
  const row = page.getByRole("row", { name: /noise 1/ });
  await row.getByText("1 sample").click();
  await browser.photograph("deletions-discards");
  await row.getByRole("button", { name: "Record again" }).click();
  await page.getByText("Events of “noise 1” are recorded again in a new error.").waitFor();
  await report("noise 1", { environment: "staging" });
  assert.ok((await titles()).includes("noise 1"));
});

test("without scripts an error is deleted and brought back all the same", async () => {
  const plain = await browser.pageWithoutScripts();
  const error = (await storedErrors(core, project.id)).find(({ title }) => title === "Login failed");
  await plain.goto(`${list}/${error?.errorId}/details`);
  await plain.getByRole("link", { name: "Delete…" }).click();
  await plain.getByRole("button", { name: "Delete “Login failed”" }).click();
  const row = plain.getByRole("row", { name: /Login failed/ }).first();
  await row.getByRole("button", { name: "Undo" }).click();
  await plain.getByText("1 restored.").waitFor();
  assert.ok((await titles()).includes("Login failed"));
});

test("an administrator erases a deleted project by typing its path", async () => {
  const doomed = await createProject(server);
  await core.projects.deleteProject({ projectId: doomed.id }, core.auth);
  await page.goto("/admin/projects");
  await page.getByRole("link", { name: `Erase now ${doomed.path}` }).click();
  await page.getByRole("heading", { name: `Erase ${doomed.path}?` }).waitFor();
  await browser.photograph("admin-projects-erase");
  await page.getByRole("textbox", { name: /Type the path/ }).fill("no");
  await page.getByRole("button", { name: `Erase ${doomed.path}` }).click();
  await page.getByText(`This is not ${doomed.path}. Nothing was erased.`).waitFor();
  browser.complaints.splice(0); // it complains about the refusal that is meant
  await page.getByRole("textbox", { name: /Type the path/ }).fill(doomed.path);
  await page.getByRole("button", { name: `Erase ${doomed.path}` }).click();
  await page.getByText(`The project ${doomed.path} is being erased.`).waitFor();
  assert.equal((await core.projects.listDeletedProjects({}, core.auth)).projects, []);
});

test.run();

// limit: 60 s
import { ErrorStatus, Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { newMember, type Person } from "../support/core/person.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { storedErrors } from "../support/database/stored.ts";
import { reported } from "../support/run/reported.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";
import { rootPassword } from "../support/service/server.ts";

/** Changes by colleagues show in an open list. */

const { server, client: core } = await sharedServer();
let browser: TestBrowser;
let page: Page;
let project: Project;
let ann: Person;

test.before(
  reported(async () => {
    project = await createProject(server);
    for (const message of ["One", "Two", "Three"]) {
      assert.is((await sendEvent(server, project, { event_id: newEventId(), message })).status, 200);
    }
    ann = await newMember(core, project.id, Role.DEVELOPER);
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

const row = (name: string) => page.getByRole("row", { name: new RegExp(`Select ${name}\\b`) });

async function set(title: string, status: ErrorStatus, token = ann.token): Promise<void> {
  const error = (await storedErrors(core, project.id)).find((one) => one.title === title);
  const changes = [{ errorId: error?.errorId ?? "", status }];
  await core.errors.updateErrors({ projectId: project.id, changes }, { token });
}

test("a colleague's change strikes the row, names them, and moves the counts; the row does not move", async () => {
  await page.goto(`/${project.path}/-/error_tracking`);
  await page.getByText("Live", { exact: true }).waitFor();
  const before = await row("Two").boundingBox();
  await set("Two", ErrorStatus.RESOLVED);
  await row("Two").getByText(`Resolved by ${ann.username}`).waitFor();
  await page.getByRole("link", { name: /^Unresolved 2/ }).waitFor();
  await page.getByRole("link", { name: /^Resolved 1/ }).waitFor();
  assert.equal(await row("Two").boundingBox(), before);
  await browser.photograph("changed-by-a-colleague");
  await set("Two", ErrorStatus.UNRESOLVED);
  await row("Two").getByText("Resolved by").waitFor({ state: "detached" });
  await page.getByRole("link", { name: /^Unresolved 3/ }).waitFor();
});

test("one's own change makes no pill, though it was undone and made again", async () => {
  await page.goto(`/${project.path}/-/error_tracking?q=One`);
  await page.getByText("Live", { exact: true }).waitFor();
  const resolve = () => row("One").getByRole("button", { name: "Resolve One" }).click();
  await resolve();
  await page.getByRole("button", { name: "Undo" }).click();
  await row("One").waitFor();
  await resolve();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await set("Three", ErrorStatus.IGNORED); // comes by the watch after the own changes
  await page.getByRole("link", { name: /^Resolved 1/ }).waitFor();
  assert.is(await page.getByRole("button", { name: /Show/ }).count(), 0);
});

test.run();

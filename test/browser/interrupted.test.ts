// limit: 60 s
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { newMember, personPassword, type Person } from "../support/core/person.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";
import { Role } from "@faultline/proto";

/** What is shown, and what was done, outlives an ended session and a lost connection. */

const { server, client: core } = await sharedServer();
let browser: TestBrowser;
let page: Page;
let project: Project;
let person: Person;

test.before(
  reported(async () => {
    project = await createProject(server);
    const event = { event_id: newEventId(), message: "Lost and found" };
    assert.is((await sendEvent(server, project, event)).status, 200);
    person = await newMember(core, project.id, Role.DEVELOPER);
    const { sessionToken } = await core.accounts.signIn({ username: person.username, password: personPassword });
    browser = await openBrowser(server);
    ({ page } = browser);
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
});

const list = () => `/${project.path}/-/error_tracking`;

test("offline, a strip says what is shown, and a link does not end in the browser's own page", async () => {
  await page.goto(list());
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await page.getByText(/What you see was loaded at \d\d:\d\d\. Changes are not saved\./).waitFor();
  await page.getByRole("link", { name: "Releases" }).click();
  await page.getByText("You are offline, so this page cannot be loaded.").waitFor();
  assert.ok(await page.getByRole("link", { name: "Lost and found" }).isVisible());
  await page.context().setOffline(false);
  await page.getByText("You are offline.", { exact: true }).waitFor({ state: "detached" });
  browser.complaints.splice(0); // the browser reports what it could not reach
});

test("a change that meets an ended session is made once the person has signed in again", async () => {
  await page.goto(list());
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Resolve Lost and found" }).click();
  await page.getByText("Your change will be made once you have signed in.").waitFor();
  await page.getByRole("link", { name: "Sign in", exact: true }).click();
  await page.getByLabel("User name").fill(person.username);
  await page.getByLabel("Password").fill(personPassword);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Resolved “Lost and found”.").waitFor();
  await page.getByRole("link", { name: /^Resolved 1/ }).waitFor();
  browser.complaints.splice(0); // the refused call
});

test.run();

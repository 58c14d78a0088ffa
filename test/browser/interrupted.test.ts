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

/** Shown content and changes survive an ended session and a lost connection. */

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
  await page.getByText("Live", { exact: true }).waitFor();
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await page.getByText("Live updates paused", { exact: true }).waitFor(); // and not a green "Live"
  await page.getByText(/What you see was loaded at \d\d:\d\d\. Changes are not saved\./).waitFor();
  await page.getByRole("link", { name: "Releases" }).click();
  await page.getByText("You are offline, so this page cannot be loaded.").waitFor();
  assert.ok(await page.getByRole("link", { name: "Lost and found" }).isVisible());
  await page.context().setOffline(false);
  await page.getByText("You are offline.", { exact: true }).waitFor({ state: "detached" });
  browser.complaints.splice(0); // the browser reports what it could not reach
});

const dialog = () => page.getByRole("dialog", { name: "Your session has ended" });

async function signInAgain(password = personPassword): Promise<void> {
  await dialog().getByLabel("Password", { exact: true }).fill(password);
  await dialog().getByRole("button", { name: "Sign in" }).click();
}

test("a change that meets an ended session waits for a sign-in on the same page, and is made once", async () => {
  await page.goto(list());
  await page.getByLabel("Search errors").fill("Lost");
  await page.waitForURL(/q=Lost/);
  await page.context().clearCookies();
  const changes: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("updateErrors")) changes.push(request.method());
  });
  await page.getByRole("checkbox", { name: "Select Lost and found" }).check();
  await page.keyboard.press("r");
  await dialog().waitFor();
  assert.is(await dialog().getByLabel("User name").inputValue(), person.username);
  await signInAgain("not the password");
  await dialog().getByText("Wrong user name or password.").waitFor();
  await signInAgain();
  await page.getByText("Resolved “Lost and found”.").waitFor();
  await dialog().waitFor({ state: "hidden" });
  assert.equal(changes, ["POST", "POST"], "refused, then made");
  assert.is(await page.getByLabel("Search errors").inputValue(), "Lost");
  await page.keyboard.press("z");
  await page.getByText("Undone.").waitFor();
  browser.complaints.splice(0); // the refused calls
});

test("a link that meets an ended session leads on after the sign-in, and a form keeps what was typed", async () => {
  await page.context().clearCookies();
  await page.getByRole("link", { name: "Releases" }).click();
  await signInAgain();
  await page.getByRole("heading", { name: "Releases", level: 1 }).waitFor();

  await page.goto("/-/profile/personal_access_tokens");
  await page.getByLabel("Name").fill("Typed before");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Create token" }).click();
  await dialog().getByRole("button", { name: "Not now" }).click();
  await page.getByText("Not saved, because you are not signed in.").waitFor();
  assert.is(await page.getByLabel("Name").inputValue(), "Typed before");
  await page.getByRole("button", { name: "Create token" }).click();
  await signInAgain();
  await page.getByText("Copy it now").waitFor();
  browser.complaints.splice(0);
});

test("after a sign-in as another person nothing of the first is made, and the page is the other's", async () => {
  const other = await newMember(core, project.id, Role.DEVELOPER);
  await page.goto(list());
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Resolve Lost and found" }).click();
  await dialog().getByLabel("User name").fill(other.username);
  await signInAgain();
  await page.getByRole("group").filter({ hasText: other.username }).waitFor({ state: "attached" });
  await page.getByRole("link", { name: /^Unresolved 1/ }).waitFor();
  browser.complaints.splice(0);
});

test("while the service is away, the page says so, keeps what was typed, and continues when it answers again", async () => {
  await page.goto("/-/profile/personal_access_tokens");
  await page.getByLabel("Name").fill("Typed meanwhile");
  await page.route("**/*", (route) => route.abort("connectionrefused"));
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText("Faultline is not responding, so this may not be saved.").waitFor();
  assert.is(await page.getByLabel("Name").inputValue(), "Typed meanwhile");
  await page.getByText("Faultline is not responding.", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Preferences" }).click();
  await page.unroute("**/*");
  await page.getByRole("heading", { name: "Preferences", level: 1 }).waitFor();
  await page.getByText("Faultline is not responding.", { exact: true }).waitFor({ state: "detached" });
  browser.complaints.splice(0); // the browser reports what it could not reach
});

test.run();

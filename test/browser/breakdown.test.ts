// limit: 120 s
import { ErrorStatus } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { until } from "../support/run/until.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";
import { rootPassword } from "../support/service/server.ts";

/** Who is affected by an error, and what is unusual in it: next to its event, and on a separate page. */

const { server, client: core } = await sharedServer();
let browser: TestBrowser;
let page: Page;
let project: Project;
let tracking: string;

const hostile = `<img src=x onerror="document.title='ran'">\u202e${"w".repeat(120)}`;

test.before(
  reported(async () => {
    project = await createProject(server);
    const { project: found } = await core.projects.getProject(
      { key: { case: "projectId", value: project.id } },
      core.auth,
    );
    tracking = `/${found?.path}/-/error_tracking`;
    for (let n = 0; n < 20; n++) {
      const browserName = n < 18 ? "Safari" : "Chrome";
      const user = n < 8 ? { id: "7", email: "ann@example.com" } : { id: `${100 + (n % 6)}` };
      await report(
        "CheckoutFailed",
        { user, tags: { browser: browserName, plan: hostile }, release: `shop@${n % 2}` },
        n,
      );
    }
    for (let n = 0; n < 10; n++) {
      await report("Other", { tags: { browser: n < 2 ? "Safari" : "Chrome" }, message: `${n}`, platform: "python" }, n);
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

async function report(type: string, fields: Record<string, unknown>, minutesAgo: number): Promise<void> {
  const event = {
    event_id: newEventId(),
    timestamp: Date.now() / 1000 - minutesAgo * 60,
    platform: "node",
    exception: { values: [{ type, value: "x" }] },
    ...fields,
  };
  const answer = await sendEvent(server, project, event);
  assert.is(answer.status, 200, answer.text);
}

async function addressOf(type: string): Promise<string> {
  const { errors } = await core.errors.listErrors({ projectId: project.id }, core.auth);
  return `${tracking}/${errors.find((error) => error.type === type)?.errorId}`;
}

const panel = (name: string, within = page) => within.getByRole("region", { name });

test("the panel next to an event shows the affected users, what is unusual here, tags and releases", async () => {
  await page.goto(`${await addressOf("CheckoutFailed")}/details`);
  const affected = panel("Who is affected");
  await affected.getByText("ann@example.com").waitFor();
  const text = (await affected.innerText()).replaceAll(/\s+/g, " ");
  assert.match(text, /Users 7 ann@example\.com 8 events id:10\d 2 events/);
  assert.match(text, /Unusual here browser Safari 90 %, 20 % elsewhere/);
  assert.match(text, /Releases 2 shop@\d 10 events shop@\d 10 events/);
  await browser.photograph("who-is-affected");

  await affected.getByRole("link", { name: "Users and tags" }).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/details\?event=[0-9a-f]{32}$/);
  await affected.getByText("ann@example.com").waitFor();
  await affected.getByRole("link", { name: "Safari" }).first().press("Enter");
  await page.waitForURL(/q=browser%3ASafari/);
  await page
    .getByRole("link", { name: /CheckoutFailed/ })
    .first()
    .waitFor();
});

test("the number of users leads to the users, with their shares, times and newest events", async () => {
  await page.goto(`${await addressOf("CheckoutFailed")}/details`);
  await page.locator(".facts").getByRole("link", { name: "7", exact: true }).click();
  const users = panel("Users 7");
  const row = users.getByRole("row").filter({ hasText: "ann@example.com" });
  assert.match((await row.innerText()).replaceAll(/\s+/g, " "), /^ann@example\.com id:7 8 40 %/);
  assert.is(await page.getByRole("link", { name: "Users and tags" }).getAttribute("aria-current"), "page");
  await panel("plan").getByText(hostile).waitFor();
  assert.not.equal(await page.title(), "ran");
  await browser.photograph("users-and-tags");

  await row.getByRole("link").click();
  await page.getByRole("heading", { name: /^Event [0-9a-f]{8}/ }).waitFor();
});

test("the panel next to an event shows what happened to the error and who did it, and what a colleague does now appears", async () => {
  const address = await addressOf("Other");
  await page.goto(`${address}/details`);
  const activity = panel("Activity");
  await activity.getByText("First seen").waitFor();
  const changes = [{ errorId: address.split("/").at(-1) ?? "", status: ErrorStatus.RESOLVED }];
  await core.errors.updateErrors({ projectId: project.id, changes }, core.auth);
  await activity.getByText("Resolved by root").waitFor();
  await report("Other", { message: "again", release: "shop@2", platform: "python" }, 0);
  await activity.getByText("Came back in shop@2").waitFor();
  assert.equal(await activity.getByRole("listitem").count(), 3);
  await browser.photograph("activity");
});

test("as events arrive, head and panel have the same users, and the tabs offer what is newer than they show", async () => {
  await report("Arriving", { user: { id: "1" } }, 0);
  const address = await addressOf("Arriving");
  const usersInHead = (count: number) =>
    page
      .locator(".facts")
      .getByRole("link", { name: `${count}`, exact: true })
      .waitFor();
  await page.goto(`${address}/details`);
  await panel("Who is affected").getByText("Users 1").waitFor();
  await report("Arriving", { user: { id: "2" } }, 0);
  await usersInHead(2);
  await panel("Who is affected").getByText("Users 2").waitFor();

  await page.getByRole("link", { name: "Users and tags" }).first().click();
  await panel("Users 2").waitFor();
  assert.is(await page.getByRole("button", { name: /newer/ }).count(), 0);
  await report("Arriving", { user: { id: "3" } }, 0);
  await page.getByRole("button", { name: /^1 newer · Show/ }).press("Enter");
  await panel("Users 3").waitFor();
  await page.getByRole("button", { name: /newer/ }).waitFor({ state: "detached" });

  await page.getByRole("link", { name: "Events", exact: true }).click();
  await until("three events", async () => (await panel("Events").getByRole("row").count()) === 4);
  await report("Arriving", { user: { id: "4" } }, 0);
  await page.getByRole("button", { name: /^1 newer · Show/ }).waitFor();
  await page.keyboard.press(".");
  await until("four events", async () => (await panel("Events").getByRole("row").count()) === 5);
  await usersInHead(4);
});

test("if no event names a user, the page says how a program of that language does it", async () => {
  const address = await addressOf("Other");
  await page.goto(`${address}/details`);
  await panel("Who is affected").getByText("Users are not counted until your code identifies them.").waitFor();
  await panel("Who is affected").getByRole("link", { name: "How" }).click();
  await page.getByText("sentry_sdk.set_user").waitFor();
  await browser.photograph("no-users");
});

test("the events name people instead of ids, and say the title of their error once", async () => {
  await page.goto(`${await addressOf("CheckoutFailed")}/events`);
  const table = page.getByRole("table");
  assert.is(await table.getByText("ann@example.com").count(), 8);
  assert.is(await table.getByRole("cell", { name: "CheckoutFailed" }).count(), 0);
  assert.is(await table.getByText(/^id:10\d$/).count(), 12);
  await browser.photograph("events-of-people");
});

test("users and tags are read without scripts", async () => {
  const plain = await browser.pageWithoutScripts();
  await plain.goto(`${await addressOf("CheckoutFailed")}/details`);
  await plain.getByRole("link", { name: "Users and tags" }).first().click();
  await panel("Users 7", plain).getByText("ann@example.com").waitFor();
});

test.run();

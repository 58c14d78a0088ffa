import { ErrorStatus, NotificationLevel, NotificationTrigger, Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { newMember, personPassword, type Person } from "../support/core/person.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { until } from "../support/run/until.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";

/** The inbox as a developer meets it: without any set-up, by the keyboard. */

const { server, client } = await sharedServer();
let browser: TestBrowser;
let page: Page;
let project: Project;
let ann: Person;

test.before(
  reported(async () => {
    project = await createProject(server, { name: "Inbox shop", path: "acme/inbox-shop" });
    ann = await newMember(client, project.id, Role.DEVELOPER);
    browser = await openBrowser(server);
    page = browser.page;
    await browser.signIn(
      (await client.accounts.signIn({ username: ann.username, password: personPassword })).sessionToken,
    );
  }),
);
test.after(() => browser.close());

const send = (message: string, more: object = {}) =>
  sendEvent(server, project, { event_id: newEventId(), message, ...more });

const bell = () => page.getByRole("banner").getByRole("link", { name: /^Inbox/ });
const bellSays = (unread: string) =>
  until(`the bell with ${unread || "no number"}`, async () => (await bell().innerText()).includes(unread));

test("the bell counts a new error while the page is open, and the inbox leads to it and marks it as read", async () => {
  await page.goto("/-/inbox");
  await page.getByText("Your inbox is empty.").waitFor();
  await send("the basket is empty", { level: "fatal", transaction: "checkout" });
  await bellSays("1 unread");
  await page.getByRole("button", { name: /^1 new · Show/ }).press("Enter");
  await page.getByRole("button", { name: /Show/ }).waitFor({ state: "detached" });
  const row = page.getByRole("row", { name: /the basket is empty/ });
  await row.getByText("New error · checkout").waitFor();
  await browser.photograph("inbox");
  await row.getByRole("link").press("Enter");
  await page.getByRole("heading", { level: 1, name: "the basket is empty" }).waitFor();
  await until("no number at the bell", async () => (await bell().innerText()).trim() === "Inbox");
});

test("an error is watched and muted from its page, which says what that means and why there was an entry", async () => {
  const panel = page.getByRole("region", { name: "Your notifications" });
  await panel.getByText("You are notified when this error comes back after it was resolved.").waitFor();
  await panel.getByRole("button", { name: "Watch" }).press("Enter");
  await panel.getByText("You are notified of every change that others make.").waitFor();
  assert.is(await panel.getByRole("button", { name: "Watch" }).getAttribute("aria-pressed"), "true");
  await panel.getByText("Why I was or wasn't notified").press("Enter");
  await panel.getByText("New error: in your inbox").waitFor();
  await browser.photograph("error-subscription");
  await panel.getByRole("button", { name: "Mute" }).press("Enter");
  await panel.getByText("You are not notified of this error.").waitFor();
  await page.reload();
  assert.is(await panel.getByRole("button", { name: "Mute" }).getAttribute("aria-pressed"), "true");
  await panel.getByRole("button", { name: "Mute" }).press("Enter");
  await panel.getByText("You are notified when this error comes back after it was resolved.").waitFor();
});

test("the tabs of a browser have one stream for their bells, and the next tab takes over when that one is closed", async () => {
  const streams = new Set<Page>();
  const note = (tab: Page) => {
    tab.on("request", (request) => request.url().includes("watchInbox") && streams.add(tab));
    return tab;
  };
  const [second, third] = [note(await page.context().newPage()), note(await page.context().newPage())];
  note(page);
  const unreadIn = (tab: Page, count: number) =>
    tab
      .getByRole("banner")
      .getByRole("link", { name: `Inbox, ${count} unread`, exact: true })
      .waitFor();
  await page.goto("/-/profile");
  await bell().waitFor();
  await until("the first tab follows", () => streams.size === 1);
  for (const tab of [second, third]) await tab.goto(`${server.url}/-/profile`);
  await send("seen in all tabs");
  for (const tab of [page, second, third]) await unreadIn(tab, 1);
  assert.equal([...streams], [page]);
  await page.goto("about:blank");
  await send("seen in those that are left");
  for (const tab of [second, third]) await unreadIn(tab, 2);
  assert.is(streams.size, 2);
  for (const tab of [second, third]) await tab.close();
  await page.goto("/-/inbox");
  await page.getByRole("button", { name: "Mark these and older entries as read" }).press("Enter");
  await until("no number at the bell", async () => (await bell().innerText()).trim() === "Inbox");
});

test("all entries are marked as read together", async () => {
  for (const message of ["one", "two"]) await send(message);
  await bellSays("2 unread");
  await page.goto("/-/inbox?unread=1");
  await page.getByRole("button", { name: "Mark these and older entries as read" }).press("Enter");
  await page.getByText("No unread entries.").waitFor();
  await until("no number at the bell", async () => (await bell().innerText()).trim() === "Inbox");
});

test("levels and quiet hours are saved, and half of the quiet hours is refused with words", async () => {
  await page.goto("/-/profile/notifications");
  await page.getByLabel("acme/inbox-shop").selectOption({ label: "Errors that I watch" });
  await page.getByRole("button", { name: "Save levels" }).press("Enter");
  await page.getByText("Saved.").waitFor();
  const { levels } = await client.notificationPreferences.listNotificationLevels({}, ann);
  assert.equal(
    levels.map(({ isDefault }) => isDefault),
    [false],
  );
  await page.getByLabel("From").fill("22:00");
  await page.getByRole("button", { name: "Save preferences" }).press("Enter");
  await page.getByText("Enter both the start and the end of quiet hours, or neither.").waitFor();
  await page.getByLabel("From").fill("22:00");
  await page.getByLabel("Until").fill("07:30");
  await page.getByLabel("Time zone").selectOption("Europe/Berlin");
  await page.getByLabel("Send me e-mail").uncheck();
  await page.getByRole("button", { name: "Save preferences" }).press("Enter");
  await page.getByText("Saved.").waitFor();
  await browser.photograph("notification-preferences");
  const { preferences } = await client.notificationPreferences.getNotificationPreferences({}, ann);
  const { mail, timeZone, quietHours } = preferences ?? {};
  assert.equal([mail, timeZone, quietHours?.fromMinute, quietHours?.untilMinute], [false, "Europe/Berlin", 1320, 450]);
  assert.equal(browser.complaints.splice(0).length, 1); // of the refused form
});

test("an error that changed several times amid a storm is read by the person who was notified of it", async () => {
  const projectId = project.id;
  const bob = await newMember(client, projectId, Role.DEVELOPER);
  const { channel } = await client.notificationChannels.createNotificationChannel(
    { projectId, kind: "webhook", name: "Nobody", fields: { url: "https://nobody.invalid/" } },
    client.auth,
  );
  const rule = { name: "Releases", enabled: true, channelIds: [channel?.channelId ?? 0] };
  const triggers = [NotificationTrigger.RELEASE];
  await client.notificationRules.createNotificationRule({ projectId, rule: { ...rule, triggers } }, client.auth);
  await client.notificationPreferences.updateNotificationLevel({ projectId, level: NotificationLevel.ALL }, bob);
  const gathered = async () =>
    (await client.inbox.listInboxEntries({}, bob)).entries
      .flatMap((entry) => entry.gathered)
      .reduce((sum, { count }) => sum + count, 0);
  for (let n = 0; n < 6; n++) await send("before the storm", { fingerprint: [`${n}`] });
  await until("an entry that gathers", async () => (await gathered()) > 0);
  const before = await gathered();
  await send("amid the storm", { release: "shop@1" });
  await until("the new error", async () => (await gathered()) === before + 1);
  const { errors } = await client.errors.listErrors({ projectId, query: "amid the storm" }, client.auth);
  const errorId = errors[0]?.errorId ?? "";
  for (const [n, status] of [ErrorStatus.RESOLVED, ErrorStatus.UNRESOLVED].entries()) {
    await client.errors.updateErrors({ projectId, changes: [{ errorId, status }] }, client.auth);
    await until("the status", async () => (await gathered()) === before + 2 + n);
  }
  await until("that the release has its first new error", async () => {
    const { deliveries } = await client.notificationDeliveries.listNotificationDeliveries({ projectId }, client.auth);
    return deliveries.some((delivery) => delivery.errorId === errorId);
  });
  const { sessionToken } = await client.accounts.signIn({ username: bob.username, password: personPassword });
  await browser.signIn(sessionToken);
  await page.goto(`/${project.path}/-/error_tracking/${errorId}/details`);
  const panel = page.getByRole("region", { name: "Your notifications" });
  await panel.getByText("Why I was or wasn't notified").press("Enter");
  await panel.getByText("In your inbox, together with other changes").waitFor();
  assert.is(await panel.getByRole("listitem").count(), 1);
  await page.getByRole("heading", { level: 1, name: "amid the storm" }).waitFor();
  assert.equal(browser.complaints, []);
});

test.run();

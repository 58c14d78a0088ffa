// limit: 60 s
import { Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { newPerson, personPassword } from "../support/core/person.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";
import { until } from "../support/run/until.ts";

/** The home says what is burning, and the switcher and the palette lead anywhere (console-findings 15). */

const { server, client: core } = await sharedServer();
const newest = newEventId();
let browser: TestBrowser;
let page: Page;
let quiet: Project;
let calm: Project;
let burning: Project;

const send = async (project: Project, message: string, daysAgo: number, event_id = newEventId()) => {
  const event = { event_id, message, fingerprint: [message], timestamp: Date.now() / 1000 - daysAgo * 86_400 };
  assert.is((await sendEvent(server, project, event)).status, 200);
};

test.before(
  reported(async () => {
    const { userId, username } = await newPerson(core);
    const named = async (name: string, path: string) => {
      const project = await createProject(server, { name, path: `home-${process.pid}/${path}` });
      await core.members.addMember({ projectId: project.id, userId, role: Role.DEVELOPER }, core.auth);
      return project;
    };
    quiet = await named("Archive", "a");
    calm = await named("Back office", "b");
    burning = await named("Checkout", "c");
    await send(calm, "Printer is out of paper", 3);
    await send(burning, "Card was refused", 3);
    for (let n = 0; n < 3; n += 1) await send(burning, "Card was refused", 0);
    for (const id of [newEventId(), newest]) await send(burning, "Payment timed out", 0, id);
    await send(burning, "Basket is gone", 0);
    const { sessionToken } = await core.accounts.signIn({ username, password: personPassword });
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

const tracking = (project: Project) => `/${project.path}/-/error_tracking`;
const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });
const dialog = (name: string) => page.getByRole("dialog", { name });
const options = () => dialog("Go to").getByRole("option").allTextContents();
const isSearching = () =>
  until("the search has the focus", () => page.evaluate<boolean>("document.activeElement.id === 'error-search'"));

test("the home lists burning projects first, with what is open, new and most active", async () => {
  await page.goto("/");
  assert.match(page.url(), /\/-\/projects$/);
  await row("Checkout").getByRole("link", { name: "2", exact: true }).waitFor();
  const names = await page.locator("tbody tr td:first-child > a").allTextContents();
  assert.equal(names, ["Checkout", "Back office", "Archive"]);
  assert.equal(await row("Checkout").getByRole("listitem").allTextContents(), [
    "Card was refused",
    "Payment timed out",
  ]);
  await row("Checkout").getByText("6 events").waitFor();
  await row("Checkout").getByRole("link", { name: "3", exact: true }).waitFor();
  await row("Back office").getByText("No events").waitFor();
  await row("Archive").getByText("No events").waitFor();
  await row("Checkout").getByText("Developer").waitFor();
  await browser.photograph("home");
  await row("Checkout").getByRole("link", { name: "2", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Error Tracking" }).waitFor();
  const listed = await page.locator("a[data-error]").allTextContents();
  assert.equal(listed.toSorted(), ["Basket is gone", "Payment timed out"]);
});

test("the home is complete without scripts", async () => {
  const plain = await browser.pageWithoutScripts();
  await plain.goto("/-/projects");
  await plain
    .getByRole("row", { name: /Checkout/ })
    .getByText("Card was refused")
    .waitFor();
  await plain.close();
});

test("with the keyboard, the project's name leads to another project, and Escape leads back", async () => {
  await page.goto(`${tracking(burning)}/releases`);
  const switcher = page.getByRole("button", { name: "Switch project, now Checkout" });
  await switcher.focus();
  await page.keyboard.press("Enter");
  await dialog("Switch project").getByRole("combobox").waitFor();
  await page.getByRole("option", { name: "Archive" }).waitFor();
  await page.keyboard.press("Escape");
  assert.ok(await switcher.evaluate((button) => button.matches(":focus")));
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: "Archive" }).waitFor();
  await page.keyboard.press("ArrowDown");
  assert.match(
    (await dialog("Switch project").getByRole("option", { selected: true }).textContent()) ?? "",
    "Back office",
  );
  await page.keyboard.type("no such project");
  await page.getByText("No projects match “no such project”.").waitFor();
  await dialog("Switch project").getByRole("combobox").fill("arch");
  await page.getByRole("option", { name: "Archive", selected: true }).waitFor();
  await browser.photograph("switcher");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${tracking(quiet)}`);
  await page.getByRole("button", { name: "Switch project, now Archive" }).waitFor();
});

test("Ctrl and K lead to a page, a project, an event by its id, and the errors with a text", async () => {
  await page.goto(tracking(burning));
  await page.locator("#error-search").focus();
  const goTo = async (text: string, first: string) => {
    await page.keyboard.press("Control+k");
    await dialog("Go to").waitFor();
    await page.keyboard.type(text);
    await until(`the palette offers ${first}`, async () => (await options())[0]?.startsWith(first));
    await page.keyboard.press("Enter");
  };
  await goTo("members", "Members");
  await page.waitForURL(`**/${burning.path}/-/project_members`);
  await goTo("back off", "Back office");
  await page.waitForURL(`**${tracking(calm)}`);
  await goTo("checkout", "Checkout");
  await page.waitForURL(`**${tracking(burning)}`);
  await goTo(newest, `Open event ${newest}`);
  await page.waitForURL(new RegExp(`/details\\?event=${newest}$`));
  await goTo("basket", "Search errors for “basket”");
  await page.waitForURL(`**${tracking(burning)}?q=basket`);
  await page.getByRole("link", { name: "Basket is gone" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Archive" }).waitFor();
  assert.ok((await options()).some((text) => text.startsWith("Access tokens")));
  await browser.photograph("palette");
  await page.keyboard.press("Escape");
});

test("/ leads to the errors' search from any page of a project, and outside of one to the palette", async () => {
  for (const address of [`${tracking(burning)}/releases`, `/${burning.path}/-/project_members`]) {
    await page.goto(address);
    await page.keyboard.press("/");
    await page.waitForURL(`**${tracking(burning)}`);
    await isSearching();
  }
  await page.goto("/-/profile");
  await page.keyboard.press("/");
  await dialog("Go to").waitFor();
});

test.run();

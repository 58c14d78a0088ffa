import { Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { newMember, personPassword } from "../support/core/person.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { newEventId, sendStore } from "../support/sentry/send.ts";
import { until } from "../support/run/until.ts";
import { sharedServer } from "../support/service/flow.ts";
import { rootPassword } from "../support/service/server.ts";

const { server, client: core } = await sharedServer();
const paymentEvent = newEventId();
let browser: TestBrowser;
let page: Page;
let project: Project;
let list: string;

test.before(
  reported(async () => {
    project = await createProject(server);
    list = `/${project.path}/-/error_tracking`;
    const send = async (event: Readonly<Record<string, unknown>>) =>
      assert.is((await sendStore(server, project, event)).status, 200);
    await send({
      event_id: paymentEvent,
      level: "fatal",
      transaction: "/cart",
      environment: "staging",
      release: "web@1.2.0",
      tags: { browser: "Chrome 131" },
      user: { id: "3", email: "u3@example.com", ip_address: "10.0.0.3" },
      exception: {
        values: [{ type: "PaymentError", value: "card refused", mechanism: { type: "x", handled: false } }],
      },
    });
    await send({
      event_id: newEventId(),
      environment: "production",
      release: "web@2.0.0",
      tags: { browser: "Safari" },
      exception: { values: [{ type: "LoginError", value: "password wrong" }] },
    });
    browser = await openBrowser(server);
    ({ page } = browser);
    const { sessionToken } = await core.accounts.signIn({ username: "root", password: rootPassword });
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

const search = (q: string) => page.goto(`${list}?q=${encodeURIComponent(q)}`);
const shown = () => page.getByRole("table").getByRole("link", { name: /Error/ }).allTextContents();
const field = () => page.getByRole("combobox", { name: "Search errors" });
const searchInAddress = () => new URL(page.url()).searchParams.get("q");

test("a search finds what a person asks on a night call: a user, an address, a transaction, a release, missing values", async () => {
  for (const q of [
    "user.id:3",
    "user.email:u3@example.com",
    "user:U3@example.com",
    "user.ip:10.0.0.3",
    "transaction:/cart",
    "has:user",
    "level:fatal",
    "!level:error",
    "release:web@1.*",
    "release:<web@2.0.0",
    "firstSeen:-24h users:>0",
    "handled:no",
    "browser:[Chrome*, Edge]",
  ]) {
    await search(q);
    assert.equal(await shown(), ["PaymentError: card refused"], q);
  }
});

test("an unreadable search is refused in words below the field, where it can be corrected", async () => {
  await search("is:open card");
  await page.getByRole("alert").getByText("“open” is not a value of is.").waitFor();
  await page.getByRole("combobox", { name: "Search errors" }).fill("is:unresolved card");
  await page.getByRole("link", { name: "PaymentError" }).waitFor();
  assert.is(await page.getByRole("alert").count(), 0);
  await browser.photograph("search-found");
});

test("a tag that no error has is refused by name, and an empty answer offers the nearest value", async () => {
  await search("colour:red");
  await page.getByRole("alert").getByText("no error of this project has a tag with this name").waitFor();
  await search("environment:prod");
  await page.getByRole("link", { name: "Search for environment:production" }).click();
  await page.getByRole("link", { name: "LoginError" }).waitFor();
});

test("the id of an event opens the event", async () => {
  await search(paymentEvent);
  await page.getByRole("heading", { level: 1, name: "PaymentError" }).waitFor();
  assert.is(new URL(page.url()).searchParams.get("event"), paymentEvent);
});

test("the selects of environment, release and period write the search, and reading it sets them", async () => {
  await page.goto(list);
  const environment = page.getByRole("combobox", { name: "Environment" });
  await environment.focus();
  await environment.locator("option", { hasText: "staging" }).waitFor({ state: "attached" });
  await environment.selectOption("staging");
  await page.waitForURL(/q=environment/);
  assert.is(searchInAddress(), "environment:staging");
  assert.equal(await shown(), ["PaymentError: card refused"]);
  await page.getByRole("combobox", { name: "Period" }).selectOption("7d");
  await page.waitForURL(/lastSeen/);
  assert.is(searchInAddress(), "environment:staging lastSeen:-7d");
  await page.reload();
  assert.is(await page.getByRole("combobox", { name: "Environment" }).inputValue(), "staging");
  assert.is(await page.getByRole("combobox", { name: "Period" }).inputValue(), "7d");
});

test("Enter right after the last letter keeps what was typed, whatever the selects show, and a select changes only its own term", async () => {
  for (const [typed, found] of [
    ["environment:staging", "PaymentError: card refused"],
    ["env:staging release:web@1.2.0", "PaymentError: card refused"],
    ["release:web@2.0.0", "LoginError: password wrong"],
    ["lastSeen:-7d card", "PaymentError: card refused"],
  ] as const) {
    await page.goto(`${list}?q=environment%3Aproduction`);
    await field().fill(typed);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("q") === typed);
    assert.equal(await shown(), [found], typed);
  }
  await page.goto(`${list}?q=environment%3Astaging`);
  await field().fill("card release:web@1.2.0 ");
  await page.getByRole("combobox", { name: "Period" }).selectOption("7d");
  await page.waitForURL((url) => url.searchParams.get("q") === "card release:web@1.2.0 lastSeen:-7d");
  assert.is(await field().inputValue(), "card release:web@1.2.0 lastSeen:-7d");
});

test("the same without scripts", async () => {
  const plain = await browser.pageWithoutScripts();
  const typedIn = plain.getByRole("combobox", { name: "Search errors" });
  for (const typed of ["environment:staging", "env:staging", "release:web@1.2.0", "lastSeen:-7d card"]) {
    await plain.goto(`${list}?q=environment%3Aproduction`);
    await typedIn.fill(typed);
    await typedIn.press("Enter");
    await plain.getByRole("link", { name: "PaymentError" }).waitFor();
    assert.is(new URL(plain.url()).searchParams.get("q"), typed);
  }
  await plain.getByRole("combobox", { name: "Period" }).selectOption("24h");
  await plain.getByRole("button", { name: "Search" }).click();
  await plain.waitForURL((url) => url.searchParams.get("q") === "card lastSeen:-24h");
  await plain.context().close();
});

test("a term that is still being typed leaves the list as it was, and is not offered to be saved", async () => {
  const typing = await browser.context.newPage();
  const typedIn = typing.getByRole("combobox", { name: "Search errors" });
  const asked: (string | null)[] = [];
  typing.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith(list)) asked.push(url.searchParams.get("q"));
  });
  await typing.clock.install();
  await typing.goto(list);
  await typing.getByRole("button", { name: "Saved", exact: true }).click(); // once scripts run
  await typing.getByRole("dialog").waitFor();
  await typing.keyboard.press("Escape");
  const pause = () => typing.clock.runFor(1_000);
  const unfinished = ["environment:", "environment:prod", "release:<", '"refu', "!browser:[Chrome", "is:unr"];
  for (const [n, typed] of unfinished.entries()) {
    await typedIn.fill(typed);
    await typing.getByText("All terms must match.").waitFor();
    assert.is(await typing.getByRole("button", { name: "Save this search…" }).count(), 0, typed);
    await pause();
    await typedIn.fill(`step${n}`); // is asked for after it
    await pause();
    await typing.waitForURL((url) => url.searchParams.get("q") === `step${n}`);
    assert.equal(
      asked.splice(0).filter((q) => q !== null),
      [`step${n}`],
      typed,
    );
  }
  await typedIn.fill("environment:production");
  await typing.getByRole("heading", { level: 1, name: "Error Tracking" }).click(); // leaves the field
  await pause();
  await typing.getByRole("link", { name: "LoginError" }).waitFor();
  await typedIn.fill("environment:productio");
  await pause();
  await typedIn.press("Enter");
  await typing.getByText("match “environment:productio”").waitFor();
  assert.equal([...new Set(asked)], ["environment:production", "environment:productio"]);
  await typing.close();
});

/** The state of a list: its errors, the chosen filters, and the contents of its fields. */
async function looks(of: Page): Promise<unknown> {
  await of.getByRole("link", { name: "PaymentError" }).waitFor();
  return {
    errors: await of.locator("a[data-error]").allTextContents(),
    chosen: await of.locator("main [aria-current]").allInnerTexts(),
    order: await of.locator("th[aria-sort]").allInnerTexts(),
    filters: await of.getByRole("list", { name: "Filters" }).getByRole("link").allInnerTexts(),
    search: await of.getByRole("combobox", { name: "Search errors" }).inputValue(),
  };
}

test("a list reads the same after a reload, and by its address in the browser of another person", async () => {
  await page.goto(list);
  await page.getByRole("navigation", { name: "Status" }).getByRole("link", { name: "All" }).click();
  await page.waitForURL(/status=all/);
  await page.getByRole("columnheader", { name: "Users" }).getByRole("link").click();
  await page.waitForURL(/sort=users/);
  const release = page.getByRole("combobox", { name: "Release" });
  await release.focus();
  await release.locator("option", { hasText: "web@1.2.0" }).waitFor({ state: "attached" });
  await release.selectOption("web@1.2.0");
  await page.waitForURL(/q=release/);
  const before = await looks(page);
  await page.reload();
  assert.equal(await looks(page), before);

  const reader = await newMember(core, project.id, Role.REPORTER);
  const another = await browser.anotherPage();
  await another.goto(page.url());
  await another.getByLabel("User name or e-mail").fill(reader.username);
  await another.getByLabel("Password", { exact: true }).fill(personPassword);
  await another.getByRole("button", { name: "Sign in" }).click();
  assert.equal(await looks(another), before);
  assert.is(another.url(), page.url());
});

test("the search continues in an error: its events, and older and newer, are the matching events", async () => {
  const sent = [];
  for (const [n, region] of ["north", "south", "north"].entries()) {
    const event = { event_id: newEventId(), timestamp: Date.now() / 1000 - 60 + n, message: "step", tags: { region } };
    assert.is((await sendStore(server, project, event)).status, 200);
    sent.push(event.event_id);
  }
  await search("region:north");
  await page.getByRole("link", { name: "step" }).click();
  await page.getByRole("link", { name: "Events matching region:north" }).waitFor();
  await page.getByRole("link", { name: "Older" }).click();
  await page.waitForURL(new RegExp(`event=${sent[0]}`));
  await page.getByRole("link", { name: "Events", exact: true }).click();
  await page.getByRole("table", { name: /^Events of step/ }).waitFor();
  const listed = page.getByRole("table").getByRole("link");
  assert.equal(await listed.allTextContents(), [sent[2]?.slice(0, 8), sent[0]?.slice(0, 8)]);
  await listed.first().click();
  const chip = page.getByRole("link", { name: "Events matching region:north" });
  await chip.click();
  await chip.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Older" }).click();
  await page.waitForURL(new RegExp(`event=${sent[1]}`));
});

const dialog = () => page.getByRole("dialog", { name: "Saved searches" });

test("the short id of an error is shown, and opens it", async () => {
  await search("PaymentError");
  await page.getByRole("link", { name: "PaymentError" }).click();
  const shortId = `${project.path.slice(project.path.lastIndexOf("/") + 1).toUpperCase()}-`;
  const shortIdText = await page.getByText(new RegExp(`^Short ID ${shortId}\\d+$`)).textContent();
  await page.getByRole("button", { name: "Copy short ID" }).waitFor();
  await browser.photograph("short-id");
  await page.goto(list);
  await field().fill(`#${shortIdText?.replace("Short ID ", "").toLowerCase()}`);
  await page.getByRole("heading", { level: 1, name: "PaymentError" }).waitFor();
});

test("keys and values are suggested and taken by the keyboard, and a search is saved, kept and found again", async () => {
  await page.goto(list);
  await field().fill("brow");
  await page.getByRole("option", { name: "browser:" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: "Chrome 131" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=browser.*Chrome/);
  assert.is(searchInAddress(), 'browser:"Chrome 131"');
  await page.getByRole("button", { name: "Save this search…" }).click();
  await dialog().waitFor();
  await page.keyboard.type("Chrome only");
  await page.keyboard.press("Enter");
  await dialog().getByText("Saved “Chrome only”.").waitFor();
  await page.keyboard.press("Escape");
  await page.goto(`${list}?status=all&sort=events`);
  await field().focus();
  await page.getByRole("option", { name: "Chrome only" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=browser/);
  assert.is(await field().inputValue(), 'browser:"Chrome 131"');
  assert.is(await field().getAttribute("aria-expanded"), "false");
});

test("saved searches are counted, ordered, changed and deleted by the keyboard, and lead to their list", async () => {
  const projectId = project.id;
  const save = (name: string, query: string, shared = false) =>
    core.savedSearches.createSavedSearch({ projectId, name, query, shared, status: 0, sort: 3 }, core.auth);
  await save("Hurt people", "has:user");
  await save("Logins", "type:LoginError", true);
  await page.goto(list);
  await page.getByRole("button", { name: "Saved", exact: true }).press("Enter");
  const row = (name: string) => dialog().getByRole("listitem").filter({ hasText: name });
  await row("Logins").getByText("1 error", { exact: true }).waitFor();
  await browser.photograph("saved-searches");
  await row("Hurt people").getByRole("button", { name: "Move up" }).press("Enter");
  await dialog().getByRole("listitem").first().getByText("Hurt people", { exact: true }).waitFor();
  await until("the button to have the focus again", () =>
    page.evaluate("document.activeElement.textContent.includes('Move up “Hurt people”')"),
  );
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.type(" first");
  await page.keyboard.press("Tab");
  await page.keyboard.press("End");
  await page.keyboard.type(" is:open");
  await page.keyboard.press("Enter");
  await dialog().getByRole("alert").getByText("“open” is not a value of is.").waitFor();
  assert.is(browser.complaints.splice(0).length, 1); // of the refused call
  for (let n = 0; n < " is:open".length; n++) await page.keyboard.press("Backspace");
  await page.keyboard.press("Enter");
  await row("Hurt people first").waitFor();
  await row("Logins").getByRole("button", { name: "Delete" }).press("Enter");
  await dialog().getByText("Deleted “Logins”.").waitFor();
  assert.is(await page.evaluate("document.activeElement.textContent"), "Undo");
  await page.keyboard.press("Enter");
  await row("Logins").getByRole("link").press("Enter");
  await page.waitForURL(/LoginError/);
  assert.equal(await shown(), ["LoginError: password wrong"]);
  assert.equal(new URL(page.url()).searchParams.get("sort"), "events");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Go to" }).fill("hurt");
  await page.getByRole("option", { name: "Hurt people first" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/has%3Auser/);
});

test("searches that an earlier release saved in the browser become the person's own, once", async () => {
  await page.evaluate(
    ([name, kept]) => localStorage.setItem(name ?? "", kept ?? ""),
    [`faultline.searches.${project.id}`, JSON.stringify({ recent: [], saved: ["level:error", "has:user", "is:bad"] })],
  );
  await page.goto(list);
  await field().focus();
  const own = async () => {
    const { savedSearches } = await core.savedSearches.listSavedSearches({ projectId: project.id }, core.auth);
    return savedSearches.filter(({ shared }) => !shared).map(({ query }) => query);
  };
  await until("the search", async () => (await own()).includes("level:error"));
  assert.equal(await own(), ["has:user", 'browser:"Chrome 131"', "level:error"]);
  await page.getByRole("option", { name: "level:error" }).getByText("Saved").waitFor();
  const kept = () => page.evaluate(() => Object.entries(localStorage).map(([, value]) => String(value)));
  await until("what the service refuses to be all that stays", async () =>
    (await kept()).some((text) => text.includes('"saved":["is:bad"]')),
  );
  assert.equal(
    browser.complaints.splice(0).map((complaint) => /status of (\d+)/.exec(complaint)?.[1]),
    ["400"], // for the unreadable one
  );
});

test.run();

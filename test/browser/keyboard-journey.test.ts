// limit: 60 s
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";
import { rootPassword } from "../support/service/server.ts";
import { promised } from "../support/run/deadlines.ts";
import { until } from "../support/run/until.ts";

/** One way through the console without a pointer (test 3 of the design; WCAG 2.4.11). */

const { server } = await sharedServer();
let browser: TestBrowser;
let page: Page;
let project: Project;

test.before(
  reported(async () => {
    project = await createProject(server);
    const frames = Array.from({ length: 12 }, (_, n) => ({
      filename: `shop/part${n}.py`,
      function: `price${n}`,
      lineno: n + 1,
      context_line: "raise PricingError(sku)",
      in_app: true,
    }));
    for (let n = 1; n <= 20; n += 1) {
      const exception = { values: [{ type: `PricingError${n}`, value: "no price", stacktrace: { frames } }] };
      const event = { event_id: newEventId(), platform: "python", fingerprint: [`${n}`], exception };
      assert.is((await sendEvent(server, project, event)).status, 200);
      if (n === 18) assert.is((await sendEvent(server, project, { ...event, event_id: newEventId() })).status, 200);
    }
    browser = await openBrowser(server);
    ({ page } = browser);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
  }),
);
test.after(async () => {
  await browser?.close();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

/** The focused element, and the element that hides it: "" if it is in view, or if nothing has the focus. */
const focus = () =>
  page.evaluate<{ name: string; hiddenBy: string }>(`(() => {
    const focused = document.activeElement;
    const name = focused.getAttribute("aria-label") ?? focused.labels?.[0]?.textContent ?? focused.textContent;
    const shown = { name: name.trim().replace(/\\s+/g, " ").slice(0, 80), hiddenBy: "" };
    if (focused === document.body) return shown;
    const box = focused.getClientRects()[0];
    const middle = (from, to, end) => (Math.max(from, 0) + Math.min(to, end)) / 2;
    const x = middle(box.left, box.right, innerWidth);
    const y = middle(box.top, box.bottom, innerHeight);
    const above = document.elementFromPoint(x, y);
    const isSeen = focused.contains(above) || above?.contains(focused) && above !== document.documentElement;
    return isSeen ? shown : { ...shown, hiddenBy: above === null ? "the edge of the window" : above.outerHTML.slice(0, 200) };
  })()`);

async function press(key: string): Promise<string> {
  await page.keyboard.press(key);
  const { name, hiddenBy } = await focus();
  const isSeen = async () => (await focus()).hiddenBy === ""; // what a field opened closes in a moment
  if (hiddenBy !== "")
    await until(`“${name}” to be hidden no more by ${hiddenBy}`, isSeen, { deadlineMs: promised(1_000) });
  return name;
}

/** Presses a key until what has the focus is called like this. */
async function go(key: string, name: RegExp): Promise<void> {
  const passed: string[] = [];
  while (passed.length < 150) {
    const reached = await press(key);
    if (name.test(reached)) return;
    passed.push(reached);
  }
  assert.unreachable(`${key} reaches no ${name}, but ${passed.join(", ")}`);
}

const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

test("the keyboard is enough from the sign-in to an error, its resolution, the undo, back, and to the settings and the DSN, and no bar hides the focus", async () => {
  await page.setViewportSize({ width: 1280, height: 500 }); // low, so that the pages scroll under their bars
  await page.goto(`/${project.path}/-/error_tracking?sort=first_seen`);
  await heading("Sign in");
  if (!/User name/.test((await focus()).name)) await go("Tab", /^User name/);
  await page.keyboard.type("root");
  await go("Tab", /^Password/);
  await page.keyboard.type(rootPassword);
  await page.keyboard.press("Enter");
  await heading("Error Tracking");

  // A sign-in does not wait for the scripts of the page, unlike `goto` of the tests.
  await until("the scripts run", () => page.evaluate<boolean>("!('repeatEarlyInput' in window)"));
  await press("/");
  await until("the search has the focus", () => page.evaluate<boolean>("document.activeElement.type === 'search'"));
  await page.keyboard.type("PricingError");
  await page.waitForURL(/q=PricingError/);
  await go("Tab", /^PricingError3/); // over all rows to one near the end
  await go("Shift+Tab", /^PricingError18/); // and up again under the top bar
  await page.keyboard.press("Enter");
  await heading("PricingError18");

  await go("Tab", /^Hour/);
  const readHour = () => page.evaluate<string>("document.activeElement.getAttribute('aria-valuetext')");
  await press("End");
  assert.match(await readHour(), /, 2 events so far$/);
  await press("ArrowLeft");
  assert.match(await readHour(), /, 0 events$/);
  const eventShown = () => new URL(page.url()).searchParams.get("event");
  await press("h");
  await page.waitForURL(/event=/);
  const older = eventShown();
  await press("l");
  await page.waitForURL((url) => url.searchParams.get("event") !== older);

  const way: string[] = [];
  const isInPage = () => page.evaluate<boolean>("document.activeElement.closest('main') !== null");
  await go("Shift+Tab", /^Resolve/);
  do way.push(await press("Tab"));
  while (await isInPage());
  assert.ok(way.length > 20, "the page has many places for the focus");
  await go("Shift+Tab", /^Resolve/); // under the bar of the event's steps

  await page.keyboard.press("Enter");
  await page.getByText("Resolved “PricingError18").waitFor();
  await press("z");
  await page.getByText("Undone.").waitFor();
  await go("Shift+Tab", /^Skip to content/); // over the rail, which the toast does not cover
  assert.ok(await page.getByText("Undone.").isVisible());
  await go("Tab", /^‹ Errors/);
  await page.keyboard.press("Enter");
  await heading("Error Tracking");
  await until("the row has the focus", async () => (await focus()).name.startsWith("PricingError18"));
  assert.is((await focus()).hiddenBy, "");
  assert.match(await press("j"), /^PricingError17/);

  await go("Shift+Tab", /^Settings$/);
  await page.keyboard.press("Enter");
  await heading("Monitor settings");
  await go("Tab", /^Skip to content/);
  await page.keyboard.press("Enter");
  await go("Tab", /^Save changes/);
  await page.keyboard.press("Enter");
  await page.getByText("Saved.").waitFor();
  await go("Tab", /^Copy/);
  await page.keyboard.press("Enter");
  await page.getByText("Copied").waitFor();
  assert.is(await page.evaluate("navigator.clipboard.readText()"), project.dsn);
});

test.run();

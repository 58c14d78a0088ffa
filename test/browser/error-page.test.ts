// limit: 180 s
import { ErrorStatus } from "@faultline/proto";
import type { Locator, Page, Route } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { readCaptures, replay } from "../support/sentry/capture.ts";
import { newEventId, sendStore } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";
import { rootPassword } from "../support/service/server.ts";
import { until } from "../support/run/until.ts";

/** The page of an error for a person on call. */

const { server, client: core } = await sharedServer();
let browser: TestBrowser;
let page: Page;

test.before(
  reported(async () => {
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

const hourMs = 3_600_000;

/** Sends an event of a Python shop, and returns its id. */
async function sendPricing(project: Project, changes: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const eventId = newEventId();
  const frame = {
    filename: "shop/pricing.py",
    function: "price_of",
    lineno: 23,
    context_line: "raise PricingError(sku)",
  };
  const exception = { type: "PricingError", value: "no price", stacktrace: { frames: [{ ...frame, in_app: true }] } };
  const event = { event_id: eventId, platform: "python", exception: { values: [exception] }, ...changes };
  const { status, text } = await sendStore(server, project, event);
  assert.is(status, 200, text);
  return eventId;
}

async function detailsOf(project: Project): Promise<string> {
  const { errors } = await core.errors.listErrors({ projectId: project.id }, core.auth);
  return `${tracking(project)}/${errors[0]?.errorId}/details`;
}

const tracking = ({ path }: Project) => `/${path}/-/error_tracking`;

/** Asserts that the bars, read hour by hour, the table and the API have the same counts, and that the running hour is marked. */
async function sameCounts(project: Project, slider: Locator): Promise<void> {
  const { errors } = await core.errors.listErrors({ projectId: project.id }, core.auth);
  const asked = { projectId: project.id, errorId: errors[0]?.errorId ?? "", hourCount: 24 };
  const { counts } = await core.errors.getErrorStats(asked, core.auth);
  const countsIn = (texts: readonly (string | null)[], pattern: RegExp) =>
    texts.map((text) => Number(pattern.exec(text ?? "")?.[1]));
  await slider.focus();
  await slider.press("Home");
  const bars: (string | null)[] = [];
  while (bars.length < counts.length) {
    bars.push(await slider.getAttribute("aria-valuetext"));
    await slider.press("ArrowRight");
  }
  assert.equal(countsIn(bars, /, (\d+) events?( so far)?$/), counts);
  assert.equal(
    bars.map((text) => text?.endsWith(" so far")),
    counts.map((_, hour) => hour === 23),
  );
  await page.getByText("Show as table").click();
  const rows = await page.getByRole("table", { name: "Events per hour" }).locator("tbody tr").allInnerTexts();
  assert.equal(countsIn(rows, /\t(\d+)$/), counts.filter((count) => count > 0).toReversed());
  assert.equal(
    rows.findIndex((text) => text.includes(", so far")),
    0,
  );
}

test("bars, table and API count the same; a click on a bar or Enter opens the events of its hour, and hovering only reads", async () => {
  const project = await createProject(server);
  const hour = Math.floor(Date.now() / hourMs) * hourMs - 5 * hourMs;
  const inHour = [
    await sendPricing(project, { timestamp: hour / 1000 }),
    await sendPricing(project, { timestamp: hour / 1000 + 60 }),
  ];
  await sendPricing(project, { timestamp: (hour - 6 * hourMs) / 1000 });
  await sendPricing(project);
  const address = await detailsOf(project);
  await page.goto(address);
  const slider = page.getByTestId("bar-chart").getByRole("slider");
  await sameCounts(project, slider);
  const link = page.getByRole("link", { name: "Show events" });
  const linkBefore = await link.getAttribute("href");
  const { x = 0, y = 0, width = 0, height = 0 } = (await slider.boundingBox()) ?? {};
  const over = (index: number) => [x + ((index + 0.5) / 24) * width, y + height / 2] as const;
  const shownEvents = async () => {
    await page.waitForURL((url) => url.searchParams.get("from") === new Date(hour).toISOString());
    const rows = page.getByRole("region", { name: "Events" }).locator("td a.mono");
    await rows.nth(1).waitFor();
    assert.equal((await rows.allInnerTexts()).toSorted(), inHour.map((id) => id.slice(0, 8)).toSorted());
  };

  await page.mouse.move(...over(12));
  assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /\b1 event$/);
  await page.mouse.move(x + width, y - 60); // away, to the link
  assert.is(await link.getAttribute("href"), linkBefore);
  await page.mouse.click(...over(18));
  await shownEvents();

  await page.goto(address);
  await slider.focus();
  for (let hours = 0; hours < 5; hours++) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await shownEvents();
});

test("the place that raised the error is below its title and leads to the line; its cause comes after it", async () => {
  const project = await createProject(server);
  const thrown = (type: string, filename: string) => ({
    type,
    value: "no price",
    stacktrace: {
      frames: [{ filename, function: "price_of", lineno: 23, context_line: `raise ${type}(sku)`, in_app: true }],
    },
  });
  const values = [thrown("KeyError", "shop/catalogue.py"), thrown("PricingError", "shop/pricing.py")];
  await sendPricing(project, { transaction: "/checkout", exception: { values } });
  await page.goto(await detailsOf(project));
  await page.getByRole("heading", { level: 1, name: "PricingError" }).waitFor();
  const lines = (await page.locator(".erroring").allInnerTexts()).map((text) => /raise .*\)/.exec(text)?.[0]);
  assert.equal(lines, ["raise PricingError(sku)", "raise KeyError(sku)"]);
  await page.getByRole("link", { name: "shop/pricing.py:23 in price_of" }).click();
  assert.match(await page.locator(":target").innerText(), "raise PricingError(sku)");
});

test("the page shows nothing that the event lacks: no method of a request, and tested versions only next to others", async () => {
  const project = await createProject(server);
  const sdk = { name: "sentry.python", version: "2.75.0" };
  await sendPricing(project, { sdk, request: { url: "https://shop.example/cart" } });
  await page.goto(await detailsOf(project));
  const request = page.getByRole("region", { name: "Request" });
  await request.getByText("https://shop.example/cart", { exact: true }).waitFor();
  assert.is(await request.getByText("GET").count(), 0);
  const about = page.getByRole("region", { name: "SDK" });
  await about.getByText("sentry.python 2.75.0").waitFor();
  assert.is(await about.getByText(/^Tested with/).count(), 0);
  await sendPricing(project, { sdk: { ...sdk, version: "2.60.0" } });
  await page.goto(await detailsOf(project));
  await about.getByText("Tested with 1.21.0 and 2.75.0").waitFor();
});

test("the exceptions of a group are indented below it, apart from its cause", async () => {
  const project = await createProject(server);
  const member = (type: string, mechanism: object) => ({
    type,
    value: "v",
    mechanism: { type: "chained", ...mechanism },
  });
  const values = [
    member("ValueError", { exception_id: 2, parent_id: 0, source: "exceptions[0]" }),
    member("KeyError", { exception_id: 1, parent_id: 0, source: "__cause__" }),
    member("ExceptionGroup", { exception_id: 0 }),
  ];
  await sendPricing(project, { exception: { values } });
  await page.goto(await detailsOf(project));
  const trace = page.getByRole("region", { name: "Stack trace" });
  await trace.getByText("One of the exceptions in ExceptionGroup").waitFor();
  const lefts = await trace
    .getByRole("heading", { level: 4 })
    .evaluateAll((all) => all.map((one) => [one.textContent, Math.round(one.getBoundingClientRect().left)] as const));
  const [[, outer] = ["", 0]] = lefts;
  assert.equal(
    lefts.map(([type, left]) => [type, Math.sign(left - outer)]),
    [
      ["ExceptionGroup", 0],
      ["ValueError", 1],
      ["KeyError", 0],
    ],
  );
});

test("an event that arrives moves the count, the chart and its caption, and is reached without a reload", async () => {
  const project = await createProject(server);
  await sendPricing(project, { timestamp: (Date.now() - 7_200_000) / 1000 });
  const second = await sendPricing(project, { timestamp: Date.now() / 1000 - 1 });
  await page.goto(await detailsOf(project));
  await page.getByText("Live", { exact: true }).waitFor();
  const caption = page.getByTestId("bar-chart").locator("figcaption");
  const event = page.getByRole("region", { name: "Event", exact: true });
  await caption.getByText("2 events in 24 hours.").waitFor();
  await event.getByText("2 of 2 kept").waitFor();
  assert.is(await event.getByRole("link", { name: /^(Newer|Newest)/ }).count(), 0);

  const third = await sendPricing(project, { timestamp: Date.now() / 1000 });
  const fourth = await sendPricing(project, { timestamp: Date.now() / 1000 + 0.1 });
  await caption.getByText("4 events in 24 hours.").waitFor();
  await event.getByText("2 of 4 kept").waitFor();
  await event.getByRole("heading", { name: second.slice(0, 8) }).waitFor();
  await page.evaluate("window.isSamePage = true");
  await event.getByRole("link", { name: /^Newer / }).click();
  await event.getByRole("heading", { name: third.slice(0, 8) }).waitFor();
  await event.getByText("3 of 4 kept").waitFor();
  await page.keyboard.press("Shift+L");
  await event.getByRole("heading", { name: fourth.slice(0, 8) }).waitFor();
  assert.is(await page.evaluate("window.isSamePage"), true);
});

test("the keyboard alone is enough to go through the errors of a list, copy, read, resolve, and search again", async () => {
  const project = await createProject(server);
  for (const type of ["FirstError", "SecondError", "ThirdError"])
    await sendPricing(project, { exception: { values: [{ type, value: "is counted" }] } });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
  const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
  const among = page.getByRole("navigation", { name: "Errors in the list" });
  const copied = async (key: string) => {
    await page.evaluate("navigator.clipboard.writeText('')");
    await page.keyboard.press(key);
    return until(`the copy of ${key}`, () => page.evaluate<string>("navigator.clipboard.readText()"));
  };
  await page.goto(`${tracking(project)}?sort=first_seen`);
  await page.getByRole("link", { name: /ThirdError/ }).click();
  await heading("ThirdError");
  await among.getByText("1 of 3").waitFor();
  await page.keyboard.press("j");
  await heading("SecondError");
  await page.keyboard.press("k");
  await heading("ThirdError");
  await page.keyboard.press("r");
  await among.getByRole("link", { name: "Next error" }).and(page.locator(".primary")).click();
  await heading("SecondError");
  await among.getByText("2 of 3").waitFor();

  const link = await copied("y");
  assert.match(link, /\/details\?event=[0-9a-f]{32}$/);
  assert.match(
    await copied("m"),
    /^### SecondError: is counted\n\n- Seen: 1 event\n[^]+```\nSecondError: is counted\n```[^]+<http/,
  );
  await page.keyboard.press("w");
  await page.getByRole("region", { name: "Raw JSON" }).getByLabel("Raw JSON").waitFor();
  assert.is(await page.evaluate("document.activeElement.textContent"), "Show the event as JSON");
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  for (const act of [
    "Reverse the order",
    "Oldest, newest event",
    "Copy as Markdown",
    "Next, previous error of the list",
  ])
    await help.getByText(act).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.waitForURL(/error_tracking\?sort=first_seen$/);
  await until("the search has the focus", () => page.evaluate("document.activeElement.type === 'search'"));
});

test("a panel that fails says so in its place, the rest of the page stays, and the log has the failure", async () => {
  const project = await createProject(server);
  await sendPricing(project);
  const withDamage = async (asked: Route) => {
    const response = await asked.fetch();
    const answers = (await response.json()) as { result: { data: Record<string, unknown> } }[];
    for (const { result } of answers) if ("entries" in result.data) result.data["entries"] = [null];
    await asked.fulfill({ response, json: answers });
  };
  await page.route(/listErrorActivity/, withDamage);
  const details = await detailsOf(project);
  await page.goto(details);
  await page.getByRole("button", { name: /^Resolve/ }).click(); // the activity is then read again
  await page.getByRole("alert").getByText("This panel could not be shown. Reload the page to try again.").waitFor();
  await page.getByText("raise PricingError(sku)").waitFor();
  await page.getByRole("region", { name: "Your notifications" }).waitFor();
  assert.match(browser.complaints.splice(0).join(), /Cannot read properties of null/);
  await until("the failure in the log", () =>
    server
      .output()
      .split("\n")
      .some((line) => line.includes('"side":"browser"') && line.includes("/details")),
  );
  await page.unroute(/listErrorActivity/);
  await page.reload();
  await page.getByRole("region", { name: "Activity" }).getByText("Resolved by root").waitFor();
});

test("on paper a page fills the sheet, names its project and address, and shows no buttons", async () => {
  const project = await createProject(server);
  for (const capture of readCaptures())
    if (capture.name.startsWith("python-1.21.0/05")) await replay(server, project, capture);
  const { errors } = await core.errors.listErrors({ projectId: project.id }, core.auth);
  const details = `${tracking(project)}/${errors[0]?.errorId}/details`;
  const { events } = await core.errors.listEvents(
    { projectId: project.id, errorId: errors[0]?.errorId ?? "" },
    core.auth,
  );
  try {
    for (const address of [
      details,
      details.replace(/details$/, "events"),
      tracking(project),
      `${tracking(project)}/releases`,
      "/-/projects",
    ]) {
      await page.goto(address);
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      const { x = 0, width = 0 } = (await page.getByRole("main").boundingBox()) ?? {};
      assert.ok(x === 0 && width === 1280, `${address}: the main column is ${width} px wide, from ${x}`);
      for (const pressed of [
        page.getByRole("button", { name: /^(Copy|Resolve|Ignore)/ }),
        page.getByText("Live", { exact: true }),
      ])
        assert.is(await pressed.filter({ visible: true }).count(), 0, address);
      await page.emulateMedia({ media: null, colorScheme: null });
    }
    await page.goto(details);
    await page.emulateMedia({ media: "print" });
    await page.getByText(`${project.path} ${server.url}${details}?event=${events[0]?.eventId}`).waitFor();
    for (const landscape of [true, false]) {
      const sheets =
        (await page.pdf({ format: "A4", landscape })).toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
      assert.ok(sheets > 0 && sheets <= 5, `${sheets} sheets, landscape: ${landscape}`);
    }
  } finally {
    await page.emulateMedia({ media: null, colorScheme: null });
  }
});

test("an error that came back says who resolved it, from where to where, leads to the first event after, and shows what changed", async () => {
  const project = await createProject(server);
  await sendPricing(project, { release: "shop@1.4.0", tags: { browser: "Safari" }, timestamp: Date.now() / 1000 - 60 });
  const { errors } = await core.errors.listErrors({ projectId: project.id }, core.auth);
  const changes = [{ errorId: errors[0]?.errorId ?? "", status: ErrorStatus.RESOLVED }];
  await core.errors.updateErrors({ projectId: project.id, changes }, core.auth);
  const first = await sendPricing(project, {
    release: "shop@1.4.1",
    tags: { browser: "Chrome" },
    timestamp: Date.now() / 1000,
  });
  await sendPricing(project, { release: "shop@1.4.2", timestamp: Date.now() / 1000 + 1 });
  await page.goto(`${await detailsOf(project)}?period=90d`);
  await page
    .getByText(/^Resolved by root .+ \(last seen in shop@1\.4\.0\), back within a minute in shop@1\.4\.1\.$/)
    .waitFor();
  await page.getByRole("heading", { name: "Hours of the week" }).waitFor();
  await page.keyboard.press("f");
  await page.getByRole("heading", { name: first.slice(0, 8) }).waitFor();
  await page.keyboard.press("d");
  const diff = page.getByRole("region", { name: "Changes since the older event" });
  await diff.getByRole("row", { name: "Tag browser Safari Chrome" }).waitFor();
  assert.is(await diff.getByRole("row").count(), 3, "the head, the release and the tag");
  await browser.photograph("error-came-back");
  await page.keyboard.press("d");
  await diff.waitFor({ state: "detached" });
});

test.run();

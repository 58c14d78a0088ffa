// limit: 180 s
// process: moves its clock
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { barPath } from "../../../console/src/lib/charts/chart-scale.ts";
import { clockTime, hourLabel } from "../../../console/src/lib/time/time-format.ts";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, post, sendStore } from "../../support/sentry/send.ts";
import { rootPassword } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { until } from "../../support/run/until.ts";
import type { Faultline } from "../../../backend/src/serve.ts";

/**
 * Pages that stay open while the clock passes full hours. The test moves the clocks of the service and of the browser.
 */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const realNow = Date.now;
let aheadMs = 0;

/**
 * The clock of the test's process, and so of a service that runs in it and of the pages that it serves. It runs by
 * itself, and a test moves it forwards.
 */
const machineClock = {
  moveTo(time: number): void {
    aheadMs = time - realNow();
    Date.now = () => realNow() + aheadMs;
  },
  /** For a service, because it would keep the original Date.now. */
  now: () => Date.now(),
};

/**
 * The hour in which the pages are opened. It is in the future, so that nothing depends on the minute in which the test
 * starts.
 */
const firstHour = (Math.floor(Date.now() / hourMs) + 2) * hourMs;

let faultline: Faultline;
let client: GrpcClient;
let browser: TestBrowser;
/**
 * A new context for each test. Its pages are opened before its clock is moved: Playwright repeats its recorded moves on
 * a later page, and records them by the clock of this process, which moves as well.
 */
let context: BrowserContext;
let blank: Page;
let sessionToken: string;
let project: Project;
const server = () => ({ url: faultline.httpUrl });

test.before(
  reported(async () => {
    machineClock.moveTo(firstHour + 28 * minuteMs);
    faultline = await startFaultline(testConfig(tempDir()), machineClock);
    client = grpcClient(faultline);
    ({ sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword }));
    browser = await openBrowser(server());
  }),
);
test.before.each(async () => {
  project = await createProject(server());
  blank = await browser.anotherPage();
  context = blank.context();
  await context.addCookies([{ name: "faultline_session", value: sessionToken, url: faultline.httpUrl }]);
  await context.clock.install({ time: Date.now() });
});
test.after(async () => {
  await browser?.close();
  client?.close();
  await faultline?.stop();
});
test.after.each(async () => {
  await context?.close();
  assert.equal(browser.complaints.splice(0), []);
});

/** Events that were sent, by error and hour. */
class Sent {
  readonly #counts = new Map<string, number>();

  async send(type: string, count: number, at = Date.now()): Promise<void> {
    for (let n = 0; n < count; n++) {
      const event = { event_id: newEventId(), timestamp: at / 1000, exception: { values: [{ type, value: "broke" }] } };
      const answer = await sendStore(server(), project, event);
      assert.is(answer.status, 200, answer.text);
    }
    const key = `${type} ${Math.floor(at / hourMs)}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  /** Events in each of the last 24 hours. */
  day(type: string): number[] {
    const running = Math.floor(Date.now() / hourMs);
    return Array.from({ length: 24 }, (_, index) => this.#counts.get(`${type} ${running - 23 + index}`) ?? 0);
  }

  total = (type: string) =>
    [...this.#counts].reduce((sum, [key, count]) => sum + (key.startsWith(`${type} `) ? count : 0), 0);
}

/** Lets time pass while the pages run: every timer fires. */
async function awakeUntil(time: number): Promise<void> {
  machineClock.moveTo(time);
  await context.clock.runFor(time - (await browserTime()));
}

/** Lets time pass while the machine of the browser sleeps: no timer counts it, and the page is only seen again. */
async function asleepUntil(time: number, pages: readonly Page[]): Promise<void> {
  machineClock.moveTo(time);
  await context.clock.setSystemTime(time);
  for (const page of pages)
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
}

/** Lets time pass while the browser gives the pages no time: what is due fires late, and once. */
async function stalledUntil(time: number): Promise<void> {
  machineClock.moveTo(time);
  await context.clock.fastForward(time - (await browserTime()));
}

const browserTime = () => blank.evaluate<number>("Date.now()");

async function openPage(address: string, isLive = true): Promise<Page> {
  const page = await context.newPage();
  page.on("pageerror", (error) => browser.complaints.push(`${page.url()}: ${error.message}`));
  await page.goto(address, { waitUntil: "networkidle" });
  if (isLive) await page.getByText("Live", { exact: true }).waitFor();
  return page;
}

const tracking = () => `/${project.path}/-/error_tracking`;
const row = (list: Page, type: string) => list.getByRole("row").filter({ hasText: type });

async function detailsOf(type: string): Promise<Page> {
  const { errors } = await client.errors.listErrors({ projectId: project.id, query: type }, client.auth);
  const page = await openPage(`${tracking()}/${errors[0]?.errorId}/details?period=24h`);
  await page.getByText("Show as table").click();
  return page;
}

/** The rows of a chart's table, newest first: the hour as it is labelled, and its count. */
const tableOf = async (chart: Locator) =>
  (await chart.locator("tbody tr").allInnerTexts()).map((line) => line.split("\t").slice(0, 2).join("\t"));

const hourText = (index: number) => {
  const start = (Math.floor(Date.now() / hourMs) - 23 + index) * hourMs;
  return `${hourLabel(start, "UTC")}${index === 23 ? ", so far" : ""}`;
};

const expectedTable = (day: readonly number[]) =>
  day.flatMap((count, index) => (count > 0 ? [`${hourText(index)}\t${count}`] : [])).toReversed();

/** Waits until each bucket of the chart holds what was sent, and each label names its hour. */
async function chartShows(page: Page, day: readonly number[]): Promise<void> {
  const chart = page.getByTestId("bar-chart").first();
  await shows("the chart", () => tableOf(chart), expectedTable(day));
  const total = day.reduce((sum, count) => sum + count, 0);
  await chart.getByText(new RegExp(`^${total === 0 ? "No" : total} \\w+? in 24 hours\\.`)).waitFor();
  await chart
    .getByRole("slider")
    .and(page.locator(`[aria-valuetext*=" ${day.at(-1)} "][aria-valuetext$=" so far"]`))
    .waitFor({ state: "attached" });
}

const trendShows = (list: Page, type: string, day: readonly number[]) =>
  shows(
    `the trend of ${type}`,
    () => row(list, type).locator("svg.spark path").getAttribute("d"),
    barPath(day, Math.max(4, ...day)),
  );

async function shows(what: string, read: () => Promise<unknown>, expected: unknown): Promise<void> {
  let found: unknown;
  const isShown = async () => JSON.stringify((found = await read())) === JSON.stringify(expected);
  await until(what, isShown).catch((error: unknown) => {
    if (found !== undefined) assert.equal(found, expected, what);
    throw error;
  });
}

const factOf = (page: Page, name: string) => page.locator("dt", { hasText: name }).locator("+ dd");

test("an open list and open details hold in each hour what was sent in it, over four full hours, awake and asleep", async () => {
  const sent = new Sent();
  await sent.send("BusyError", 3, firstHour - 2 * hourMs + 5 * minuteMs);
  await sent.send("BusyError", 2, firstHour - 10 * minuteMs);
  await sent.send("BusyError", 1);
  await sent.send("QuietError", 2, firstHour - 3 * minuteMs);
  const list = await openPage(tracking());
  const details = await detailsOf("BusyError");
  const titles = () => list.locator("a[data-error]").allTextContents();
  const order = await titles();
  const buckets = async () => {
    await chartShows(details, sent.day("BusyError"));
    await trendShows(list, "BusyError", sent.day("BusyError"));
    await trendShows(list, "QuietError", sent.day("QuietError"));
    await shows("the header", () => factOf(details, "Events").textContent(), `${sent.total("BusyError")}`);
  };
  await buckets();

  await sent.send("BusyError", 5);
  await buckets();

  await awakeUntil(firstHour + hourMs + 1000);
  await buckets();
  await sent.send("BusyError", 2);
  await buckets();

  await sent.send("QuietError", 1, Date.now());
  machineClock.moveTo(firstHour + hourMs + 50 * minuteMs);
  await sent.send("BusyError", 3);
  machineClock.moveTo(firstHour + 3 * hourMs + 5 * minuteMs);
  await sent.send("BusyError", 4);
  await asleepUntil(firstHour + 3 * hourMs + 6 * minuteMs, [list, details]);
  await buckets();

  await sent.send("QuietError", 2);
  await stalledUntil(firstHour + 4 * hourMs + 2000);
  await buckets();
  await sent.send("BusyError", 1);
  await buckets();
  assert.equal(await titles(), order, "no row moves by itself");
});

test("the details advance if nothing can be read, and a past hour is not called current", async () => {
  const sent = new Sent();
  await sent.send("AloneError", 3);
  const details = await detailsOf("AloneError");
  await chartShows(details, sent.day("AloneError"));
  await details.route("**/-/trpc/errors.getErrorStats**", (route) => route.abort());
  const hour = Math.floor(Date.now() / hourMs) * hourMs;
  await awakeUntil(hour + hourMs + 1000);
  await chartShows(details, sent.day("AloneError"));
});

test("all errors, releases, ingestion and health advance, and count the past hour to its end", async () => {
  const sent = new Sent();
  const hour = Math.floor(Date.now() / hourMs) * hourMs;
  const session = (count: number) =>
    client.ingest.reportSessions(
      {
        aggregates: [
          { projectId: project.id, release: "shop@1", startedTime: timestampFromMs(Date.now()), exited: count },
        ],
      },
      client.auth,
    );
  const refused = async (count: number) => {
    for (let n = 0; n < count; n++) assert.is((await post(server(), project, "store", "no event")).status, 400);
  };
  await sent.send("FarError", 2);
  await session(4);
  await refused(1);
  const outcomes = async () =>
    (await client.outcomes.listOutcomes({ projectId: project.id, hourCount: 24 }, client.auth)).refusedPerHour;
  await until("the refusal is counted", async () => (await outcomes()).at(-1) === 1);
  const all = await openPage("/-/errors", false);
  const pages = await Promise.all(
    [`${tracking()}/releases?period=24h`, `${tracking()}/ingestion?period=24h`, "/admin/health"].map((address) =>
      openPage(address, false),
    ),
  );
  const lastHours = async (hours: readonly (readonly [count: number, index: number])[][]) => {
    for (const [n, page] of pages.entries()) {
      const chart = page.getByTestId("bar-chart").nth(n === 2 ? 1 : 0); // the second of health counts what was refused
      await chart.locator("details").evaluate((table: { open: boolean }) => (table.open = true));
      const expected = (hours[n] ?? []).map(([count, index]) => `${hourText(index)}\t${count}`);
      await shows(`the chart of ${page.url()}`, () => tableOf(chart), expected);
    }
  };
  await trendShows(all, "FarError", sent.day("FarError"));
  await lastHours([[[4, 23]], [[1, 23]], [[1, 23]]]);

  await sent.send("FarError", 3);
  await session(2);
  await refused(2);
  await until("the refusals are counted", async () => (await outcomes()).at(-1) === 3);
  await awakeUntil(hour + hourMs + 8000);
  await trendShows(all, "FarError", sent.day("FarError"));
  await lastHours([[[6, 22]], [[3, 22]], [[3, 22]]]);
});

test("last seen says as of when it counts, is fixed until the hour ends, and an error with newer events is marked", async () => {
  const sent = new Sent();
  const hour = Math.floor(Date.now() / hourMs) * hourMs;
  const asOf = (time: number) => `as of ${clockTime(time, "UTC")}`;
  await sent.send("BusyError", 1, hour - 3 * minuteMs);
  await sent.send("CalmError", 1, hour - 50 * hourMs);
  const list = await openPage(tracking());
  const details = await detailsOf("BusyError");
  const seenOf = (type: string) => row(list, type).locator("td.seen").innerText();
  const mark = (page: Page) => page.getByText("active this hour", { exact: true });
  const places = () =>
    Promise.all(
      [row(list, "CalmError"), details.getByTestId("bar-chart")].map(async (shown) => (await shown.boundingBox())?.y),
    );
  const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();
  const busyReads = async (expected: string) => {
    await shows("the list's label", async () => oneLine(await seenOf("BusyError")), expected);
    const fact = factOf(details, "Last seen").getByRole("button");
    await shows("the details' label", async () => oneLine(await fact.innerText()), expected);
  };
  await busyReads(`3 minutes ago, ${asOf(hour)}`);
  assert.is(oneLine(await seenOf("CalmError")), "2 days ago");
  assert.is(await mark(list).count(), 0);
  const before = await places();

  await sent.send("BusyError", 1);
  await mark(list).waitFor();
  await mark(details).waitFor();
  await busyReads(`3 minutes ago, ${asOf(hour)}`);
  await list.getByRole("row", { name: /BusyError.*active this hour/ }).waitFor(); // as a screen reader names it
  assert.is(await mark(list).count(), 1);
  assert.equal(await places(), before, "the mark moves nothing");
  await browser.photograph("list-active-this-hour", list);
  await browser.photograph("details-active-this-hour", details);
  for (const page of [list, details]) {
    for (const button of await page.locator("button.time:visible").all()) {
      const { width, height } = (await button.boundingBox()) ?? { width: 0, height: 0 };
      assert.ok(width >= 24 && height >= 24, `a time of ${width} by ${height} px`);
    }
  }

  await awakeUntil(hour + hourMs + 1000);
  await mark(list).waitFor({ state: "detached" });
  await mark(details).waitFor({ state: "detached" });
  const { errors } = await client.errors.listErrors({ projectId: project.id, query: "BusyError" }, client.auth);
  const lastSeen = Number(errors[0]?.lastSeenTime?.seconds) * 1000;
  const minutes = Math.floor((hour + hourMs - lastSeen) / minuteMs);
  await busyReads(`${minutes} minute${minutes === 1 ? "" : "s"} ago, ${asOf(hour + hourMs)}`);
});

test("a tap on a time shows the exact time until the next tap elsewhere, and copies nothing", async () => {
  await new Sent().send("BusyError", 1, Date.now() - 2 * hourMs);
  const phone = await browser.phonePage();
  const own = phone.context();
  await own.addCookies([{ name: "faultline_session", value: sessionToken, url: faultline.httpUrl }]);
  await own.clock.install({ time: Date.now() });
  await own.grantPermissions(["clipboard-read", "clipboard-write"], { origin: faultline.httpUrl });
  await phone.goto(tracking());
  await phone.evaluate("navigator.clipboard.writeText('copied before')");
  const exact = phone.getByText(/^\d{2} \w{3} \d{4}, [\d:.]+ UTC/);
  await row(phone, "BusyError")
    .getByRole("button", { name: / ago, as of / })
    .tap();
  await exact.waitFor();
  assert.match(phone.url(), /error_tracking$/);
  assert.is(await phone.evaluate("navigator.clipboard.readText()"), "copied before");
  await phone.getByRole("heading", { level: 1, name: "Error Tracking" }).tap();
  await exact.waitFor({ state: "detached" });
  await own.close();
});

test.run();

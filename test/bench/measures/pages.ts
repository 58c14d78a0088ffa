import { execFileSync } from "node:child_process";
import type { Page } from "playwright-core";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { bundle, repositoryRoot, rootPassword, rootToken, type Server } from "../../support/service/server.ts";
import type { Bench, Row } from "../bench.ts";
import { medianOf } from "../rounds.ts";
import { startService } from "../service.ts";
import { ms } from "../text.ts";

const loads = 5;
const path = "demo";
const list = `/${path}/-/error_tracking`;

/** A processor four times as slow, on a slow 4G line: the conditions of the design. */
const slow = { cpu: 4, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };

/** How fast pages of the console show and answer in Chromium, with the errors of `faultline demo`. */
export async function* pages(bench: Bench): AsyncGenerator<Row> {
  await using service = await startService();
  const { server } = service;
  bench.progress("filling a project with the demo");
  const env = { ...process.env, FAULTLINE_GRPC_ADDRESS: server.grpcAddress, FAULTLINE_TOKEN: rootToken };
  execFileSync(process.execPath, [bundle, "demo", "--path", path], { cwd: repositoryRoot, env, stdio: "ignore" });
  const browser = await openBrowser(server, { asPeople: true });
  try {
    const { sessionToken } = await signedIn(server);
    await browser.signIn(sessionToken);
    const { page } = browser;
    await page.goto(list);
    const details = (await page.locator("a[data-error]").first().getAttribute("href")) ?? "";
    const opened = [
      ["list", list],
      ["details", details],
      ["home", "/-/projects"],
    ] as const;
    for (const [name, address] of opened) {
      bench.progress(`loading ${name}`);
      yield* vitals(browser, { name, address, sessionToken });
    }
    bench.progress("acts");
    yield* acts(page);
  } finally {
    await browser.close();
  }
}

async function signedIn(server: Server): Promise<{ sessionToken: string }> {
  const client = grpcClient(server);
  try {
    return await client.accounts.signIn({ username: "root", password: rootPassword });
  } finally {
    client.close();
  }
}

interface Vitals {
  readonly lcp: number;
  readonly cls: number;
  readonly blocking: number;
}

/**
 * Collects what the browser observes of a load; runs in the page before its scripts. Blocking time is defined as beginning with
 * the first contentful paint: until then there is nothing that a person could use (https://web.dev/articles/tbt).
 */
const observe = `
  window.vitals = { lcp: 0, cls: 0, tasks: [], painted: 0 };
  const each = (type, take) =>
    new PerformanceObserver((seen) => seen.getEntries().forEach(take)).observe({ type, buffered: true });
  each("largest-contentful-paint", ({ startTime }) => (vitals.lcp = startTime));
  each("layout-shift", ({ value, hadRecentInput }) => (vitals.cls += hadRecentInput ? 0 : value));
  each("paint", ({ name, startTime }) => name === "first-contentful-paint" && (vitals.painted = startTime));
  each("longtask", ({ startTime, duration }) => vitals.tasks.push([startTime, duration]));`;

const observed = `({ ...vitals, blocking: vitals.tasks
  .filter(([startTime]) => startTime >= vitals.painted)
  .reduce((sum, [, duration]) => sum + Math.max(0, duration - 50), 0) })`;

interface Opened {
  readonly name: string;
  readonly address: string;
  readonly sessionToken: string;
}

async function* vitals(browser: TestBrowser, opened: Opened): AsyncGenerator<Row> {
  const fast: Vitals[] = [];
  const slowed: Vitals[] = [];
  for (let n = 0; n < loads; n += 1) {
    fast.push(await load(browser, opened, { isSlow: false }));
    slowed.push(await load(browser, opened, { isSlow: true }));
  }
  const { name } = opened;
  yield within(
    `${name}: largest contentful paint`,
    500,
    medianOf(fast, ({ lcp }) => lcp),
  );
  yield within(
    `${name}: the same, 4x CPU, slow 4G`,
    2_000,
    medianOf(slowed, ({ lcp }) => lcp),
  );
  yield within(
    `${name}: total blocking time, 4x CPU, slow 4G`,
    150,
    medianOf(slowed, ({ blocking }) => blocking),
  );
  const shift = Math.max(...[...fast, ...slowed].map(({ cls }) => cls));
  yield {
    measure: `${name}: layout shift, at most`,
    goal: "<= 0.02",
    measured: shift.toFixed(4),
    isMet: shift <= 0.02,
  };
}

/** Opens a page with an empty cache. */
async function load(
  browser: TestBrowser,
  { address, sessionToken }: Opened,
  { isSlow }: { readonly isSlow: boolean },
): Promise<Vitals> {
  const page = await browser.anotherPage();
  const context = page.context();
  try {
    const url = new URL(browser.page.url()).origin;
    await context.addCookies([{ name: "faultline_session", value: sessionToken, url }]);
    await page.addInitScript(observe);
    if (isSlow) {
      const devtools = await context.newCDPSession(page);
      await devtools.send("Emulation.setCPUThrottlingRate", { rate: slow.cpu });
      await devtools.send("Network.emulateNetworkConditions", { offline: false, ...slow });
    }
    await page.goto(address, { waitUntil: "load" });
    await page.waitForTimeout(1_500); // what loads late is part of it
    return await page.evaluate<Vitals>(observed);
  } finally {
    await context.close();
  }
}

/** What a person does, and the time until it shows, by the page's clock, up to the frame after the change. */
async function* acts(page: Page): AsyncGenerator<Row> {
  const times = new Map<string, number[]>();
  const note = async (act: string, shown: Promise<number>) => times.set(act, [...(times.get(act) ?? []), await shown]);
  const row = (n: number) => page.locator("a[data-error]").nth(n);
  const title = "document.querySelector('h1').textContent";
  for (let n = 0; n < loads; n += 1) {
    await page.goto(list);
    const rows = await page.locator("a[data-error]").count();
    const resolve = page.getByRole("button", { name: /^Resolve / }).first();
    await resolve.hover();
    await note(
      "resolve",
      after(page, `document.querySelectorAll("a[data-error]").length < ${rows}`, () => resolve.click()),
    );
    await page.getByText(/^Resolved “/).waitFor();
    await page.keyboard.press("z");
    await page.getByText("Undone.").waitFor();

    const tab = page.getByRole("link", { name: /^Ignored/ });
    await note(
      "filter by status",
      after(page, 'location.search.includes("ignored")', () => tab.click()),
    );
    await page.goBack();
    const sort = page.getByRole("link", { name: "First seen" });
    await note(
      "sort",
      after(page, 'location.search.includes("first_seen")', () => sort.click()),
    );
    await page.goto(list);
    await note(
      "open an error, not read ahead",
      after(page, `${title} !== "Error Tracking"`, () => clickAtOnce(page)),
    );
    await note(
      "back",
      after(page, `${title} === "Error Tracking"`, () => page.goBack().then(() => undefined), "popstate"),
    );
    await row(1).hover();
    await page.waitForTimeout(500); // the pointer rests on the link: its page is read ahead
    await note(
      "open an error, read ahead",
      after(page, `${title} !== "Error Tracking"`, () => row(1).click()),
    );
    const older = page.getByRole("link", { name: /Older/ }).first();
    await older.hover();
    await page.waitForTimeout(500);
    await note(
      "older event, read ahead",
      after(page, 'location.search.includes("event=")', () => older.click()),
    );
  }
  for (const [act, taken] of times)
    yield within(
      `${act}, until it shows`,
      goals[act],
      medianOf(taken, (time) => time),
    );
}

const goals: Readonly<Record<string, number>> = {
  resolve: 50,
  "open an error, read ahead": 100,
  "open an error, not read ahead": 300,
  "older event, read ahead": 80,
};

/** Clicks the first error without a pointer that comes near it before. */
const clickAtOnce = (page: Page) => page.evaluate<void>('document.querySelector("a[data-error]").click()');

/** How long it takes from an input until a condition of the page holds and is painted. */
async function after(page: Page, isShown: string, act: () => Promise<void>, input = "click"): Promise<number> {
  await page.evaluate(`void (window.shown = new Promise((resolve) => {
    addEventListener("${input}", ({ timeStamp }) => {
      const painted = () => requestAnimationFrame(() => resolve(performance.now() - timeStamp));
      const look = () => (${isShown} ? painted() : requestAnimationFrame(look));
      look();
    }, { capture: true, once: true });
  }))`);
  await act();
  return page.evaluate<number>("window.shown");
}

function within(measure: string, goal: number | undefined, measured: number): Row {
  if (goal === undefined) return { measure, goal: "", measured: ms(measured) };
  return { measure, goal: `<= ${goal} ms`, measured: ms(measured), isMet: measured <= goal };
}

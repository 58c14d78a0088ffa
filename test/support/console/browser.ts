import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import * as assert from "uvu/assert";
import { chromiumPath } from "./chromium-path.ts";
import { repositoryRoot, type Server } from "../service/server.ts";
import { stretched } from "../run/deadlines.ts";
import { until } from "../run/until.ts";

const screenshots = join(repositoryRoot, "test/artifacts/screenshots");
const takesPhotographs = process.env["PHOTOGRAPHS"] === "1";
const viewports = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 360, height: 740 },
  narrow: { width: 320, height: 640 },
};

/** A page of a server's console in a headless Chromium, and more pages. */
export interface TestBrowser {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The browser's complaints about this page and about the pages of other people. */
  readonly complaints: string[];
  /** Signs the person of this session in on `page`. */
  signIn(sessionToken: string): Promise<void>;
  /** A page that shares no cookie with the first: of another person, or of the same person in another browser. */
  anotherPage(headers?: Readonly<Record<string, string>>): Promise<Page>;
  /** A page in another browser, on a phone with a touch screen. */
  phonePage(): Promise<Page>;
  /** A page of the same person without scripts. */
  pageWithoutScripts(): Promise<Page>;
  /**
   * Asserts that the current page does not scroll sideways, on the desktop and at 320 px. With `PHOTOGRAPHS=1`, checks
   * all widths in both themes, and saves pictures for people in test/artifacts.
   */
  photograph(name: string, page?: Page): Promise<void>;
  /** Closes all pages. */
  close(): Promise<void>;
}

/** Without optimising compilers, loading a page that lives for a second takes a tenth less of a core. */
const forShortLives = ["--js-flags=--no-opt,--no-maglev,--no-sparkplug"];

/** The browser that the test files of one process share. Each file has separate cookies and a separate cache. */
let chromiumOfProcess: Promise<Browser> | undefined;

/** Opens a page in the system's Chromium. With `asPeople`, the page is as fast as for people. */
export async function openBrowser(
  server: Pick<Server, "url">,
  { asPeople = false }: { readonly asPeople?: boolean } = {},
): Promise<TestBrowser> {
  mkdirSync(screenshots, { recursive: true });
  const running = await chromiumOfProcess;
  chromiumOfProcess = running?.isConnected() ? Promise.resolve(running) : startChromium(asPeople ? [] : forShortLives);
  const browser = await chromiumOfProcess;
  const contexts: BrowserContext[] = [];
  const complaints: string[] = [];
  const open = async (headers: Readonly<Record<string, string>> = {}, device: BrowserContextOptions = {}) => {
    const options = { baseURL: server.url, viewport: viewports.desktop, extraHTTPHeaders: { ...headers } };
    const context = await browser.newContext({ ...options, ...device });
    contexts.push(context);
    context.setDefaultTimeout(stretched(10_000));
    const page = await context.newPage();
    note(page, complaints);
    const goto = page.goto.bind(page);
    page.goto = async (...visit) => {
      const response = await goto(...visit);
      await scriptsRun(page);
      return response;
    };
    return page;
  };
  const page = await open();
  const context = page.context();
  return {
    context,
    page,
    complaints,
    signIn: (value) => context.addCookies([{ name: "faultline_session", value, url: server.url }]),
    anotherPage: (headers) => open(headers),
    phonePage: () => open({}, { viewport: viewports.phone, hasTouch: true, isMobile: true }),
    async pageWithoutScripts() {
      const plain = await browser.newContext({ baseURL: server.url, javaScriptEnabled: false });
      contexts.push(plain);
      plain.setDefaultTimeout(stretched(10_000));
      await plain.addCookies((await context.storageState()).cookies);
      return plain.newPage();
    },
    photograph: (name, shown = page) => photograph(shown, name),
    async close() {
      await Promise.all(contexts.map((one) => one.close()));
      if (!process.connected) await browser.close(); // a lane ends the browser; a file that runs alone would wait for it
    },
  };
}

function startChromium(args: readonly string[]): Promise<Browser> {
  assert.ok(existsSync(chromiumPath), `no Chromium at ${chromiumPath}: install it or set CHROMIUM`);
  return chromium.launch({
    executablePath: chromiumPath,
    handleSIGINT: false, // a lane also tests commands that end at a signal, in the same process
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      ...args,
    ],
  });
}

/**
 * Resolves when the page's scripts handle input. `goto` waits for this, because the page replays earlier input later,
 * and a test would look too early. long/browser/early-input.test.ts does not wait.
 */
async function scriptsRun(page: Page): Promise<void> {
  const run = () => page.evaluate<boolean>("!('repeatEarlyInput' in window)").catch(() => false); // while the browser leaves the page
  await until("the scripts of the page run", run);
}

/** Records the complaints of a page. */
function note(page: Page, complaints: string[]): void {
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      complaints.push(`${page.url()}: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.message}`));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    if (reason !== "net::ERR_ABORTED") complaints.push(`${request.url()}: ${reason}`); // the browser ends the calls of a page that it leaves
  });
}

/** Six sizes and themes take as long as loading the page. long/browser/axe.test.ts checks more of them. */
const looks = takesPhotographs
  ? { colorSchemes: ["light", "dark"] as const, sizes: viewports }
  : { colorSchemes: ["light"] as const, sizes: { desktop: viewports.desktop, narrow: viewports.narrow } };

async function photograph(page: Page, name: string): Promise<void> {
  for (const colorScheme of looks.colorSchemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const [device, viewport] of Object.entries(looks.sizes)) {
      await page.setViewportSize(viewport);
      if (takesPhotographs && device !== "narrow") {
        await page.screenshot({ path: join(screenshots, `${name}-${device}-${colorScheme}.png`), fullPage: true });
      }
      const overflow = await page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      assert.is(overflow, 0, `${name} scrolls sideways by ${overflow} px at ${viewport.width} px`);
    }
  }
  await page.setViewportSize(viewports.desktop);
}

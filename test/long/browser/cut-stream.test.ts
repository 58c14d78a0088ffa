// limit: 60 s
import { ErrorStatus } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { startTcpProxy, type TcpProxy } from "../../support/http/tcp-proxy.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { rootPassword } from "../../support/service/server.ts";
import { stretched } from "../../support/run/deadlines.ts";

/** The stream of live changes resumes without loss (test 8 of the design). */

const { server, client: core } = await sharedServer();
let wire: TcpProxy;
let browser: TestBrowser;
let page: Page;
let project: Project;

const send = async (message: string) => {
  const event = { event_id: newEventId(), message, fingerprint: [message] };
  assert.is((await sendEvent(server, project, event)).status, 200);
};

test.before(
  reported(async () => {
    project = await createProject(server);
    for (let n = 1; n <= 40; n += 1) await send(`Failure ${n}`);
    wire = await startTcpProxy(Number(new URL(server.url).port));
    const { sessionToken } = await core.accounts.signIn({ username: "root", password: rootPassword });
    browser = await openBrowser({ url: `http://127.0.0.1:${wire.port}` });
    ({ page } = browser);
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
  await wire?.stop();
});

test("changes during an interrupted stream appear once it resumes, and no row moves under the reader", async () => {
  await page.goto(`/${project.path}/-/error_tracking`);
  const live = page.getByText("Live", { exact: true });
  await live.waitFor();
  const row = (name: string) => page.getByRole("row", { name: new RegExp(`Select ${name}\\b`) });
  await page.evaluate("scrollTo(0, 600)");
  const places = () => Promise.all(["Failure 20", "Failure 10"].map((name) => row(name).boundingBox()));
  const before = await places();

  await send("Before the cut");
  const pill = (text: RegExp) => page.getByRole("button", { name: text }).waitFor({ timeout: stretched(30_000) });
  await pill(/^1 new · Show/);

  wire.cut();
  const ended = (await storedErrors(core, project.id)).find(({ title }) => title === "Failure 20");
  const changes = [{ errorId: ended?.errorId ?? "", status: ErrorStatus.RESOLVED }];
  await core.errors.updateErrors({ projectId: project.id, changes }, core.auth);
  await send("During the cut");
  await send("Failure 10");
  wire.mend();

  await pill(/^2 new, 1 updated · Show/);
  await page.getByRole("link", { name: /^Resolved 1/ }).waitFor();
  await live.waitFor();
  assert.equal(await places(), before);
  await send("After the cut");
  await pill(/^3 new, 1 updated · Show/);
  await page.getByRole("button", { name: /· Show/ }).click();
  for (const message of ["Before the cut", "During the cut", "After the cut"])
    await page.getByRole("link", { name: message, exact: true }).waitFor();
  browser.complaints.splice(0); // the browser reports what it could not reach
});

test("a tab in the background holds no connection, and shows what it missed when it comes to the front", async () => {
  const context = page.context();
  const list = `/${project.path}/-/error_tracking`;
  const hidden = (tab: Page, isHidden: boolean) =>
    tab.evaluate<void>(`
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${isHidden ? "hidden" : "visible"}" });
      document.dispatchEvent(new Event("visibilitychange"));`);
  const live = (tab: Page) => tab.getByText("Live", { exact: true }).waitFor();
  await page.goto(list);
  await live(page);
  await hidden(page, true);
  const tabs: Page[] = [];
  for (let n = 0; n < 7; n += 1) {
    const tab = await context.newPage(); // a browser has six connections to a site
    tabs.push(tab);
    await tab.goto(new URL(list, page.url()).href);
    await live(tab);
    await hidden(tab, true);
  }
  for (const tab of tabs) await tab.close();
  await send("While nobody looked");
  await hidden(page, false);
  await page.getByRole("button", { name: /^1 new · Show/ }).waitFor();
  await live(page);
});

test.run();

// limit: 180 s
// process: the pages of the console know one core in a process
import { Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { acme } from "../../support/external/played-sentry/data.ts";
import { fakeExternal, type FakeAnswer, type FakeExternal } from "../../support/external/fake-external.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { linkedProject, type LinkedProject } from "../../support/core/linked-project.ts";
import { newMember, personPassword } from "../../support/core/person.ts";
import { reported } from "../../support/run/reported.ts";
import { rootPassword } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { until } from "../../support/run/until.ts";
import type { Faultline } from "../../../backend/src/serve.ts";

/** The pages of an external system that fails, is slow, or does not report everything. */

const minuteMs = 60_000;
const slugs = Array.from({ length: 16 }, (_, index) => `shop${index}`);

/** An hour behind, so that it can be moved on and never comes from the future for the browser. */
const clock = { at: Date.now() - 60 * minuteMs, now: () => clock.at };
let external: FakeExternal;
let faultline: Faultline;
let client: GrpcClient;
let browser: TestBrowser;
let page: Page;

test.before(
  reported(async () => {
    external = await fakeExternal({
      clock,
      projects: slugs.map((slug, index) => ({
        id: `${20 + index}`,
        slug,
        name: slug,
        organization: acme.slug,
        status: "active",
      })),
      issues: slugs.flatMap((_, index) =>
        ["cart is null", "card is refused"].map((value, number) => ({
          id: `${1000 + index * 10 + number}`,
          project: `${20 + index}`,
          value,
          count: 4 - number,
          events: [{ payload: { exception: { values: [{ type: "TypeError", value }] } } }],
        })),
      ),
    });
    faultline = await startFaultline(
      { ...testConfig(tempDir()), outbound: { networks: ["127.0.0.0/8"], ports: [external.port] } },
      clock,
    );
    client = grpcClient(faultline);
    browser = await openBrowser({ url: faultline.httpUrl });
    page = browser.page;
    await signIn(page, "root", rootPassword);
  }),
);
test.after(async () => {
  await browser?.close();
  client?.close();
  await faultline?.stop();
  await external?.close();
});
test.after.each(
  reported(async () => {
    external.answerAsUsual();
    assert.equal(browser.complaints.splice(0), []);
    assert.equal(external.complaints.splice(0), []);
  }),
);

async function signIn(of: Page, username: string, password: string): Promise<void> {
  const { sessionToken } = await client.accounts.signIn({ username, password });
  await of.context().addCookies([{ name: "faultline_session", value: sessionToken, url: faultline.httpUrl }]);
}

/** A project of which nothing was read yet: an external system's last answers are shown while it fails. */
interface Linked extends LinkedProject {
  readonly list: string;
  /** The address of the first of its two errors. */
  readonly details: string;
  readonly events: string;
  readonly index: number;
}

let next = 0;
async function linked(apiUrl?: string): Promise<Linked> {
  const index = next++;
  const project = await linkedProject(client, external, { external: slugs[index] ?? "", ...(apiUrl && { apiUrl }) });
  const list = `/${project.path}/-/error_tracking`;
  const error = `${list}/${1000 + index * 10}`;
  return { ...project, list, details: `${error}/details`, events: `${error}/events`, index };
}

const alert = (of: Page = page) => of.getByRole("alert");
const dot = (state: "Live" | "Live updates paused") => page.getByText(state, { exact: true });
const html = { status: 200, headers: { "Content-Type": "text/html" }, body: "<html><p>Sign in</p></html>" };

const limited = { status: 429, headers: { "Retry-After": "28" } };

const failures: [what: string, answer: FakeAnswer, title: RegExp, message: string, shot: string][] = [
  ["fails", { status: 503 }, /^Could not reach http:\/\/127/, "Sentry response status code: 503", "unreachable"],
  ["refuses the token", { status: 401 }, /refused the auth token\.$/, "Sentry response status code: 401", "token"],
  ["is a web page", html, /did not respond like an error-tracking system\.$/, "Unexpected Error", "not-like-it"],
  // Not "429" alone: the address of the system, which is on the page, may have these digits in its port.
  ["limits requests", limited, /limits requests\.$/, "Sentry response status code: 429", "limited"],
];

for (const [what, answer, title, message, shot] of failures) {
  test(`if the external system ${what}, list, details and events say what happened, why and what to do`, async () => {
    const project = await linked();
    external.answerWith(answer);
    for (const address of [project.list, project.details, project.events]) {
      const response = await page.goto(address);
      assert.is(response?.status(), 200, "nothing is wrong with the service");
      const panel = alert();
      await panel.getByText(title).waitFor();
      assert.match((await panel.innerText()).trim(), /\n[A-Z].*\./s, "the title is followed by a reason");
      assert.not.match(await panel.innerText(), "Sentry");
      await panel.getByRole("button", { name: "Try again" }).waitFor();
      await panel.getByRole("link", { name: /^(Check settings|Enter a new token)$/ }).waitFor();
      await page.getByText(message).waitFor();
      await page.getByRole("heading", { level: 1 }).waitFor();
      assert.is(await dot("Live").count(), 0, "nothing is live");
    }
    await page.goto(project.list);
    await browser.photograph(`external-${shot}`);
    external.answerAsUsual();
    clock.at += 5 * minuteMs;
    await alert().getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: "TypeError: cart is null" }).waitFor();
    assert.is(await alert().count(), 0);
  });
}

test("an external system that is switched off is named with its address to maintainers alone", async () => {
  const project = await linked();
  const reporter = await newMember(client, project.projectId, Role.REPORTER);
  const hers = await browser.anotherPage();
  await signIn(hers, reporter.username, personPassword);
  await external.close();
  try {
    await page.goto(project.list);
    await alert().getByText(`Could not reach ${external.url}.`).waitFor();
    await page.getByText("Connection refused").waitFor();
    await hers.goto(project.list);
    await alert(hers).getByText("Could not reach the external system.").waitFor();
    const shown = await hers.locator("main").innerText();
    assert.not.match(shown, external.url);
    assert.not.match(shown, "Connection refused");
    assert.is(await alert(hers).getByRole("link").count(), 0, "she may not change the settings");
  } finally {
    await external.comeBack();
    await hers.context().close();
  }
});

test("an address that no connection is made to says what an operator can do", async () => {
  const project = await linked("http://10.1.2.3:9000");
  await page.goto(project.list);
  await alert().getByText("Connections to http://10.1.2.3:9000 are blocked.").waitFor();
  await alert().getByText("FAULTLINE_OUTBOUND_NETWORKS").waitFor();
  await browser.photograph("external-address-refused");
});

test("a panel shows when this tab last read the errors", async () => {
  const project = await linked();
  await page.goto(project.list);
  await dot("Live").waitFor();
  external.answerWith({ status: 401 });
  clock.at += minuteMs;
  await page.getByRole("navigation", { name: "Status" }).getByRole("link", { name: "Ignored" }).click();
  await alert()
    .getByText(/refused the auth token\./)
    .waitFor();
  await alert()
    .getByText(/ Last success \d\d:\d\d\.$/)
    .waitFor();
  await page.goto(project.list);
  await alert()
    .getByText(/refused the auth token\./)
    .waitFor();
  assert.is(await alert().getByText("Last success").count(), 0, "a new page has read nothing yet");
});

test("after a limit the page counts down, announces no second, and tries again by itself in a visible tab", async () => {
  const project = await linked();
  external.answerWith({ status: 429, headers: { "Retry-After": "28" } });
  const tab = await browser.context.newPage();
  await tab.clock.install();
  await tab.goto(project.list);
  const timer = tab.getByRole("timer");
  await timer.getByText("Trying again in 28 s.").waitFor();
  assert.is(await timer.getAttribute("aria-live"), "off");
  assert.is(await alert(tab).getByRole("timer").count(), 0, "what an alert holds is read out");
  await tab.clock.runFor(5_000);
  await timer.getByText("Trying again in 23 s.").waitFor();
  await setVisible(tab, false);
  external.answerAsUsual();
  clock.at += minuteMs;
  const requests: string[] = [];
  tab.on("request", (request) => requests.push(request.url()));
  await tab.clock.runFor(40_000);
  await timer.getByText("Trying again…").waitFor();
  assert.equal(requests, [], "nobody looks at it");
  await setVisible(tab, true);
  await tab.getByRole("link", { name: "TypeError: cart is null" }).waitFor();
  await tab.close();
});

test("while the external system is down, the last data are shown with their age, and changes fail in words", async () => {
  const project = await linked();
  clock.at = Date.now() - 4 * minuteMs;
  await page.goto(project.list);
  await page.getByRole("link", { name: "TypeError: cart is null" }).click();
  await page.getByRole("heading", { level: 1, name: "TypeError" }).waitFor();
  await dot("Live").waitFor();
  const colourOfDot = () =>
    page.evaluate<string>(`getComputedStyle(document.querySelector(".live .dot")).backgroundColor`);
  const colourOfLive = await colourOfDot();
  clock.at += minuteMs;
  external.answerWith({ status: 503 });
  const stale = page.getByText("The external system cannot be reached. This data was loaded 4 minutes ago.");
  for (const [address, name] of [
    [project.details, "external-stale-details"],
    [project.list, "external-stale"],
  ] as const) {
    await page.goto(address);
    await stale.waitFor();
    await dot("Live updates paused").waitFor();
    assert.is.not(await colourOfDot(), colourOfLive);
    await browser.photograph(name);
  }
  await page.getByRole("button", { name: "Resolve TypeError: cart is null" }).click();
  await page.getByText(/^Could not change the status\. The external system cannot be reached now\./).waitFor();
  assert.is(await page.getByRole("link", { name: "TypeError: cart is null" }).count(), 1, "the row is back");
  external.answerAsUsual();
  clock.at += minuteMs;
  await page.getByRole("button", { name: "Try again" }).click();
  await stale.waitFor({ state: "detached" });
  await dot("Live").waitFor();
  browser.complaints.length = 0; // the browser reports the refusal's status
});

test("a visible tab reads the list again each minute; counts change in place and rows wait to be shown", async () => {
  const project = await linked();
  const tab = await browser.context.newPage();
  await tab.clock.install();
  await tab.goto(project.list);
  await tab.getByText("Live", { exact: true }).waitFor();
  const titles = () => tab.locator("a[data-error]").allInnerTexts();
  const before = await titles();
  assert.equal(before, ["TypeError: cart is null", "TypeError: card is refused"]);

  const mine = () => external.data.issues.filter(({ project: id }) => id === `${20 + project.index}`);
  const [, second] = mine();
  assert.ok(second);
  clock.at += minuteMs;
  external.data.issues.splice(external.data.issues.indexOf(second), 1, { ...second, count: 77, lastSeen: clock.at });
  external.data.issues.push({ ...second, id: "9001", title: "TypeError: fresh", firstSeen: Date.now() + 1000 });
  const calls = () => external.calls.filter(({ path }) => path.includes(`/${slugs[project.index]}/`)).length;

  const atRest = calls();
  assert.ok(atRest > 0);
  await tab.clock.runFor(50_000);
  assert.is(calls(), atRest, "no minute is over yet");
  await setVisible(tab, false);
  await tab.clock.runFor(5 * minuteMs);
  assert.is(calls(), atRest, "nobody looks at it");
  await setVisible(tab, true);
  await tab.getByRole("button", { name: "1 new, 1 updated · Show" }).waitFor();
  assert.equal(await titles(), before, "no row moves by itself");
  await tab
    .getByRole("row", { name: /card is refused/ })
    .getByRole("cell", { name: "77", exact: true })
    .waitFor();
  assert.match(await tab.title(), /^\(1\) Error Tracking · /);
  await tab.getByRole("button", { name: "1 new, 1 updated · Show" }).click();
  await tab.getByRole("link", { name: "TypeError: fresh" }).waitFor();
  assert.equal((await titles()).length, 3);

  external.answerWith({ status: 401 });
  clock.at += minuteMs;
  await tab.clock.runFor(minuteMs);
  await tab.getByText("Live updates paused", { exact: true }).waitFor();
  assert.equal((await titles()).length, 3, "what was read stays");
  await until("the browser to report the refusal's status", () => browser.complaints.splice(0).length > 0);
  external.answerAsUsual();
  clock.at += minuteMs;
  await tab.clock.runFor(minuteMs);
  await tab.getByText("Live", { exact: true }).waitFor();
  await tab.close();
});

test("the details of an error are read again each minute, too", async () => {
  const project = await linked();
  const tab = await browser.context.newPage();
  await tab.clock.install();
  await tab.goto(project.details);
  await tab.getByText("Live", { exact: true }).waitFor();
  const resolve = tab.getByRole("button", { name: "Resolve" });
  await resolve.waitFor();
  const issue = external.data.issues.find(({ id }) => id === `${1000 + project.index * 10}`);
  assert.ok(issue);
  issue.status = "resolved";
  clock.at += minuteMs;
  await tab.clock.runFor(minuteMs);
  await tab.getByRole("button", { name: "Reopen" }).waitFor();
  await tab.close();
});

test("if the external system does not count, tabs have no numbers and nothing is said to be missing", async () => {
  const project = await linked();
  external.answerWith({ json: [] }, { on: /\/issues\/$/ });
  await page.goto(project.list);
  await page.getByText("No unresolved errors.").waitFor();
  assert.is(await page.getByRole("navigation", { name: "Status" }).getByText(/\d/).count(), 0);
  await browser.photograph("external-no-counts");
});

test("features that the external system does not offer keep their place and say why", async () => {
  const project = await linked();
  await page.goto(project.details);
  const link = page.getByRole("link", { name: "Open in external system" });
  assert.match((await link.getAttribute("href")) ?? "", external.url);
  const releases = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Releases" });
  assert.is(await releases.getAttribute("aria-disabled"), "true");
  const reason = (await releases.getAttribute("aria-description")) ?? "";
  assert.match(reason, /^The external system .*\.$/);
  await page.goto(`${project.list}/releases`);
  await page.locator("main").getByText(reason).waitFor();
  assert.is(await releases.getAttribute("aria-current"), "page");
  assert.is(await page.locator("main").getByRole("button").count(), 0, "trying again would not help");
  await browser.photograph("external-releases");
  await page.goto(`${project.list}/ingestion`);
  await page.getByText("Applications send their events to the external system.").waitFor();
  await browser.photograph("external-ingestion");
});

/** Sends the event that a page gets when its tab moves to the front or the back. */
async function setVisible(tab: Page, visible: boolean): Promise<void> {
  const state = visible ? "visible" : "hidden";
  await tab.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true })`);
  await tab.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
}

test.run();

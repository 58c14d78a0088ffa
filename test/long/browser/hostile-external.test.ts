import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { fakeExternal, type FakeExternal } from "../../support/external/fake-external.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { inertPage, type InertPage } from "../../support/console/inert-page.ts";
import { linkedProject } from "../../support/core/linked-project.ts";
import { packed, polyglotAt, polyglotEvent } from "../../support/sentry/polyglot-event.ts";
import { elsewhere, polyglots } from "../../support/sentry/polyglots.ts";
import { reported } from "../../support/run/reported.ts";
import { startServer, type Server } from "../../support/service/server.ts";
import { until } from "../../support/run/until.ts";

/** An external system with script in every field, opened by an administrator. */

type Wire = Record<string, unknown>;

let server: Server;
let client: GrpcClient;
let browser: TestBrowser;
let page: Page;
let inert: InertPage;
let fake: FakeExternal;
let home: string;

/** Texts in a list of an event; so few events hold them all. */
const perEvent = 150;
const eventCount = Math.ceil(polyglots.length / perEvent);
const titles = packed(240).slice(0, 70);

test.before(
  reported(async () => {
    fake = await fakeExternal({
      issues: titles.map((text, number) => ({
        type: polyglotAt(number),
        value: text,
        title: text,
        culprit: polyglotAt(number + 1),
        firstRelease: polyglotAt(number + 2),
        lastRelease: polyglotAt(number + 3),
        tags: { [polyglotAt(number)]: polyglotAt(number + 4) },
        events: [{ payload: polyglotEvent(number, perEvent) }],
      })),
    });
    server = await startServer({
      env: { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: `${fake.port}` },
    });
    client = grpcClient(server);
    const { path } = await linkedProject(client, fake);
    home = `/${path}/-`;
    browser = await openBrowser(server);
    inert = await inertPage(browser, server);
    ({ page } = inert);
  }),
);
test.after(async () => {
  await browser?.close();
  client?.close();
  await server?.stop();
  await fake?.close();
});

test("A23, A61: hostile titles and places of an external system are text in the list, page by page", async () => {
  await inert.openInert(`${home}/error_tracking`);
  assert.match((await page.locator("main").textContent()) ?? "", /onerror|taken/, "the page shows such texts");
  for (let pages = 1; ; pages++) {
    const next = page.getByRole("link", { name: /Next/ });
    if ((await next.count()) === 0) return assert.ok(pages > 1, "more than one page");
    await inert.openInert((await next.first().getAttribute("href")) ?? "");
  }
});

test("A23, A61, A62: hostile texts in every part of an event of an external system are text, opened or not", async () => {
  for (const { id } of fake.data.issues.slice(0, eventCount)) {
    const address = `${home}/error_tracking/${id}/details`;
    await inert.openInert(address);
    await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
    for (const button of await page.locator("main button[aria-expanded=false]").all()) {
      if (await button.isVisible()) await button.click();
    }
    await inert.assertInert(`${address}, opened`);
    assert.match((await page.locator("main").textContent()) ?? "", /onerror|taken/, "the page shows such texts");
  }
});

/** Fields without which an answer is none, or that lead to what is tested by itself. */
const kept = /^(id|slug|projectID|groupID|eventID|firstSeen|lastSeen|dateCreated|dateReceived|entries|permalink)$/;

/** A JSON in which every text, number and truth value is a hostile text, and every key but the kept ones too. */
function poisoned(json: unknown, key = "", seed = { at: 0 }): unknown {
  if (Array.isArray(json)) return json.map((one) => poisoned(one, key, seed));
  if (typeof json === "object" && json !== null) {
    return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, poisoned(value, name, seed)]));
  }
  return kept.test(key) || (key === "type" && /^(exception|threads|breadcrumbs|request|message)$/.test(String(json)))
    ? json
    : polyglotAt(seed.at++);
}

test("GitLab 215970: texts where numbers belong, and in all other fields, are inert in list and details", async () => {
  const [issue] = fake.data.issues;
  fake.answerWith({ change: (json: Wire | Wire[]) => poisoned(json) });
  try {
    for (const address of ["?q=alert", `/${issue?.id}/details`, `/${issue?.id}/events`]) {
      await inert.openInert(`${home}/error_tracking${address}`);
      assert.match((await page.locator("main").textContent()) ?? "", /onerror|taken/, `${address} shows such texts`);
    }
  } finally {
    fake.answerAsUsual();
  }
});

test("A62: an address of an issue that is a script is not a link", async () => {
  for (const permalink of ["javascript:top.taken=1", `https://${elsewhere}/`]) {
    fake.answerWith({ change: (issue: Wire) => ({ ...issue, permalink }) }, { on: /\/issues\/\d+\/$/ });
    const at = fake.data.issues.at(permalink.length % 7)?.id ?? "";
    await inert.openInert(`${home}/error_tracking/${at}/details`);
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll("main a[rel~=noopener]")].map((one) => one.href)`,
    );
    assert.ok(links.length > 0, "the page leads to the external system");
    for (const link of links) assert.ok(link.startsWith(`${fake.url}/`), link);
    fake.answerAsUsual();
  }
});

test("A61: hostile names of projects and organizations are text where one is chosen", async () => {
  const change = ([good]: Wire[]) =>
    titles.map((name, number) => ({
      ...good,
      id: `${number + 100}`,
      slug: `slug-${number}`,
      name,
      organization: { id: "1", slug: "acme", name },
    }));
  fake.answerWith({ change }, { on: /\/api\/0\/projects\/$/ });
  await inert.openInert(`${home}/settings/monitor`);
  await page.getByRole("button", { name: "Connect" }).click();
  await until("the projects", async () => (await page.locator("main").textContent())?.includes("slug-1"));
  await inert.assertInert("the projects");
  fake.answerAsUsual();
});

test("the text of an external system's refusal is not shown", async () => {
  const text = "hunter2-of-the-upstream <img src=x onerror=alert(1)>";
  for (const status of [200, 401, 500]) {
    fake.answerWith({ status, headers: { "Content-Type": "text/html" }, body: text });
    await inert.openInert(`${home}/error_tracking?q=${status}`);
    assert.not.match(await page.content(), "hunter2");
    fake.answerAsUsual();
  }
});

test("the external system was asked for nothing that it had to complain about", () => {
  assert.equal(fake.complaints, []);
});

test.run();

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { createProject } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { envelope, newEventId, sendEnvelope, sendStore } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";
import { rootPassword } from "../support/service/server.ts";

/** Feedback of users, from the dialog in a page to the list in the console. */

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

test("the page Feedback lists what users wrote, with and without an error", async () => {
  const project = await createProject(server);
  await page.goto(`/${project.path}/-/error_tracking`);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Feedback" }).click();
  await page.getByText("No feedback yet.").waitFor();

  const event_id = newEventId();
  await sendStore(server, project, { event_id, message: "the till fell down" });
  const hostile = { message: "<img src=x onerror=alert(1)>", url: "javascript:alert(1)", source: "widget" };
  const about = { message: "It fell.", associated_event_id: event_id, name: "Ann", contact_email: "ann@example.com" };
  for (const feedback of [about, { message: "Well?", associated_event_id: newEventId() }, hostile]) {
    const item = { type: "feedback", event_id: newEventId(), environment: "production", contexts: { feedback } };
    assert.is((await sendEnvelope(server, project, envelope(undefined, [{ type: "feedback" }, item]))).status, 200);
  }
  await page.reload();
  const entries = page.getByRole("region", { name: "Feedback, newest first" }).getByRole("listitem");
  const texts = await entries.allInnerTexts();
  assert.is(texts.length, 3);
  assert.match(texts[0] ?? "", "<img src=x onerror=alert(1)>");
  assert.match(texts[1] ?? "", /Well\?[^]*Its event has not arrived/);
  assert.match(texts[2] ?? "", /Ann[^]*ann@example\.com[^]*It fell\.[^]*the till fell down[^]*production/);
  await browser.photograph("feedback");
  await page.getByRole("link", { name: "the till fell down" }).click();
  await page.getByRole("heading", { name: "User feedback" }).waitFor();
  assert.match(page.url(), `event=${event_id}`);
});

test("the dialog for reports works in a page with a strict policy, says what the page asks for, and sends the report", async () => {
  const project = await createProject(server);
  const eventId = newEventId();
  const asked = new URLSearchParams({
    dsn: project.dsn,
    eventId,
    name: "Ann",
    title: "<b>Verkauf gestört</b>",
    labelSubmit: "Senden",
    successMessage: "Danke!",
  });
  const script = `${server.url}/api/embed/error-page/?${asked.toString().replaceAll("&", "&amp;")}`;
  const shop = createServer((_, response) => {
    response.setHeader(
      "Content-Security-Policy",
      `default-src 'none'; img-src data:; script-src ${server.url}; connect-src ${server.url}`,
    );
    response.setHeader("Content-Type", "text/html");
    response.end(`<!doctype html><link rel="icon" href="data:,"><body><script src="${script}"></script></body>`);
  });
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  const visitor = await browser.anotherPage();
  try {
    await visitor.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/cart?token=secret#top`);
    const dialog = visitor.getByRole("dialog", { name: "<b>Verkauf gestört</b>" });
    assert.is(await dialog.getByLabel("Name").inputValue(), "Ann");
    await dialog.getByLabel("What happened?").fill("The till fell down.");
    await dialog.getByRole("button", { name: "Senden" }).click();
    await dialog.getByText("Danke!").waitFor();
    const closed = visitor.evaluate(
      `new Promise((resolve) => addEventListener("message", ({ data }) => resolve(data), { once: true }))`,
    );
    await dialog.getByRole("button", { name: "Close" }).click();
    assert.is(await closed, "__sentry_reportdialog_closed__");
    assert.is(await dialog.count(), 0);
  } finally {
    shop.close();
    shop.closeAllConnections();
  }
  const { feedback } = await core.errors.listFeedback({ projectId: project.id }, core.auth);
  assert.equal(
    feedback.map((entry) => [
      entry.eventId,
      entry.name,
      entry.comments,
      new URL(entry.url).pathname,
      entry.url.includes("secret"),
    ]),
    [[eventId, "Ann", "The till fell down.", "/cart", false]],
  );
});

test.run();

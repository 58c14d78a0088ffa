// limit: 180 s
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { errorEvent } from "../support/sentry/error-event.ts";
import { grpcClient } from "../support/core/grpc.ts";
import { reported } from "../support/run/reported.ts";
import { http } from "../support/http/http.ts";
import { newEventId } from "../support/sentry/send.ts";
import { rootPassword, startServer, type Server } from "../support/service/server.ts";
import { until } from "../support/run/until.ts";

let server: Server;
let browser: TestBrowser;
let page: Page;

test.before(
  reported(async () => {
    server = await startServer();
    browser = await openBrowser(server);
    ({ page } = browser);
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
  }),
);
test.after(async () => {
  await browser?.close();
  await server?.stop();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

const photograph = (name: string) => browser.photograph(name);

const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();

test("people who are not signed in are asked to sign in, and returned to the page they wanted", async () => {
  await page.goto("/-/projects");
  await heading("Sign in");
  await photograph("sign-in");
  await page.getByLabel("User name or e-mail").fill("root");
  await page.getByLabel("Password", { exact: true }).fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  browser.complaints.length = 0; // the browser reports the refusal's status
  await page.getByLabel("Password", { exact: true }).fill(rootPassword);
  await page.getByRole("button", { name: "Sign in" }).click();
  await heading("Projects");
  await photograph("projects-empty");
});

test("a project is created, and its errors page says how to start", async () => {
  await page.getByLabel("Name").fill("Web shop");
  await page.getByLabel("Path").fill("acme/web");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.waitForURL(/\/acme\/web\/-\//);
  await page.goto("/acme/web/-/error_tracking");
  await page.getByRole("link", { name: "Enable error tracking" }).waitFor();
  await photograph("errors-not-enabled");
  await page.goto("/-/projects");
  await page.getByRole("link", { name: "Web shop" }).waitFor();
  await photograph("projects");
});

test("settings are saved with the integrated backend, and the DSN is shown and copied", async () => {
  await page.goto("/acme/web/-/settings/monitor");
  await page.getByRole("checkbox", { name: "Active" }).check();
  await page.getByRole("radio", { name: "Integrated" }).check();
  await page.getByRole("button", { name: "Save changes" }).click();
  const shown = await page.getByTestId("dsn").first().textContent();
  await photograph("settings-monitor");
  await page.getByRole("button", { name: "Copy" }).first().click();
  await page.getByText("Copied").waitFor();
  const dsn = await page.evaluate<string>("navigator.clipboard.readText()");
  assert.match(dsn, /^http:\/\/flck_[0-9a-f]{32}@127\.0\.0\.1:\d+\/\d+$/);
  assert.is(dsn, shown?.trim());
});

test("an error sent with the copied DSN appears in the open list", async () => {
  await page.goto("/acme/web/-/error_tracking");
  await photograph("errors-empty");
  const dsn = new URL(await page.evaluate<string>("navigator.clipboard.readText()"));
  for (const secondsAgo of [7_200, 3_600, 0]) assert.is(await send(dsn, secondsAgo), 200);
  const row = page.getByRole("link", { name: /PaymentError/ }).first();
  const pill = page.getByRole("button", { name: /Show/ }).first();
  await row.or(pill).first().waitFor();
  if (!(await row.isVisible())) await pill.click();
  await row.waitFor();
  await photograph("errors");
});

test("the exact time shows while the time has the focus, and Esc hides it", async () => {
  const time = page.getByRole("row", { name: /PaymentError/ }).getByRole("button", { name: /\bago\b/ });
  const exact = page.getByText(/^\d{2} \w{3} \d{4}, [\d:.]+ UTC/);
  await time.focus();
  await exact.waitFor();
  assert.match((await time.getAttribute("aria-description")) ?? "", /^\d{2} \w{3} \d{4}, [\d:.]+ UTC/);
  await page.keyboard.press("Escape");
  await exact.waitFor({ state: "detached" });
  await time.hover();
  await exact.hover(); // it stays while the pointer is on it
  await page.mouse.move(0, 0);
  await exact.waitFor({ state: "detached" });
});

test("? opens the help on keys, and Esc closes it", async () => {
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "hidden" });
});

test("the details show the count, the stack trace and the events", async () => {
  await page
    .getByRole("link", { name: /PaymentError/ })
    .first()
    .click();
  await heading(/PaymentError/);
  await page.getByText("card amex refused").first().waitFor();
  await page.getByText("charge").first().waitFor();
  await photograph("error-details");
});

test("the chart is read hour by hour with the keyboard", async () => {
  const slider = page.getByTestId("bar-chart").getByRole("slider");
  await slider.focus();
  const textNow = () => slider.getAttribute("aria-valuetext");
  await page.keyboard.press("End");
  const last = await textNow();
  await page.keyboard.press("ArrowLeft");
  const before = await textNow();
  await page.keyboard.press("Home");
  const first = await textNow();
  assert.match(last ?? "", /\b1 event\b/);
  assert.match(before ?? "", /\b1 event\b/);
  assert.is(new Set([last, before, first]).size, 3, [last, before, first].join(" | "));
});

test("an error is resolved, and the resolution is undone", async () => {
  await page
    .getByRole("button", { name: /^Resolve/ })
    .first()
    .click();
  await page.getByRole("button", { name: /^Undo/ }).first().waitFor();
  await photograph("error-resolved");
  const saved = page.waitForResponse((response) => response.request().method() === "POST"); // shown before it is saved
  await page.getByRole("button", { name: /^Undo/ }).first().click();
  await saved;
  await page
    .getByRole("button", { name: /^Resolve/ })
    .first()
    .waitFor();
  await page.goto("/acme/web/-/error_tracking");
  await page
    .getByRole("link", { name: /PaymentError/ })
    .first()
    .waitFor();
});

test("whatever an application reports is shown as text, and the page still fits", async () => {
  const hostile = "<script>document.title='taken'</script><img src=x onerror=alert(1)>\u202Egnp.exe \u001b[31m";
  const answer = await post(new URL(await page.evaluate<string>("navigator.clipboard.readText()")), {
    exception: {
      values: [
        {
          type: "Hostile",
          value: hostile + "x".repeat(5_000),
          stacktrace: {
            frames: [{ function: hostile, filename: hostile, lineno: 1, context_line: hostile, in_app: true }],
          },
        },
      ],
    },
    user: { id: hostile, ID: "named like the label of another" },
    tags: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`tag${index}`, hostile + "y".repeat(100)])),
    request: { url: "javascript:alert(1)", headers: { "X-Hostile": hostile } },
    breadcrumbs: [{ message: hostile, category: hostile, data: { hostile } }],
  });
  assert.is(answer, 200);
  await page.goto("/acme/web/-/error_tracking");
  await page
    .getByRole("link", { name: /Hostile/ })
    .first()
    .click();
  await heading(/Hostile/);
  assert.match(await page.title(), "Hostile");
  assert.is(await page.locator("main script, main img").count(), 0);
  assert.is(await page.locator('[href^="javascript:"]').count(), 0);
  await page.getByRole("region", { name: "User", exact: true }).getByText("named like the label of another").waitFor();
  await photograph("error-hostile");
  await page.goto("/acme/web/-/error_tracking?q=level:error+level:error");
  await page.getByRole("link", { name: /Hostile/ }).waitFor();
  assert.is(await page.getByRole("link", { name: "level:error" }).count(), 2);
});

test("an event from longer ago than is kept says which time was sent; one from 89 days ago has its own", async () => {
  const dsn = new URL(await page.evaluate<string>("navigator.clipboard.readText()"));
  const bounded = page.getByText(/^The SDK sent .* An event is dated at most 90 days before it is received/);
  for (const [type, daysAgo, notes] of [
    ["Longgone", 100, 1],
    ["Kept", 89, 0],
  ] as const) {
    const happenedAt = Date.now() - daysAgo * 86_400_000;
    const exception = { values: [{ type, value: "happened" }] };
    assert.is(await post(dsn, { exception, timestamp: happenedAt / 1000 }), 200);
    await page.goto(`/acme/web/-/error_tracking?q=${type}`);
    await page.getByRole("link", { name: type }).first().click();
    await heading(new RegExp(type));
    await page.getByRole("region", { name: "Event", exact: true }).waitFor();
    assert.is(await bounded.count(), notes, type);
    if (notes === 1) {
      const [, sent = ""] = /^The SDK sent (.*?)\. /.exec((await bounded.textContent()) ?? "") ?? [];
      assert.is(Date.parse(sent.replace(",", "")), happenedAt, sent);
    }
    await page.getByRole("link", { name: "90 days" }).click();
    await page.waitForURL(/period=90d/);
    await photograph(`error-${type.toLowerCase()}`);
  }
});

test("without scripts the errors can be listed and read", async () => {
  const reader = await browser.pageWithoutScripts();
  await reader.goto("/acme/web/-/error_tracking");
  await reader
    .getByRole("link", { name: /PaymentError/ })
    .first()
    .click();
  await reader.getByText("card amex refused for 650 cents").first().waitFor();
  await reader.getByText("charge").first().waitFor();
  await reader.context().close();
});

for (const [name, path] of Object.entries({
  "get-started": "/acme/web/-/error_tracking/get_started",
  "settings-general": "/acme/web/-/settings/general",
  preferences: "/-/profile",
  "access-tokens": "/-/profile/personal_access_tokens",
  "errors-none-match": "/acme/web/-/error_tracking?q=nothing-like-this",
}))
  test(`the page ${name} opens and fits`, async () => {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await photograph(name);
  });

test("in a storm of more errors than a watch names, the count of the open error keeps growing", async () => {
  await page.goto("/acme/web/-/error_tracking?q=PaymentError");
  await page.getByRole("link", { name: "PaymentError" }).first().click();
  await heading(/PaymentError/);
  await page.getByText("Live", { exact: true }).waitFor();
  const count = page.locator("dt", { hasText: "Events" }).locator("+ dd");
  assert.is(await count.textContent(), "3");
  const dsn = new URL(await page.evaluate<string>("navigator.clipboard.readText()"));
  const client = grpcClient(server);
  const projectId = Number(dsn.pathname.slice(1));
  const word = (n: number) => String.fromCharCode(97 + (n % 26), 97 + n / 26);
  const events = Array.from({ length: 150 }, (_, n) =>
    errorEvent({ projectId, eventId: newEventId(), message: `${word(n)} storms` }),
  );
  await client.ingest.reportEvents({ events }, client.auth);
  client.close();
  assert.is(await send(dsn, 0), 200); // it is announced after the storm, in the same message
  await until("the event is counted", async () => (await count.textContent()) === "4");
});

test("a page that does not exist says so", async () => {
  const answer = await page.goto("/acme/nothing/-/error_tracking");
  assert.is(answer?.status(), 404);
  await page.getByText("Page not found").first().waitFor();
  await photograph("not-found");
  browser.complaints.length = 0; // the browser reports the 404 itself
});

test("signing out ends the session", async () => {
  await page.goto("/-/projects");
  await page.getByText("Administrator").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await heading("Sign in");
  await page.goto("/-/projects");
  await heading("Sign in");
});

/** Reports an error as an application with this DSN would. */
function send(dsn: URL, secondsAgo: number): Promise<number> {
  const frame = (name: string, lineno: number, in_app: boolean) => ({
    filename: in_app ? "src/cart.js" : "node_modules/express/lib/router.js",
    function: name,
    lineno,
    in_app,
    pre_context: ["function charge(card) {", "  const limit = card.limit;"],
    context_line: "  if (limit < total) throw new PaymentError(`card ${card.name} refused`);",
    post_context: ["  return bank.charge(card, total);", "}"],
  });
  return post(dsn, {
    timestamp: Date.now() / 1000 - secondsAgo,
    platform: "node",
    release: "shop@1.2.3",
    environment: "staging",
    exception: {
      values: [
        { type: "TypeError", value: "limit is undefined", stacktrace: { frames: [frame("readCard", 11, true)] } },
        {
          type: "PaymentError",
          value: "card amex refused for 650 cents",
          mechanism: { type: "onunhandledrejection", handled: false },
          stacktrace: { frames: [frame("handle", 88, false), frame("checkout", 4, true), frame("charge", 21, true)] },
        },
      ],
    },
    user: { id: "4711", email: "ada@example.com" },
    tags: { region: "eu-west", browser: "Chrome 131" },
    breadcrumbs: [{ timestamp: Date.now() / 1000 - secondsAgo - 3, category: "http", message: "GET /cart" }],
    request: { url: "https://shop.example/checkout", method: "POST", headers: { Accept: "text/html" } },
    sdk: { name: "sentry.javascript.node", version: "7.38.0" },
  });
}

async function post(dsn: URL, event: Record<string, unknown>): Promise<number> {
  const { status } = await http(`${dsn.origin}/api${dsn.pathname}/store/?sentry_key=${dsn.username}`, {
    method: "POST",
    body: JSON.stringify({ event_id: newEventId(), ...event }),
  });
  return status;
}

test.run();

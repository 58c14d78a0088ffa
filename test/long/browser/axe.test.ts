// limit: 300 s
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { createProject } from "../../support/core/project.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { rootPassword } from "../../support/service/server.ts";

/** axe finds nothing on any page, in both themes, on a desk and on a narrow phone (console-findings 13). */

const { server, client: core } = await sharedServer();
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const widths = [1280, 320];
let browser: TestBrowser;
let page: Page;
let path: string;
let errorId: string;

test.before(
  reported(async () => {
    const project = await createProject(server);
    ({ path } = project);
    const frames = ["app", "lib"].map((name) => ({
      filename: `${name}/cart.js`,
      function: "charge",
      lineno: 7,
      in_app: name === "app",
      pre_context: ["function charge(card) {"],
      context_line: "  throw new PaymentError(card.name);",
      post_context: ["}"],
      vars: { card: "amex" },
    }));
    const values = ["PaymentError", "CheckoutError"].map((type) => ({
      type,
      value: "refused",
      stacktrace: { frames },
    }));
    const whole = {
      exception: { values },
      user: { id: "ann" },
      tags: { region: "eu" },
      request: { url: "https://shop.example/cart", method: "POST", headers: { Accept: "*/*" }, data: "{}" },
      breadcrumbs: { values: [{ message: "added to the cart", category: "ui" }] },
    };
    for (const event of [whole, { message: "Lost" }]) {
      assert.is((await sendEvent(server, project, { event_id: newEventId(), ...event })).status, 200);
    }
    const errors = await storedErrors(core, project.id);
    errorId = errors.find(({ type }) => type !== "")?.errorId ?? "";
    const { sessionToken } = await core.accounts.signIn({ username: "root", password: rootPassword });
    browser = await openBrowser(server);
    ({ page } = browser);
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
});

/** The violations of the page as it is, in both themes and widths. */
async function violations(shown: Page): Promise<string[]> {
  const found = new Set<string>();
  for (const width of widths) {
    await shown.setViewportSize({ width, height: 800 });
    for (const colorScheme of ["light", "dark"] as const) {
      await shown.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await shown.evaluate(axe);
      const told = await shown.evaluate<{ id: string; nodes: { html: string }[] }[]>(
        `axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ["violations"] }).then(({ violations }) =>
          violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`,
      );
      for (const { id, nodes } of told) {
        found.add(`${width} px, ${colorScheme}: ${id}, ${nodes.length} times: ${nodes[0]?.html.slice(0, 160)}`);
      }
    }
  }
  return [...found];
}

const project = (rest: string) => `/${path}/-/${rest}`;
const pages: readonly (readonly [name: string, address: () => string])[] = [
  ["the list of errors", () => project("error_tracking")],
  ["a search without results", () => project("error_tracking?q=nothing-has-this")],
  ["an error", () => project(`error_tracking/${errorId}/details`)],
  ["the events of an error", () => project(`error_tracking/${errorId}/events`)],
  ["releases", () => project("error_tracking/releases")],
  ["ingestion", () => project("error_tracking/ingestion")],
  ["deletions", () => project("error_tracking/deletions")],
  ["a new deletion", () => project("error_tracking/deletions/new")],
  ["get started", () => project("error_tracking/get_started")],
  ["monitor settings", () => project("settings/monitor")],
  ["inbound filters", () => project("settings/monitor/inbound_filters")],
  ["general settings", () => project("settings/general")],
  ["members", () => project("project_members")],
  ["the errors of all projects", () => "/-/errors"],
  ["projects", () => "/-/projects"],
  ["preferences", () => "/-/profile"],
  ["the account", () => "/-/profile/account"],
  ["sessions", () => "/-/profile/account/sessions"],
  ["access tokens", () => "/-/profile/personal_access_tokens"],
  ["deprecations", () => "/-/deprecations"],
  ["health", () => "/admin/health"],
  ["all projects", () => "/admin/projects"],
  ["users", () => "/admin/users"],
  ["a user", () => "/admin/users/1"],
  ["roles", () => "/admin/roles"],
  ["storage", () => "/admin/storage"],
  ["the audit log", () => "/admin/audit"],
  ["error reporting", () => "/admin/error_reporting"],
  ["the REST API", () => "/api/v4/docs"],
  ["a page that does not exist", () => "/-/no-such-page"],
];
for (const [name, address] of pages) {
  test(`axe finds nothing on ${name}`, async () => {
    await page.goto(address());
    assert.equal(await violations(page), []);
  });
}

test("axe finds nothing on the palette and the switcher of projects", async () => {
  await page.goto(project("error_tracking"));
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: path }).waitFor();
  assert.equal(await violations(page), []);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Switch project" }).click();
  await page.getByRole("option", { name: path }).waitFor();
  await page.getByRole("dialog").getByRole("combobox").fill("no such project");
  await page.getByText("No projects match").waitFor();
  assert.equal(await violations(page), []);
});

test("axe finds nothing on the sign-in page, a selection, the help, and recent actions", async () => {
  const stranger = await browser.anotherPage();
  await stranger.goto("/-/sign_in");
  assert.equal(await violations(stranger), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(project("error_tracking"));
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  assert.equal(await violations(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press("r");
  await page.getByRole("button", { name: "Undo" }).waitFor();
  assert.equal(await violations(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByText("Administrator").click();
  await page.getByRole("button", { name: "Recent actions" }).click();
  assert.equal(await violations(page), []);
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  assert.equal(await violations(page), []);
});

test.run();

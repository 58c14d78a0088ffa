// limit: 300 s
import { ErrorStatus, Role } from "@faultline/proto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { linkedProject } from "../../support/core/linked-project.ts";
import { newMember, personPassword, type Person } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { execSql } from "../../support/database/other-process.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { acme } from "../../support/external/played-sentry/data.ts";
import { fakeExternal } from "../../support/external/fake-external.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { runningServer } from "../../support/service/flow.ts";
import { rootPassword } from "../../support/service/server.ts";

/** axe finds nothing on any page, in both themes, on a desk and on a narrow phone (console-findings 13). */

const external = await fakeExternal({
  projects: ["shop", "down"].map((slug, n) => ({
    id: `${20 + n}`,
    slug,
    name: slug,
    organization: acme.slug,
    status: "active",
  })),
  issues: [
    {
      id: "1000",
      project: "20",
      value: "cart",
      events: [{ payload: { exception: { values: [{ type: "TypeError" }] } } }],
    },
  ],
});
const { server, client: core } = await runningServer({
  env: { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: `${external.port}` },
});
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const contrast = ["color-contrast"];
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Each theme and each width with all rules. The other two combinations use only the rule that a theme can break. */
const screens = [
  { width: 1280, colorScheme: "light", runOnly: rules },
  { width: 1280, colorScheme: "dark", runOnly: contrast },
  { width: 320, colorScheme: "dark", runOnly: rules },
  { width: 320, colorScheme: "light", runOnly: contrast },
] as const;
let browser: TestBrowser;
let page: Page;
let path: string;
let keyId: number;
let errorId: string;
let blankId: string;
let bulkUpdateId: number;
let emptyPath: string;
let offPath: string;
let guest: Person;
let linkedPath: string;
let downPath: string;
let invitation: string;

test.before(
  reported(async () => {
    const project = await createProject(server);
    ({ path, keyId } = project);
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
    const blank = { exception: [{ type: " ", value: "\t" }] };
    for (const event of [whole, { message: "Lost" }, blank]) {
      assert.is((await sendEvent(server, project, { event_id: newEventId(), ...event })).status, 200);
    }
    const errors = await storedErrors(core, project.id);
    const update = { projectId: project.id, query: "Lost", newStatus: ErrorStatus.IGNORED, expectedCount: 1 };
    // Its error was changed later than the bulk update was made, and so is left.
    const later = Date.now() + 3_600_000;
    await execSql(
      server.dataDir,
      `update integrated_error set status_changed_at = ${later} where project_id = ${project.id} and title = 'Lost'`,
    );
    ({ bulkUpdateId = 0 } = (await core.bulkUpdates.createBulkUpdate(update, core.auth)).bulkUpdate ?? {});
    errorId = errors.find(({ type }) => type === "CheckoutError")?.errorId ?? "";
    blankId = errors.find(({ type }) => type === " ")?.errorId ?? "";
    ({ path: emptyPath } = await createProject(server));
    offPath = (await core.projects.createProject({ path: "not-enabled" }, core.auth)).project?.path ?? "";
    guest = await newMember(core, project.id, Role.GUEST);
    ({ path: linkedPath } = await linkedProject(core, external, { external: "shop" }));
    ({ path: downPath } = await linkedProject(core, external, { external: "down", token: "refused" }));
    const invited = await core.members.createInvitation({ projectId: project.id, role: Role.DEVELOPER }, core.auth);
    invitation = new URL(invited.url).pathname;
    const { sessionToken } = await core.accounts.signIn({ username: "root", password: rootPassword });
    browser = await openBrowser(server);
    ({ page } = browser);
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
  await external.close();
});

/** The violations of the page as it is, and whether it scrolls sideways, in both themes and widths. */
async function violations(shown: Page): Promise<string[]> {
  const found = new Set<string>();
  for (const { width, colorScheme, runOnly } of screens) {
    await shown.setViewportSize({ width, height: 800 });
    await shown.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const root = "document.documentElement";
    const overflow = await shown.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`);
    if (overflow > 0) found.add(`${width} px, ${colorScheme}: it scrolls sideways by ${overflow} px`);
    await shown.evaluate(axe);
    const faults = await shown.evaluate<{ id: string; nodes: { html: string }[] }[]>(
      `axe.run({ runOnly: ${JSON.stringify(runOnly)}, resultTypes: ["violations"] }).then(({ violations }) =>
          violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`,
    );
    for (const { id, nodes } of faults) {
      found.add(`${width} px, ${colorScheme}: ${id}, ${nodes.length} times: ${nodes[0]?.html.slice(0, 160)}`);
    }
  }
  return [...found];
}

const project = (rest: string) => `/${path}/-/${rest}`;
const pages: readonly (readonly [name: string, address: () => string])[] = [
  ["the list of errors", () => project("error_tracking")],
  ["a list without errors", () => `/${emptyPath}/-/error_tracking`],
  ["a list that is not enabled yet", () => `/${offPath}/-/error_tracking`],
  ["a search without results", () => project("error_tracking?q=nothing-has-this")],
  ["an error", () => project(`error_tracking/${errorId}/details`)],
  ["an error whose name is white space", () => project(`error_tracking/${blankId}/details`)],
  ["the events of an error", () => project(`error_tracking/${errorId}/events`)],
  ["the users and tags of an error", () => project(`error_tracking/${errorId}/users`)],
  ["releases", () => project("error_tracking/releases")],
  ["source maps", () => project("error_tracking/source_maps")],
  ["ingestion", () => project("error_tracking/ingestion")],
  ["deletions", () => project("error_tracking/deletions")],
  ["the errors that a bulk update left", () => project(`error_tracking/bulk_updates/${bulkUpdateId}`)],
  ["a new deletion", () => project("error_tracking/deletions/new")],
  ["get started", () => project("error_tracking/get_started")],
  ["monitor settings", () => project("settings/monitor")],
  ["a client key", () => project(`settings/monitor/client_keys/${keyId}`)],
  ["grouping", () => project("settings/monitor/grouping?compare=1")],
  ["inbound filters", () => project("settings/monitor/inbound_filters")],
  ["issue trackers", () => project("settings/trackers?add=jira")],
  ["the issue of an error", () => project(`error_tracking/${errorId}/issue`)],
  ["general settings", () => project("settings/general")],
  ["notifications", () => project("settings/notifications")],
  ["members", () => project("project_members")],
  ["an invitation", () => invitation],
  ["the list of an external project", () => `/${linkedPath}/-/error_tracking`],
  ["an error of an external project", () => `/${linkedPath}/-/error_tracking/1000/details`],
  ["the events of an external error", () => `/${linkedPath}/-/error_tracking/1000/events`],
  ["get started with an external project", () => `/${linkedPath}/-/error_tracking/get_started`],
  ["monitor settings of an external project", () => `/${linkedPath}/-/settings/monitor`],
  ["an external project that refuses its token", () => `/${downPath}/-/error_tracking`],
  ["the errors of all projects", () => "/-/errors"],
  ["projects", () => "/-/projects"],
  ["preferences", () => "/-/profile"],
  ["notification preferences", () => "/-/profile/notifications"],
  ["the inbox", () => "/-/inbox"],
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

test("axe finds nothing on a list that the role does not show", async () => {
  const { sessionToken } = await core.accounts.signIn({ username: guest.username, password: personPassword });
  const shown = await browser.anotherPage();
  await shown.context().addCookies([{ name: "faultline_session", value: sessionToken, url: server.url }]);
  await shown.goto(project("error_tracking"));
  await shown.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await violations(shown), []);
});

test("axe finds nothing on an event as it was sent", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(project(`error_tracking/${errorId}/details`));
  await page.keyboard.press("w");
  await page.getByRole("button", { name: "Copy raw JSON" }).waitFor();
  assert.equal(await violations(page), []);
});

test("axe finds nothing on the sign-in over a page, and while the service is away", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/-/profile");
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.getByRole("link", { name: "All errors" }).click();
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  assert.equal(await violations(page), []);
  await page.context().addCookies(cookies);
  await page.goto("/-/profile");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.route("**/*", (route) => route.abort("connectionrefused"));
  await page.getByRole("link", { name: "All errors" }).click();
  await page.getByText("Faultline is not responding.").waitFor();
  assert.equal(await violations(page), []);
  await page.unroute("**/*");
});

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

test("axe finds nothing on the saved searches, also while one is saved or changed", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${project("error_tracking")}?q=has%3Auser`);
  await page.getByRole("button", { name: "Saved", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Saved searches" });
  for (const shared of [false, true]) {
    await dialog.getByRole("radio", { name: shared ? "Everyone in the project" : "Only me" }).check();
    await dialog.getByLabel("Name").fill("Hurt people");
    await page.keyboard.press("Enter");
    await dialog.getByText("Saved “Hurt people”.").waitFor();
  }
  assert.equal(await violations(page), []);
  await dialog.getByRole("button", { name: "Edit" }).first().click();
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

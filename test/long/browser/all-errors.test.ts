// quiet: it looks at pages while their calls are held, and with four of it at once a page took more than 10 s
// limit: 120 s
import { Backend, Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { fakeExternal, type FakeExternal } from "../../support/external/fake-external.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { linkedProject } from "../../support/core/linked-project.ts";
import { newPerson, personPassword } from "../../support/core/person.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { startServer, type Server } from "../../support/service/server.ts";
import { promised } from "../../support/run/deadlines.ts";
import { until } from "../../support/run/until.ts";

let external: FakeExternal;
let server: Server;
let client: GrpcClient;
let browser: TestBrowser;
let page: Page;
let userId = 0;
/** The projects that are read from the external system. */
let far = 0;
let desk = 0;

test.before(
  reported(async () => {
    const shop = { id: "11", slug: "shop", name: "Shop", organization: "acme", status: "active" };
    external = await fakeExternal({
      projects: [shop, { ...shop, id: "12", slug: "desk", name: "Desk" }],
      issues: [
        { project: "11", type: "FarError", value: "from far away", lastSeen: Date.now() - 90_000 },
        { project: "12", type: "DeskError", value: "at the desk", lastSeen: Date.now() - 1_800_000 },
      ],
    });
    server = await startServer({
      env: { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: `${external.port}` },
    });
    client = grpcClient(server);
    browser = await openBrowser(server);
    ({ page } = browser);
    const person = await newPerson(client);
    ({ userId } = person);
    await page.goto("/-/sign_in");
    await page.getByLabel("User name or e-mail").fill(person.username);
    await page.getByLabel("Password", { exact: true }).fill(personPassword);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Projects" }).waitFor();
  }),
);
test.after(async () => {
  client?.close();
  await browser?.close();
  await server?.stop();
  await external?.close();
});
test.after.each(() => {
  external.answerAsUsual();
  assert.equal(browser.complaints.splice(0), []);
  assert.equal(external.complaints.splice(0), []);
});

const join = (projectId: number, role: Role) => client.members.addMember({ projectId, userId, role }, client.auth);

/** A project that is stored here, with errors of these types, the newest first. */
async function stored(path: string, types: readonly string[], role: Role = Role.MAINTAINER) {
  const { project } = await client.projects.createProject({ path }, client.auth);
  const projectId = project?.projectId ?? 0;
  const active = { projectId, active: true, backend: Backend.INTEGRATED };
  const { settings } = await client.settings.updateSettings(active, client.auth);
  const key = /\/\/(\w+)@/.exec(settings?.dsn ?? "")?.[1] ?? "";
  for (const [n, type] of types.entries()) {
    const answer = await sendEvent(
      server,
      { id: projectId, key },
      {
        event_id: newEventId(),
        timestamp: Date.now() / 1000 - (n + 1) * 3600,
        exception: { values: [{ type, value: `of ${path}` }] },
      },
    );
    assert.is(answer.status, 200, answer.text);
  }
  await join(projectId, role);
}

/** Saves other settings, so that no earlier answer is remembered. */
const forget = (projectId: number) =>
  client.settings.updateSettings(
    { projectId, externalApiUrl: external.url, externalAuthToken: external.newToken() },
    client.auth,
  );
/** Opens the page with its scripts. Use it only if no project is late, because the page ends with the last answer. */
const open = (address = "/-/errors") => page.goto(address, { waitUntil: "networkidle" });
const titles = async (shown = page) =>
  (await shown.locator("a[data-error]").allTextContents()).map((text) => text.split(":")[0]);
const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });

test("a user who can read the errors of no project sees what it takes", async () => {
  await page.getByRole("link", { name: "All errors" }).first().click();
  await page.getByRole("heading", { level: 1, name: "All errors" }).waitFor();
  await page.getByText("You can't view errors in any of your projects.").waitFor();
  await browser.photograph("all-errors-none");
});

test("errors of stored and external projects are one list, and each row leads to its project and its error", async () => {
  await stored("acme/web", ["WebError", "WebTimeout"]);
  await open();
  await page.getByText("1 project.").waitFor();
  await stored("acme/api", ["ApiError"], Role.REPORTER);
  ({ projectId: far } = await linkedProject(client, external, { path: "partner/shop", external: "shop" }));
  await join(far, Role.MAINTAINER);
  await open();
  await page.getByText(/^3 projects\. As of \d\d:\d\d\./).waitFor();
  assert.equal(await titles(), ["FarError", "ApiError", "WebError", "WebTimeout"]);
  assert.is(await page.title(), "All errors · Faultline");
  await browser.photograph("all-errors");
  await row("FarError").getByRole("link", { name: "partner/shop" }).click();
  await page.waitForURL(/\/partner\/shop\/-\/error_tracking$/);
  await page.goBack();
  await page.getByRole("link", { name: /^ApiError/ }).click();
  await page.waitForURL(/\/acme\/api\/-\/error_tracking\/\d+\/details$/);
  await page.getByRole("link", { name: "‹ Errors" }).click();
  await page.waitForURL(/\/-\/errors$/);
});

test("counts are added up over the projects, and one search and one order hold for all", async () => {
  await open();
  await page
    .getByRole("link", { name: /^Unresolved/ })
    .filter({ hasText: "4" })
    .waitFor();
  await page.getByLabel("Search errors").fill("weberror");
  await page.waitForURL(/q=weberror/);
  await until("the found error", async () => (await titles()).join() === "WebError");
  await page.getByLabel("Search errors").fill("nowhere");
  await page.getByText("No unresolved errors match “nowhere”.").waitFor();
  await page.getByRole("link", { name: "Clear search" }).click();
  await row("FarError").waitFor();
  await page.getByLabel("Projects").fill("acme");
  await page.waitForURL(/project=acme/);
  await page.getByText("2 projects.").waitFor();
  await page.getByRole("group", { name: "Sort" }).getByRole("link", { name: "Events", exact: true }).click();
  await page.waitForURL(/sort=events.*project=acme|project=acme.*sort=events/);
  assert.is(await page.getByLabel("Projects").inputValue(), "acme");
  await page.getByLabel("Projects").fill("no such project");
  await page.getByText("No projects match “no such project”.").waitFor();
});

test("an error is resolved in the list and reopened by undo, where the role allows it", async () => {
  await open();
  await row("WebError")
    .getByRole("button", { name: /^Resolve/ })
    .click();
  await row("WebError").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await row("WebError").waitFor();
  const refused = row("ApiError").getByRole("button", { name: /^Resolve/ });
  assert.is(await refused.getAttribute("aria-disabled"), "true");
  // By keys, and in the external system.
  await page.getByRole("link", { name: /^FarError/ }).focus();
  await page.keyboard.press("r");
  await until("the resolution in the external system", () => external.data.issues[0]?.status === "resolved");
  await page.getByText(/^Resolved “FarError/).waitFor();
  assert.is(await row("FarError").count(), 0);
  await page.keyboard.press("z");
  await row("FarError").waitFor();
});

test("a slow project comes later, and takes neither the focus nor the place under a pointer", async () => {
  ({ projectId: desk } = await linkedProject(client, external, { path: "partner/desk", external: "desk" }));
  await join(desk, Role.REPORTER);
  await page.mouse.move(0, 0);
  let held = external.hold({ on: /desk/ });
  await page.goto("/-/errors", { waitUntil: "commit" });
  await page.getByText("3 of 4 projects loaded").waitFor();
  assert.equal(await titles(), ["FarError", "ApiError", "WebError", "WebTimeout"]);
  await page.getByRole("region", { name: "Not up to date" }).getByText("Has not responded yet.").waitFor();
  await browser.photograph("all-errors-waiting");
  held.release();
  await row("DeskError").waitFor();
  await page.getByText("4 projects.").waitFor();
  assert.is(await page.getByRole("region", { name: "Not up to date" }).count(), 0);

  await forget(desk);
  held = external.hold({ on: /desk/ });
  await page.goto("/-/errors", { waitUntil: "commit" });
  await page.getByText("3 of 4 projects loaded").waitFor();
  const first = page.getByRole("link", { name: /^FarError/ });
  await first.focus();
  held.release();
  const pill = page.getByRole("button", { name: "1 more · Show" });
  await pill.waitFor();
  assert.is(await row("DeskError").count(), 0);
  assert.ok(await first.evaluate((element) => element.matches(":focus")));
  await page.keyboard.press(".");
  await row("DeskError").waitFor();
  assert.ok(await first.evaluate((element) => element.matches(":focus")));
});

test("the home does not wait for a slow project, and its row later shows the answer in place", async () => {
  await forget(desk);
  const held = external.hold({ on: /desk/ });
  await page.goto("/-/projects", { waitUntil: "commit" });
  const late = row("partner/desk");
  await late.getByText("Has not responded yet.").waitFor();
  const names = () => page.locator("tbody tr td:first-child > a").allTextContents();
  const order = await names();
  held.release();
  await late.getByRole("link", { name: "1", exact: true }).first().waitFor();
  await late.getByText("Has not responded yet.").waitFor({ state: "detached" });
  assert.equal(await names(), order);
  await browser.photograph("home-external");
});

test("a list that is read again keeps the rows of a slow project until it answers", async () => {
  await forget(far);
  const shop = external.hold({ on: /projects\/acme\/shop/ });
  await page.goto("/-/errors", { waitUntil: "commit" });
  await row("DeskError").waitFor();
  await forget(desk);
  const held = external.hold({ on: /desk/ });
  await page.getByRole("link", { name: "Try again" }).click();
  await page.getByText("2 of 4 projects loaded").waitFor();
  assert.equal(await titles(), ["DeskError", "ApiError", "WebError", "WebTimeout"]);
  held.release();
  shop.release();
  await page.getByText("4 projects.").waitFor();
  await row("FarError").waitFor();
  assert.equal(await titles(), ["FarError", "DeskError", "ApiError", "WebError", "WebTimeout"]);
});

test("a resolved error does not come back while its project is slow", async () => {
  await forget(desk);
  const held = external.hold({ on: /desk/ });
  await page.goto("/-/errors", { waitUntil: "commit" });
  await row("FarError")
    .getByRole("button", { name: /^Resolve/ })
    .click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await forget(far);
  const shop = external.hold({ on: /projects\/acme\/shop/ });
  await page.getByRole("link", { name: "Try again" }).click();
  await page.getByText("2 of 4 projects loaded").waitFor();
  assert.equal(await titles(), ["ApiError", "WebError", "WebTimeout"]);
  shop.release();
  held.release();
  await page.getByText("4 projects.").waitFor();
  await row("DeskError").waitFor();
  assert.is(await row("FarError").count(), 0);
  await page.getByRole("button", { name: "Undo" }).click();
  await row("FarError").waitFor();
});

test("text typed while the list loads stays in the field", async () => {
  await open();
  await forget(desk);
  const held = external.hold({ on: /desk/ }); // so that each reading takes its time
  const field = page.getByLabel("Search errors");
  const first = page.waitForRequest(/q=web\b/);
  await field.pressSequentially("web");
  await first;
  await field.pressSequentially("error", { delay: 150 }); // without a pause, and longer than the reading takes
  await page.waitForURL(/q=weberror/, { waitUntil: "commit" });
  assert.is(await field.inputValue(), "weberror");
  assert.equal(await titles(), ["WebError"]);
  held.release();
});

test("leaving the page while it waits ends the calls to external systems", async () => {
  let began = 0;
  let ended = 0;
  await forget(desk);
  external.answerWith(
    (response) => {
      began += 1;
      response.once("close", () => (ended += 1));
    },
    { on: /desk/ },
  );
  await page.goto("/-/errors", { waitUntil: "commit" });
  await page.getByText("3 of 4 projects loaded").waitFor();
  assert.ok(began > 0);
  await page.goto("/-/projects");
  await until("the end of the calls", () => ended === began, { deadlineMs: promised(3_000) });
});

test("a project that fails says why in words, and leads people with the right to its settings", async () => {
  external.answerWith({ status: 500, body: "<b>trouble</b>" }, { on: /shop/ });
  external.answerWith({ status: 401, json: { detail: "no" } }, { on: /desk/ });
  // Earlier answers are remembered for some seconds, and shown where the system is down.
  await forget(far);
  await forget(desk);
  await open();
  await page.getByText("2 of 4 projects loaded, 2 failed.").waitFor();
  await page.getByRole("link", { name: "See what is missing" }).click();
  const missing = page.getByRole("region", { name: "Not up to date" });
  const shopItem = missing.getByRole("listitem").filter({ hasText: "partner/shop" });
  const deskItem = missing.getByRole("listitem").filter({ hasText: "partner/desk" });
  await shopItem.getByText("The external system cannot be reached now. Try again in a moment.").waitFor();
  await deskItem.getByText(/^The external system refused the auth token/).waitFor();
  assert.is(
    await shopItem.getByRole("link", { name: "Settings" }).getAttribute("href"),
    "/partner/shop/-/settings/monitor",
  );
  assert.is(await deskItem.getByRole("link", { name: "Settings" }).getAttribute("aria-disabled"), "true");
  assert.not.match(await page.content(), "trouble");
  assert.match((await page.getByRole("link", { name: /^Unresolved/ }).textContent()) ?? "", /at least/);
  await browser.photograph("all-errors-failing");
  external.answerAsUsual();
  await until("answers after asking again", async () => {
    await missing.getByRole("link", { name: "Try again" }).click();
    return page
      .getByText("4 projects.")
      .waitFor({ timeout: 500 })
      .then(
        () => true,
        () => false,
      );
  });
});

test("without scripts the page shows what has come, says what has not, and asks again by a link", async () => {
  const plain = await browser.pageWithoutScripts();
  await forget(far);
  const held = external.hold({ on: /shop/ });
  await plain.goto("/-/errors", { waitUntil: "commit" });
  await plain.getByText("3 of 4 projects loaded").waitFor();
  const missing = plain.getByRole("region", { name: "Not up to date" });
  await missing.getByText("Has not responded yet.").waitFor();
  assert.equal((await titles(plain))[0], "DeskError");
  held.release();
  await missing.getByRole("link", { name: "Try again" }).click();
  await plain.getByText("4 projects.").waitFor();
  assert.equal((await titles(plain))[0], "FarError");
  await plain.getByLabel("Projects").fill("partner");
  await plain.getByRole("button", { name: "Show" }).click();
  await plain.getByText("2 projects.").waitFor();
  await plain.getByLabel("Search errors").fill("desk");
  await plain.getByLabel("Search errors").press("Enter");
  await plain.waitForURL(/q=desk.*project=partner|project=partner.*q=desk/);
  assert.equal(await titles(plain), ["DeskError"]);
  await plain.context().close();
});

test("of more than 100 errors the first 100 are listed, and the page says so", async () => {
  await stored(
    "many/errors",
    Array.from({ length: 101 }, (_, n) => `Many${n}`),
  );
  await open("/-/errors?project=many");
  assert.is((await titles()).length, 100);
  await page.getByText("101 errors", { exact: true }).waitFor();
  await page.getByText("Only the first 100 errors are shown. Search or filter by project to see others.").waitFor();
  await open("/-/errors?project=many&q=Many7");
  assert.is((await titles()).length, 11);
  assert.is(await page.getByText("errors are shown. Search or filter").count(), 0);
});

test.run();

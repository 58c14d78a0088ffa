// limit: 300 s
// process: the pages of the console know one core in a process
import { execFile } from "node:child_process";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { NotificationLevel } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { notes } from "../../notes-plugin/notes.ts";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { http } from "../../support/http/http.ts";
import { rest } from "../../support/rest/rest.ts";
import { until } from "../../support/run/until.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { repositoryRoot, rootPassword } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import type { Faultline } from "../../../backend/src/serve.ts";

/** A plugin in `test/` brings panels and pages to a console that is built with its folder. */

const console = join(repositoryRoot, "console");
const build = "build-notes";
let faultline: Faultline;
let client: GrpcClient;
let browser: TestBrowser;
let page: Page;
let project: Project;
let tracking: string;
let error: string;

test.before(
  reported(async () => {
    await promisify(execFile)(process.execPath, [join(repositoryRoot, "node_modules/vite/bin/vite.js"), "build"], {
      cwd: console,
      env: {
        ...process.env,
        FAULTLINE_CONSOLE_PLUGINS: ["notes", "absent"]
          .map((name) => join(repositoryRoot, `test/${name}-plugin/console`))
          .join(delimiter),
        FAULTLINE_CONSOLE_BUILD: build,
      },
    });
    faultline = await startFaultline({ ...testConfig(tempDir()), logLevel: "silent" }, undefined, {
      plugins: [notes({ onNoted: () => undefined, onStart: () => undefined })],
      builtConsole: join(console, build),
    });
    const server = { url: faultline.httpUrl };
    client = grpcClient(faultline);
    project = await createProject(server);
    tracking = `/${project.path}/-/error_tracking`;
    await rest(server, `POST /projects/${project.id}/notes`, { body: { text: "look at the cache" } });
    error = await sendError("TypeError");
    await until("the plugin noted the new error", async () => {
      const { json } = await rest(server, `GET /projects/${project.id}/notes`);
      return (json as { texts: string[] }).texts.length === 2;
    });
    browser = await openBrowser(server);
    page = browser.page;
    const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
  client?.close();
  await faultline?.stop();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

/** The address of an error with one event. */
async function sendError(type: string, level = "error"): Promise<string> {
  const exception = { values: [{ type, value: "cart is null" }] };
  const event = { event_id: newEventId(), level, exception };
  const sent = await sendEvent({ url: faultline.httpUrl }, project, event);
  assert.is(sent.status, 200, sent.text);
  const { errors } = await client.errors.listErrors({ projectId: project.id, query: type }, client.auth);
  return `${tracking}/${errors[0]?.errorId}`;
}

test("its panel next to an event comes with the page, for people without scripts too, and becomes live with scripts", async () => {
  const bare = await browser.pageWithoutScripts();
  await bare.goto(`${error}/details`);
  const panel = (shown: Page) => shown.getByRole("region", { name: "Notes about" });
  assert.match(await panel(bare).innerText(), /root: look at the cache/);
  assert.is(await styleOf(bare), "italic");
  assert.is(await bare.getByText(/^The latest note about TypeError: cart is null: \w/).count(), 1);
  await page.goto(`${error}/details`);
  const listed = panel(page).getByRole("listitem");
  assert.is(await listed.count(), 2);
  await panel(page).getByRole("button", { name: "Only the latest" }).click();
  assert.is(await listed.count(), 1);
});

/** The style of a note, which the panel and the page have in their own styles. */
const styleOf = (shown: Page) => shown.evaluate<string>(`getComputedStyle(document.querySelector(".note")).fontStyle`);

const aside = () => page.getByRole("complementary", { name: "About the event" });

test("the panels of plugins have the order of their places", async () => {
  await page.goto(`${error}/details`);
  const headings = await aside().getByRole("heading", { level: 3 }).allInnerTexts();
  assert.equal(headings.slice(1, 4), ["Notes about TypeError: cart is null", "Your notifications", "Activity"]);
  await aside().getByText("This event is not fatal.").waitFor();
  assert.is(await aside().getByRole("alert").count(), 0);
});

test("a panel that fails because its load did leaves the rest of the page as it is", async () => {
  await page.goto(`${await sendError("OutOfMemory", "fatal")}/details`);
  assert.is(
    await aside().getByRole("alert").innerText(),
    "This panel could not be shown. Reload the page to try again.",
  );
  await aside().getByText("First seen").waitFor();
  await aside().getByRole("button", { name: "Only the latest" }).click();
  assert.match(browser.complaints.splice(0).join("\n"), "500"); // SvelteKit says so of a page with a part that failed
});

test("a page does not wait for a panel that never loads", async () => {
  await page.goto(`${await sendError("Slow", "warning")}/details`);
  await aside().getByText("First seen").waitFor();
  assert.is(await aside().getByRole("alert").count(), 1);
  assert.match(browser.complaints.splice(0).join("\n"), "500"); // as above
});

test("its page is in the navigation, below the entry that it names, and its form stores a note", async () => {
  await page.goto(tracking);
  const rail = page.getByRole("navigation", { name: "Main" });
  const entries = await rail.getByRole("link").allInnerTexts();
  assert.is(entries[entries.indexOf("Feedback") + 1], "Notes");
  assert.is(entries.filter((entry) => entry === "Notes").length, 2);
  await rail.getByRole("link", { name: "Notes" }).first().click();
  await page.getByRole("heading", { name: `Notes of ${project.path}` }).waitFor();
  assert.is(await rail.locator("[aria-current=page]").innerText(), "Notes");
  await page.getByLabel("Note", { exact: true }).fill("ask the shop");
  await page.getByRole("button", { name: "Add note" }).click();
  await page.getByText("Added “ask the shop”.").waitFor();
  await page.getByText("root: ask the shop").waitFor();
});

test("its pages are in the settings and in the tabs of an error, and its entry in the palette leads to the page", async () => {
  await page.goto(`/${project.path}/-/settings/notes`);
  await page.getByText("root: look at the cache").waitFor();
  await page.goto(`${error}/details`);
  await page.getByRole("navigation", { name: "Views of this error" }).getByRole("link", { name: "Notes" }).click();
  await page.getByRole("heading", { name: "Notes of TypeError" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Go to" }).fill("remember");
  await page.getByRole("option", { name: "Write a note" }).click();
  await page.getByRole("heading", { name: `Notes of ${project.path}` }).waitFor();
});

test("its notice is in the inbox with its words and text, and its kinds are in the form of a rule", async () => {
  const level = NotificationLevel.ALL;
  await client.notificationPreferences.updateNotificationLevel({ projectId: project.id, level }, client.auth);
  await sendError("Noticed");
  const entries = async () => (await client.inbox.listInboxEntries({}, client.auth)).entries;
  await until("the notice", async () => (await entries()).some(({ kind }) => kind === "note"));
  await page.goto("/-/inbox");
  const entry = page.getByRole("row").filter({ hasText: "New note" });
  assert.match(await entry.innerText(), /Noticed[^]*New note[^]*The service noted: created/);
  await entry.getByRole("link", { name: "Noticed" }).click();
  await page.getByRole("heading", { name: "Noticed", level: 1 }).waitFor();

  const fields = { url: "https://example.com/hook" };
  const hook = { projectId: project.id, kind: "webhook", name: "Hook", fields };
  await client.notificationChannels.createNotificationChannel(hook, client.auth);
  await page.goto(`/${project.path}/-/settings/notifications`);
  const form = page.getByRole("region", { name: "Add a rule" });
  await form.getByLabel("Name").fill("Notes only");
  for (const usual of ["New errors", "Errors that came back"]) await form.getByLabel(usual).uncheck();
  await form.getByLabel("Mentions", { exact: true }).check();
  await form.getByRole("button", { name: "Add rule" }).click();
  await page.getByText("The rule Notes only was added.").waitFor();
  const rule = page.getByRole("row").filter({ hasText: "Notes only" });
  assert.match(await rule.innerText(), /Mentions/);
});

test("without scripts its form stores a note too, and a name that no plugin has is not found", async () => {
  const bare = await browser.pageWithoutScripts();
  await bare.goto(`${tracking}/notes`);
  assert.is(await styleOf(bare), "italic");
  await bare.getByLabel("Note", { exact: true }).fill("without scripts");
  await bare.getByRole("button", { name: "Add note" }).click();
  await bare.getByText("root: without scripts").waitFor();
  const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
  const headers = { Cookie: `faultline_session=${sessionToken}` };
  assert.is((await http(`${faultline.httpUrl}/${project.path}/-/settings/none`, { headers })).status, 404);
});

test("a plugin that is built into the console and does not run has no panel, no entry, no tab and no page", async () => {
  await page.goto(`${error}/details`);
  await aside().getByText("First seen").waitFor();
  assert.is(await page.getByText("The plugin does not run.").count(), 0);
  assert.is(await page.getByRole("link", { name: "Absent" }).count(), 0);
  const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
  const headers = { Cookie: `faultline_session=${sessionToken}` };
  assert.is((await http(`${faultline.httpUrl}${tracking}/absent`, { headers })).status, 404);
});

test.run();

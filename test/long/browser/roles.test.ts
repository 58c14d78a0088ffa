// limit: 240 s
import { Backend, ErrorStatus, Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { http } from "../../support/http/http.ts";
import { reported } from "../../support/run/reported.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { startServer, type Server } from "../../support/service/server.ts";
import { stretched } from "../../support/run/deadlines.ts";
import { until } from "../../support/run/until.ts";

/** The pages of one project as a Guest, a Reporter, a Developer and a Maintainer, and with Monitor off. */

const path = "acme/web";
const people = {
  guest: { name: "Gus", role: Role.GUEST },
  reporter: { name: "Rita", role: Role.REPORTER },
  developer: { name: "Dev", role: Role.DEVELOPER },
  maintainer: { name: "Mia", role: Role.MAINTAINER },
  owner: { name: "Olga", role: Role.OWNER },
};
type Who = keyof typeof people;
const password = "a long enough passphrase";
const askOwners = "Ask an owner: Olga, Administrator.";

let server: Server;
let client: GrpcClient;
let browser: TestBrowser;
let projectId: number;
let details: string;
const pages = new Map<Who, Page>();
function pageOf(who: Who): Page {
  const page = pages.get(who);
  if (!page) throw new Error(`${who} has no page`);
  return page;
}

test.before(
  reported(async () => {
    server = await startServer();
    client = grpcClient(server);
    browser = await openBrowser(server);
    const { project } = await client.projects.createProject({ path, name: "Web shop" }, client.auth);
    projectId = project?.projectId ?? 0;
    await client.settings.updateSettings({ projectId, active: true, backend: Backend.INTEGRATED }, client.auth);
    await report(await newestKey());
    details = await until("the first error", async () => {
      const { errors } = await client.errors.listErrors({ projectId }, client.auth);
      return errors[0] && `${errors[0].errorId}/details`;
    });
    for (const who of Object.keys(people) as Who[]) pages.set(who, await signedInPage(who));
  }),
);
test.after(async () => {
  await browser?.close();
  client?.close();
  await server?.stop();
});
test.after.each(
  reported(async () => {
    assert.equal(browser.complaints.splice(0), []);
  }),
);

/** Makes the member and opens a browser that is signed in as them. */
async function signedInPage(who: Who): Promise<Page> {
  const { name, role } = people[who];
  const { user } = await client.users.createUser({ username: who, name, password }, client.auth);
  await client.members.addMember({ projectId, userId: user?.userId ?? 0, role }, client.auth);
  const page = await browser.anotherPage();
  const value = await sessionOf(who);
  await page.context().addCookies([{ name: "faultline_session", value, url: server.url }]);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
  return page;
}

async function sessionOf(username: Who): Promise<string> {
  return (await client.accounts.signIn({ username, password })).sessionToken;
}

async function keys() {
  return (await client.clientKeys.listClientKeys({ projectId }, client.auth)).clientKeys;
}
const newestKey = async () => (await keys()).at(-1)?.publicKey ?? "";

async function report(key: string): Promise<void> {
  const event = { event_id: newEventId(), exception: { values: [{ type: "PaymentError", value: "card refused" }] } };
  assert.is((await sendStore(server, { id: projectId, key }, event)).status, 200);
}

const tracking = (part = "") => `/${path}/-/error_tracking${part && `/${part}`}`;
const settings = (which: "monitor" | "general") => `/${path}/-/settings/${which}`;
const errorPages = () => ["", details, details.replace("details", "events"), "releases", "ingestion", "get_started"];

const isReportOf = (status: number) => (complaint: string) => complaint.includes(`status of ${status}`);

/** The browser reports the status of what is refused; that is no fault, all else is. */
async function forgive(status: number): Promise<void> {
  await until("the browser's report", () => browser.complaints.some(isReportOf(status))); // it comes by itself, sometimes late
  forgiveAny(status);
}

function forgiveAny(status: number): void {
  assert.equal(
    browser.complaints.splice(0).filter((one) => !isReportOf(status)(one)),
    [],
  );
}

/** Opens a page that is refused. */
async function openRefused(page: Page, address: string, status: 403 | 404): Promise<void> {
  const answer = await page.goto(address);
  assert.is(answer?.status(), status, address);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await forgive(status);
}

async function open(page: Page, address: string): Promise<void> {
  const answer = await page.goto(address);
  assert.is(answer?.status(), 200, address);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

const heading = (page: Page) => page.getByRole("heading", { level: 1 }).textContent();

/** Asserts that a control is off, keeps the focus, and shows the reason next to it and to screen readers. */
async function assertOff(page: Page, role: "button" | "link", name: string | RegExp, reason: string): Promise<void> {
  const control = page.getByRole(role, { name }).first();
  await control.waitFor();
  assert.is(await control.getAttribute("aria-disabled"), "true", `${name}`);
  await until("its reason", async () => (await control.getAttribute("aria-description")) === reason); // with the script
  await control.focus();
  await page.locator(".tooltip", { hasText: reason }).waitFor();
  await control.blur();
}

const needsReporter = `You need at least the Reporter role in ${path} to read errors.`;
const needsDeveloper = `You need at least the Developer role in ${path} to change the status of errors.`;
const needsMaintainer = `You need at least the Maintainer role in ${path} to change these settings.`;
const needsOwner = `You need at least the Owner role in ${path} to delete the project.`;

test("a Guest may open no page of Error Tracking, and sees whom to ask", async () => {
  const page = pageOf("guest");
  for (const part of errorPages()) {
    await openRefused(page, tracking(part), 403);
    assert.is(await heading(page), needsReporter, part);
    await page.getByText(askOwners).waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Members" }).waitFor();
  }
  await browser.photograph("roles-guest-errors", page);
});

for (const who of ["guest", "reporter", "developer"] as const)
  test(`a ${who} may not open the settings, and sees whom to ask`, async () => {
    const page = pageOf(who);
    for (const which of ["monitor", "general"] as const) {
      await openRefused(page, settings(which), 403);
      assert.is(await heading(page), needsMaintainer);
      await page.getByText(askOwners).waitFor();
    }
    await browser.photograph("roles-settings-forbidden", page);
  });

for (const who of ["reporter", "developer", "maintainer"] as const)
  test(`a ${who} may read every page of Error Tracking`, async () => {
    for (const part of errorPages()) await open(pageOf(who), tracking(part));
  });

test("a Reporter sees that the status of errors cannot be changed, and why, in the list", async () => {
  const page = pageOf("reporter");
  await open(page, tracking());
  const row = page.getByRole("row", { name: /PaymentError/ });
  await row.hover();
  for (const name of [/^Resolve PaymentError/, /^Ignore PaymentError/]) {
    await assertOff(page, "button", name, needsDeveloper);
  }
  await row.getByRole("checkbox").check();
  for (const name of [/^Resolve/, /^Ignore/, /^Reopen/]) {
    await assertOff(page, "button", name, needsDeveloper);
  }
  await browser.photograph("roles-reporter-selected", page);
  await page.getByRole("link", { name: /PaymentError/ }).focus();
  for (const key of ["r", "i", "u"]) {
    await page.keyboard.press(key);
    await page.getByRole("status").filter({ hasText: needsDeveloper }).waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("link", { name: /PaymentError/ }).focus();
  }
  await assertOff(
    page,
    "link",
    "Settings",
    neededFor("delete errors, or to see or change error-tracking settings and client keys"),
  );
  assert.is(await statusOfTheError(), ErrorStatus.UNRESOLVED);
});

const neededFor = (what: string) => `You need at least the Maintainer role in ${path} to ${what}.`;

async function statusOfTheError() {
  const [errorId = ""] = details.split("/");
  return (await client.errors.getError({ projectId, errorId }, client.auth)).error?.status;
}

test("a Reporter sees the same on the page of an error, by mouse and by key", async () => {
  const page = pageOf("reporter");
  await open(page, tracking(details));
  for (const name of [/^Resolve/, /^Ignore/]) await assertOff(page, "button", name, needsDeveloper);
  await page.keyboard.press("r");
  await page.getByRole("status").filter({ hasText: needsDeveloper }).waitFor();
  await browser.photograph("roles-reporter-details", page);
  assert.is(await statusOfTheError(), ErrorStatus.UNRESOLVED);
});

test("a Developer resolves and reopens an error", async () => {
  const page = pageOf("developer");
  await open(page, tracking(details));
  await page.getByRole("button", { name: /^Resolve/ }).click();
  await until("the error is resolved", async () => (await statusOfTheError()) === ErrorStatus.RESOLVED);
  await page.getByRole("button", { name: /^Reopen/ }).click();
  await until("the error is open again", async () => (await statusOfTheError()) === ErrorStatus.UNRESOLVED);
});

test("a Developer gets snippets with a placeholder, since the DSN is a secret of maintainers", async () => {
  const page = pageOf("developer");
  await open(page, tracking("get_started"));
  await page.getByText("A maintainer can give you the DSN.").waitFor();
  assert.is(await page.getByTestId("dsn").textContent(), `https://<key>@<host>/${projectId}`);
  assert.ok(!(await page.content()).includes(await newestKey()));
  await browser.photograph("roles-developer-get-started", page);
});

test("a Maintainer opens the settings but may not delete the project", async () => {
  const page = pageOf("maintainer");
  for (const which of ["monitor", "general"] as const) await open(page, settings(which));
  await assertOff(page, "link", "Delete project", needsOwner);
  await page.getByText(`${needsOwner} ${askOwners}`).waitFor();
  await browser.photograph("roles-maintainer-general", page);
});

test("the projects show the role one has in each", async () => {
  const page = pageOf("reporter");
  await open(page, "/-/projects");
  await page
    .getByRole("row", { name: /Web shop/ })
    .getByText("Reporter")
    .waitFor();
  await browser.photograph("roles-projects", page);
});

test("the page of the settings holds no client key; Copy fetches it", async () => {
  const page = pageOf("maintainer");
  const [key] = await keys();
  const held = await http(server.url + settings("monitor"), {
    headers: { Cookie: `faultline_session=${await sessionOf("maintainer")}` },
  });
  assert.is(held.status, 200);
  assert.match(held.text, (key?.publicKey ?? "").slice(0, "flck_".length + 4) + "…");
  assert.ok(!held.text.includes(key?.publicKey ?? ""), "the whole key is in the page");
  await open(page, settings("monitor"));
  const table = page.getByRole("table", { name: /Client keys/ });
  await table.getByRole("button", { name: /^Copy DSN/ }).click();
  await table.getByText("Copied").waitFor();
  assert.is(await page.evaluate<string>("navigator.clipboard.readText()"), key?.dsn);
  await table.getByRole("button", { name: /^Copy legacy DSN/ }).click();
  await table.getByText("Copied").nth(1).waitFor();
  assert.is(await page.evaluate<string>("navigator.clipboard.readText()"), key?.legacyDsn);
  await browser.photograph("client-keys", page);
});

test("a key is replaced in four steps, without a gap", async () => {
  const page = pageOf("maintainer");
  const [old] = await keys();
  await open(page, settings("monitor"));
  await page.getByRole("link", { name: `Replace key ${old?.keyId}` }).click();
  const helper = page.getByRole("region", { name: `Replace key ${old?.keyId}` });
  await helper.getByText(`Key ${old?.keyId} is still in use.`).waitFor();
  await helper.getByText("Create the new key first").waitFor();
  await browser.photograph("key-rotation-start", page);

  await helper.getByRole("button", { name: "Create a new key" }).click();
  const created = await until("a second key", async () => (await keys())[1]);
  await helper.getByText(`Key ${created.keyId} has not sent an event yet.`).waitFor();
  assert.is(await helper.getByTestId(`last-event-${created.keyId}`).textContent(), "never");

  await helper.getByRole("button", { name: /^Copy DSN/ }).click();
  await helper.getByText("Copied").waitFor();
  const copied = new URL(await page.evaluate<string>("navigator.clipboard.readText()"));
  assert.is(copied.username, created.publicKey);

  await report(old?.publicKey ?? ""); // both work meanwhile
  await report(copied.username);
  await helper.getByText(`Key ${created.keyId} sends events.`).waitFor({ timeout: stretched(15_000) }); // read again each 10 s
  await helper.getByTestId(`last-event-${created.keyId}`).getByText("just now").waitFor();
  await browser.photograph("key-rotation-both", page);

  await helper.getByLabel(`Type the key ID ${old?.keyId} to continue`).fill("1000000");
  await helper.getByRole("button", { name: `Delete key ${old?.keyId}` }).click();
  await helper.getByText(`Type ${old?.keyId} to delete this key.`).waitFor();
  await forgive(400);
  assert.is((await keys()).length, 2);
  await helper.getByLabel(`Type the key ID ${old?.keyId} to continue`).fill(`${old?.keyId}`);
  await helper.getByRole("button", { name: `Delete key ${old?.keyId}` }).click();
  await helper.getByText(`Key ${old?.keyId} was replaced by key ${created.keyId}.`).waitFor();
  await browser.photograph("key-rotation-done", page);
  assert.equal(
    (await keys()).map(({ keyId }) => keyId),
    [created.keyId],
  );
  await report(copied.username);
  const refused = await sendStore(server, { id: projectId, key: old?.publicKey ?? "" }, { event_id: newEventId() });
  assert.ok(refused.status >= 400, "the old key is refused");
});

const failed = "Connection failed. Check auth token and try again";

test("Connect says that it failed, and below it why; another address clears it", async () => {
  const page = pageOf("maintainer");
  await open(page, settings("monitor"));
  await page.getByRole("radio", { name: "External" }).check();
  await page.getByText("After adding your auth token, select Connect to load projects.").waitFor();
  await connect(page, "http://127.0.0.1:9", "some-token");
  await page.getByText(failed, { exact: true }).waitFor();
  await page.getByText("Connections to this address are blocked").waitFor();
  await forgive(409);
  await browser.photograph("connect-failed", page);
  await page.getByLabel("External API URL").fill("https://other.example");
  await page.getByText("After adding your auth token, select Connect to load projects.").waitFor();
  assert.is(await page.getByLabel("Project", { exact: true }).getAttribute("aria-disabled"), "true");
  assert.not.match(page.url(), "some-token");
});

async function connect(page: Page, url: string, token: string): Promise<void> {
  await page.getByLabel("External API URL").fill(url);
  await page.getByLabel("Auth Token").fill(token);
  const asked = page.waitForRequest((request) => request.url().includes("listExternalProjects"));
  await page.getByRole("button", { name: "Connect" }).click();
  assert.not.match((await asked).url(), token);
}

test("a key that never sent an event is deleted without typing, and 50 keys are the most", async () => {
  const page = pageOf("maintainer");
  while ((await keys()).length < 50) {
    const { status } = await rest(server, `POST /projects/${projectId}/error_tracking/client_keys`);
    assert.is(status, 201);
    if ((await client.clientKeys.listClientKeys({ projectId, pageSize: 1 }, client.auth)).totalSize >= 50) break;
  }
  await open(page, settings("monitor"));
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("alert").getByText("A project has at most 50 client keys.").waitFor();
  await forgive(409);
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId, pageSize: 100 }, client.auth);
  const last = clientKeys.at(-1)?.keyId;
  await page.getByRole("link", { name: `Delete key ${last}` }).click();
  await page.getByText(`Key ${last} has never sent an event.`).waitFor();
  await page.getByRole("button", { name: `Delete key ${last}` }).click();
  await page.getByText(`Key ${last} was deleted.`).waitFor();
  assert.is((await client.clientKeys.listClientKeys({ projectId }, client.auth)).totalSize, 49);
});

test("a Maintainer turns Monitor off; the pages of Error Tracking are 404 and say how to turn it on", async () => {
  const page = pageOf("maintainer");
  await open(page, settings("general"));
  await page.getByRole("checkbox", { name: "Monitor" }).uncheck();
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("Saved.").waitFor();
  for (const part of errorPages()) {
    await openRefused(page, tracking(part), 404);
    assert.is(await heading(page), "Monitor is turned off for this project.", part);
    await page.getByText("Turn it on in Settings > General").waitFor();
    await page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: "Error Tracking", exact: true })
      .waitFor();
  }
  await browser.photograph("monitor-off-maintainer", page);
  await page.getByRole("main").getByRole("link", { name: "Settings > General" }).click();
  await page.getByRole("heading", { level: 1, name: "General settings" }).waitFor();
});

test("with Monitor off a Reporter reads that a maintainer can turn it on", async () => {
  const page = pageOf("reporter");
  for (const part of errorPages()) {
    await openRefused(page, tracking(part), 404);
    await page.getByText("A maintainer can turn it on in Settings > General.").waitFor();
    assert.is(await page.getByRole("main").getByRole("link", { name: "Settings > General" }).count(), 0);
  }
  await browser.photograph("monitor-off-reporter", page);
});

test("with Monitor off a link within the console leads to the same 404, and back", async () => {
  const page = pageOf("maintainer");
  await open(page, settings("general"));
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Error Tracking", exact: true })
    .click();
  await page.getByRole("heading", { level: 1, name: "Monitor is turned off for this project." }).waitFor();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "General" }).click();
  await page.getByRole("heading", { level: 1, name: "General settings" }).waitFor();
  forgiveAny(404); // a click before the page's scripts run loads the whole page
});

test("with Monitor off the settings and the client keys by REST still work, and Connect says what is wrong", async () => {
  const page = pageOf("maintainer");
  await open(page, settings("monitor"));
  await page.getByText("Monitor is turned off for this project. Turn it on in").waitFor();
  await page.getByRole("radio", { name: "External" }).check();
  await connect(page, "https://errors.example", "some-token");
  await page.getByText(failed, { exact: true }).waitFor();
  await page
    .getByText("Monitor is turned off for this project. Turn it on in Settings > General, then connect again.")
    .waitFor();
  await forgive(404);
  await browser.photograph("connect-monitor-off", page);
  const { status } = await rest(server, `GET /projects/${projectId}/error_tracking/client_keys`);
  assert.is(status, 200);
  const lookup = await page.evaluate<[number, string]>(
    `fetch("${tracking("projects.json")}?api_host=https://errors.example&token=t").then(async (answer) => [answer.status, await answer.text()])`,
  );
  assert.equal(lookup, [404, ""]);
  await forgive(404);
});

test("an Owner deletes the project by typing its path", async () => {
  const page = pageOf("owner");
  await open(page, settings("general"));
  await page.getByRole("link", { name: "Delete project" }).click();
  await page.getByLabel(`Type the path ${path} to continue`).fill("acme/other");
  await page.getByRole("button", { name: `Delete ${path}` }).click();
  await page.getByText("This is not the path of the project.").waitFor();
  await forgive(400);
  await browser.photograph("delete-project", page);
  await page.getByLabel(`Type the path ${path} to continue`).fill(path);
  await page.getByRole("button", { name: `Delete ${path}` }).click();
  await page.getByText("You don't belong to any projects yet.").waitFor();
  await browser.photograph("projects-none", page);
  await openRefused(page, tracking(), 404);
  assert.is(await heading(page), "Page not found.");
});

test.run();

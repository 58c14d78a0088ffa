import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { newMember, personPassword, type Person } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { rootPassword, startServer, type Server } from "../../support/service/server.ts";
import { until } from "../../support/run/until.ts";

let server: Server;
let browser: TestBrowser;
/** Active with the integrated backend and two keys, made while the installation was hosted. */
let leftOver: Project;
let developer: Person;

test.before(
  reported(async () => {
    const hosted = await startServer();
    leftOver = await createProject(hosted);
    await hosted.stop();
    server = await startServer({
      dataDir: hosted.dataDir,
      env: {
        FAULTLINE_OFFERING: "self_managed",
        FAULTLINE_PROJECT_CREATION: "administrators",
        FAULTLINE_INVITATIONS: "administrators",
      },
    });
    browser = await openBrowser(server);
    const client = grpcClient(server);
    developer = await newMember(client, leftOver.id, Role.DEVELOPER);
    await client.projects.createProject({ path: "acme/web" }, client.auth);
    const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
    await browser.signIn(sessionToken);
    client.close();
  }),
);
test.after(async () => {
  await browser?.close();
  await server?.stop();
});
test.after.each(
  reported(async () => {
    assert.equal(browser.complaints.splice(0), []);
  }),
);

test("if the integrated backend is not offered, it is shown, says why, and cannot be chosen", async () => {
  const { page } = browser;
  const plain = await browser.pageWithoutScripts();
  await plain.goto("/acme/web/-/settings/monitor");
  assert.is(await plain.getByRole("radio", { name: "Integrated" }).getAttribute("disabled"), "");
  await plain.context().close();

  await page.goto("/acme/web/-/settings/monitor");
  const integrated = page.getByRole("radio", { name: "Integrated" });
  const external = page.getByRole("radio", { name: "External" });
  await page.getByText("The integrated backend is offered on the hosted offering only.").waitFor();
  assert.is(await integrated.getAttribute("aria-disabled"), "true");
  assert.is(await integrated.getAttribute("aria-describedby"), "integrated-hint");
  const isReachable = async () => (await integrated.getAttribute("disabled")) === null;
  await until("the keyboard reaches the choice, which is explained there", isReachable);
  await integrated.click({ force: true }); // a person may try
  assert.ok(await external.isChecked());
  await external.focus();
  await page.keyboard.press("ArrowUp");
  assert.ok(await external.isChecked());
  await page.getByLabel("External API URL").waitFor();
  await browser.photograph("settings-integrated-not-offered");
});

const noEvents =
  "The integrated backend is offered on the hosted offering only, so this installation accepts no events and shows no DSN.";

test("a project of another offering shows no DSN in its settings, says why, and its keys can be deleted", async () => {
  const { page } = browser;
  await page.goto(`/${leftOver.path}/-/settings/monitor`);
  assert.ok(await page.getByRole("radio", { name: "Integrated" }).isChecked());
  await page.locator(".notice", { hasText: noEvents }).waitFor();
  const keys = page.getByRole("region", { name: "Client keys" });
  await keys.getByText(noEvents).waitFor();
  assert.is(await keys.getByRole("button", { name: "Create key" }).getAttribute("aria-disabled"), "true");
  assert.is(await page.getByRole("button", { name: /Copy/ }).count(), 0);
  assert.not.match(await page.content(), /http:\/\/[0-9a-f]+…?@|data-testid="dsn"/);
  await browser.photograph("settings-of-another-offering");

  await keys.getByRole("link", { name: `Delete key ${leftOver.keyId}` }).click();
  await keys.getByRole("button", { name: `Delete key ${leftOver.keyId}` }).click();
  await keys.getByText(`Key ${leftOver.keyId} was deleted`).waitFor();
  assert.is(await keys.locator("tbody tr").count(), 1);
});

test("a project of another offering is not saved as active, and is turned off with its backend kept", async () => {
  const { page } = browser;
  const save = () => page.getByRole("button", { name: "Save changes" }).click();
  await page.goto(`/${leftOver.path}/-/settings/monitor`);
  await save();
  await page.getByRole("alert").getByText("Choose the external backend.").waitFor();
  browser.complaints.length = 0; // the browser reports the refusal's status
  const active = page.getByRole("checkbox", { name: "Active" });
  await active.uncheck();
  await save();
  await page.getByRole("status").getByText("Saved.").waitFor();
  await page.reload();
  assert.not.ok(await active.isChecked());
  assert.ok(await page.getByRole("radio", { name: "Integrated" }).isChecked());

  const plain = await browser.pageWithoutScripts();
  await plain.goto(`/${leftOver.path}/-/settings/monitor`);
  await plain.getByRole("button", { name: "Save changes" }).click();
  await plain.getByRole("status").getByText("Saved.").waitFor();
  await plain.context().close();
});

test("the first steps of a project of another offering say why there is no DSN, to every role", async () => {
  const address = `/${leftOver.path}/-/error_tracking/get_started`;
  await browser.page.goto(address);
  await browser.page.getByText(noEvents).waitFor();
  assert.not.match(await browser.page.content(), leftOver.key);
  await browser.photograph("first-steps-of-another-offering");

  const client = grpcClient(server);
  const { sessionToken } = await client.accounts.signIn({ username: developer.username, password: personPassword });
  client.close();
  const page = await browser.anotherPage();
  await page.context().addCookies([{ name: "faultline_session", value: sessionToken, url: server.url }]);
  await page.goto(address);
  await page.getByText("The integrated backend is offered on the hosted offering only.").waitFor();
  assert.is(await page.getByTestId("dsn").count(), 0);
  await page.context().close();
});

test("if only administrators create projects and invite, the pages of others say so and their forms are off", async () => {
  const client = grpcClient(server);
  const owner = await newMember(client, leftOver.id, Role.OWNER);
  const { sessionToken } = await client.accounts.signIn({ username: owner.username, password: personPassword });
  const key = { case: "projectId", value: leftOver.id } as const;
  const { path = "" } = (await client.projects.getProject({ key }, client.auth)).project ?? {};
  client.close();
  const page = await browser.anotherPage();
  await page.context().addCookies([{ name: "faultline_session", value: sessionToken, url: server.url }]);

  await page.goto("/-/projects");
  await page.getByText("Only administrators can create projects in this installation.").waitFor();
  assert.ok(await page.getByRole("button", { name: "Create project" }).isDisabled());
  assert.ok(await page.getByLabel("Name").isDisabled());
  await browser.photograph("projects-made-by-administrators", page);
  await page.goto(`/${path}/-/project_members`);
  await page.getByText("Only administrators can invite people by link in this installation.").waitFor();
  assert.ok(await page.getByRole("button", { name: "Create invitation link" }).isDisabled());
  assert.ok(await page.getByRole("button", { name: "Add member" }).isEnabled());
  await browser.photograph("members-invited-by-administrators", page);
  await page.close();

  await browser.page.goto("/-/projects");
  assert.ok(await browser.page.getByRole("button", { name: "Create project" }).isEnabled());
  await browser.page.goto("/acme/web/-/project_members");
  assert.ok(await browser.page.getByRole("button", { name: "Create invitation link" }).isEnabled());
});

test("failures of the installation are not reported to a project that takes no events", async () => {
  const { page } = browser;
  await page.goto("/admin/error_reporting");
  const project = page.getByRole("radio", { name: /Use a project of this installation/ });
  assert.ok(await project.isDisabled());
  await page.getByText("The integrated backend is offered on the hosted offering only.").waitFor();
  await browser.photograph("own-errors-of-another-offering");
});

test("an administrator reaches every link of the menu on a small screen", async () => {
  const { page } = browser;
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto("/acme/web/-/settings/general");
  await page.locator("summary", { hasText: "Menu" }).click();
  await page.locator("header summary", { hasText: "Administration" }).click();
  const last = page.getByRole("navigation").getByRole("link", { name: "Deprecations" });
  await last.scrollIntoViewIfNeeded();
  const box = await last.boundingBox();
  assert.ok(box !== null && box.y + box.height <= 640, "the last link is within the screen");
  await last.click();
  await page.waitForURL(/\/-\/deprecations$/);
  await browser.photograph("administration-menu");
});

test.run();

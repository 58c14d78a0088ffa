import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/browser.ts";
import { grpcClient } from "../support/grpc.ts";
import { reported } from "../support/reported.ts";
import { rootPassword, startServer, type Server } from "../support/server.ts";
import { until } from "../support/until.ts";

let server: Server;
let browser: TestBrowser;

test.before(
  reported(async () => {
    server = await startServer({ env: { FAULTLINE_OFFERING: "self_managed" } });
    browser = await openBrowser(server);
    const client = grpcClient(server);
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

test("where the integrated backend is not offered, it is shown, says why, and cannot be chosen", async () => {
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

test("an administrator reaches every link of the menu on a small screen", async () => {
  const { page } = browser;
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto("/acme/web/-/settings/general");
  await page.locator("summary", { hasText: "Menu" }).click();
  const last = page.getByRole("navigation").getByRole("link", { name: "Error reporting" });
  await last.scrollIntoViewIfNeeded();
  const box = await last.boundingBox();
  assert.ok(box !== null && box.y + box.height <= 640, "the last link is within the screen");
  await last.click();
  await page.waitForURL(/\/admin\/error_reporting$/);
  await browser.photograph("administration-menu");
});

test.run();

import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rootPassword, startServer, type Server } from "../../support/service/server.ts";
import { storedErrors } from "../../support/database/stored.ts";
import { until } from "../../support/run/until.ts";

let server: Server;
let core: GrpcClient;
let browser: TestBrowser;
let page: Page;
let project: Project;
let address: string;

test.before(
  reported(async () => {
    server = await startServer({ env: { FAULTLINE_RATE_LIMIT_PROJECT: "600" } });
    core = grpcClient(server);
    project = await createProject(server);
    address = `/${project.path}/-/settings/monitor/inbound_filters`;
    const { sessionToken } = await core.accounts.signIn({ username: "root", password: rootPassword });
    browser = await openBrowser(server);
    ({ page } = browser);
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
  core?.close();
  await server?.stop();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

const send = (message: string) => sendEvent(server, project, { event_id: newEventId(), message });
const list = (name: string) => page.getByRole("textbox", { name });
const save = () => page.getByRole("button", { name: "Save changes" }).click();
const filters = async () => (await core.filters.getFilters({ projectId: project.id }, core.auth)).filters;

test("the settings of a project lead to its filters, of which spike protection alone is on", async () => {
  await page.goto(`/${project.path}/-/settings/monitor`);
  await page.getByRole("link", { name: "Edit filters" }).click();
  await page.getByRole("heading", { name: "Inbound filters", level: 1 }).waitFor();
  const isChecked = (name: string) => page.getByRole("checkbox", { name }).isChecked();
  assert.equal(await Promise.all(["Web crawlers", "Localhost", "Spike protection"].map(isChecked)), [
    false,
    false,
    true,
  ]);
  await page.getByText("360,000 of 360,000 events left").waitFor();
});

test("saved filters stop events, are shown as stored, and are counted here and on the Ingestion page", async () => {
  await page.goto(address);
  await list("Messages").fill("  *unwanted*\n\n*unwanted*\n*also this*");
  await page.getByRole("checkbox", { name: "Localhost" }).check();
  await page.getByText("Unsaved changes").waitFor();
  await save();
  await page.getByText("Saved. Changes take effect within a second.").waitFor();
  assert.is(await list("Messages").inputValue(), "*unwanted*\n*also this*");
  assert.equal([(await filters())?.messages, (await filters())?.localhost], [["*unwanted*", "*also this*"], true]);

  for (const message of ["an unwanted one", "unwanted", "wanted"]) assert.is((await send(message)).status, 200);
  assert.equal(
    (await storedErrors(core, project.id)).map(({ title }) => title),
    ["wanted"],
  );
  await page.reload();
  await page.getByText("2 events filtered in the last 24 hours").waitFor();
  await browser.photograph("inbound-filters");

  await page.goto(`/${project.path}/-/error_tracking/ingestion`);
  const row = page.getByRole("region", { name: "Filtered" }).getByRole("row", { name: "Message is filtered" });
  assert.match((await row.textContent()) ?? "", /Errors.*2/s);
  await browser.photograph("ingestion-filtered");
  await row.getByRole("link", { name: "Inbound filters: Messages" }).click();
  await page.waitForURL(`**${address}#messages`);
});

test("a bad entry is refused at its list, which gets the focus, and nothing typed is lost", async () => {
  await page.goto(address);
  const before = await filters();
  await list("Addresses").fill("203.0.113.7\neverybody");
  await list("Releases").fill("web@1.*");
  await save();
  await page.getByText('"everybody" is neither an IP address nor a network.').waitFor();
  assert.is(await page.evaluate<string>("document.activeElement.id"), "addresses");
  assert.equal(
    [await list("Addresses").inputValue(), await list("Releases").inputValue()],
    ["203.0.113.7\neverybody", "web@1.*"],
  );
  assert.equal(await filters(), before);
  browser.complaints.length = 0; // the browser reports the refusal's status
  await browser.photograph("inbound-filters-refused");
  await list("Addresses").fill("203.0.113.7");
  await save();
  await page.getByText("Saved. Changes take effect within a second.").waitFor();
  assert.equal((await filters())?.addresses, ["203.0.113.7"]);
});

test("a save over someone else's change is refused in words, and the page shows what they saved", async () => {
  await page.goto(address);
  await core.filters.updateFilters({ projectId: project.id, types: { entries: ["AbortError"] } }, core.auth);
  await list("Environments").fill("test-*");
  await save();
  await page.getByText("Someone else changed these settings.").waitFor();
  assert.equal((await filters())?.environments, []);
  await until("the page shows it", async () => (await list("Exception types").inputValue()) === "AbortError");
  await list("Environments").fill("test-*");
  await save();
  await page.getByText("Saved. Changes take effect within a second.").waitFor();
  assert.equal([(await filters())?.environments, (await filters())?.types], [["test-*"], ["AbortError"]]);
  browser.complaints.length = 0; // as above
});

test("without scripts filters are saved all the same, and a refused save keeps what was typed", async () => {
  const plain = await browser.pageWithoutScripts();
  await plain.goto(address);
  await plain.getByRole("textbox", { name: "Exception types" }).fill("*");
  await plain.getByRole("checkbox", { name: "Web crawlers" }).check();
  await plain.getByRole("button", { name: "Save changes" }).click();
  await plain.getByText('The pattern "*" matches every text.').waitFor();
  assert.ok(await plain.getByRole("checkbox", { name: "Web crawlers" }).isChecked());
  await plain.getByRole("textbox", { name: "Exception types" }).fill("Abort*");
  await plain.getByRole("button", { name: "Save changes" }).click();
  await plain.getByText("Saved.").waitFor();
  assert.equal([(await filters())?.types, (await filters())?.webCrawlers], [["Abort*"], true]);
  await plain.context().close();
});

test.run();

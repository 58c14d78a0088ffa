import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, post } from "../../support/sentry/send.ts";
import { rootPassword, startServer, type Server } from "../../support/service/server.ts";
import { until } from "../../support/run/until.ts";

let server: Server;
let core: GrpcClient;
let browser: TestBrowser;
let page: Page;
let project: Project;
let address: string;

test.before(
  reported(async () => {
    server = await startServer({ env: { FAULTLINE_TRUSTED_PROXIES: "127.0.0.0/8" } });
    core = grpcClient(server);
    project = await createProject(server);
    address = `/${project.path}/-/settings/monitor/client_keys/${project.keyId}`;
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

const send = async (headers: Record<string, string> = {}) => {
  const event = JSON.stringify({ event_id: newEventId(), message: "counted", extra: { filler: "x".repeat(3_000) } });
  return (await post(server, project, "store", event, headers)).status;
};
const stored = async () =>
  (await core.clientKeys.getClientKey({ projectId: project.id, keyId: project.keyId }, core.auth)).clientKey;
const region = (name: string) => page.getByRole("region", { name });

test("a key that sent nothing says so, and is reached from the list of keys", async () => {
  await page.goto(`/${project.path}/-/settings/monitor`);
  await page.getByRole("link", { name: `Client key ${project.keyId}`, exact: true }).click();
  await page.getByRole("heading", { name: `Client key ${project.keyId}`, level: 1 }).waitFor();
  assert.is(new URL(page.url()).pathname, address);
  await region("State").getByText("This key is enabled").waitFor();
  await region("State").getByText("never").waitFor();
  await page.getByText("Nothing was refused.").waitFor();
  await page.getByText("No events were sent with this key.").waitFor();
  await browser.photograph("client-key-empty");
});

test("limits and origins are saved by the keyboard, and what is bad is refused at its field and kept as it was typed", async () => {
  await page.goto(address);
  const [minute, day, origins] = ["Events per minute", "Events per day", "Allowed origins"].map((name) =>
    page.getByRole("textbox", { name }),
  );
  assert.ok(minute && day && origins);
  const save = async () => {
    await page.getByRole("button", { name: "Save changes" }).focus();
    await page.keyboard.press("Enter");
  };
  await minute.fill("many");
  await save();
  await page.getByText("Enter a whole number, or leave empty for no limit.").waitFor();
  assert.is(await minute.inputValue(), "many");
  await until("the field has the focus", () =>
    page.evaluate<boolean>("document.activeElement.name === 'events_per_minute'"),
  );
  await minute.fill("200");
  await day.fill("100");
  await save();
  await page.getByText("The limit per minute (200) is above the limit per day (100).").waitFor();
  await day.fill("1000");
  await origins.fill("https://shop.example\nshop.example/path");
  await save();
  await page.getByText('"shop.example/path" is not an origin').waitFor();
  assert.is((await stored())?.eventsPerMinute, 0);
  assert.equal((await stored())?.allowedOrigins, []);
  await browser.photograph("client-key-refused");
  assert.ok(browser.complaints.splice(0).every((line) => line.includes("400 (Bad Request)")));
  await origins.fill("https://Shop.example\nhttps://*.shop.example");
  await save();
  await page.getByText("Saved.").waitFor();
  const { eventsPerMinute, eventsPerDay, allowedOrigins } = (await stored()) ?? {};
  assert.equal([eventsPerMinute, eventsPerDay], [200, 1000]);
  assert.equal(allowedOrigins, ["https://shop.example", "https://*.shop.example"]);
  await page.getByText("other programs can send any origin or none").waitFor();
});

test("the page shows what was sent by hour and network, and what was refused with its reason and the setting that lets it in", async () => {
  for (let n = 0; n < 12; n++) assert.is(await send({ "X-Forwarded-For": `203.0.113.${n}` }), 200);
  assert.is(await send({ "X-Forwarded-For": "2001:db8:0:1::7" }), 200);
  assert.is(await send({ Origin: "https://evil.example", "X-Forwarded-For": "198.51.100.7" }), 403);
  await page.goto(address);
  await page.getByText("13 events in 24 hours.").waitFor();
  await page.getByText(/4\d\.\d kB in 24 hours\./).waitFor();
  const networks = region("Networks of senders");
  await networks.getByRole("row", { name: "203.0.113.0/24 12 85.7 %" }).waitFor();
  await networks.getByRole("row", { name: "2001:db8:0:1::/64 1 7.1 %" }).waitFor();
  const refused = region("Refused");
  await refused.getByText("origin not allowed").waitFor();
  assert.is(await refused.getByRole("link", { name: "Allowed origins" }).getAttribute("href"), "#allowed_origins");
  await browser.photograph("client-key");
});

test("a key is disabled and enabled by a button, also without scripts, and the list says that it is disabled", async () => {
  await page.goto(address);
  await page.getByRole("button", { name: "Disable key" }).click();
  await page.getByText("This key is disabled").waitFor();
  assert.is(await send(), 403);
  await browser.photograph("client-key-disabled");
  await page.goto(`/${project.path}/-/settings/monitor`);
  await region("Client keys").getByRole("cell", { name: "disabled" }).waitFor();
  const plain = await browser.pageWithoutScripts();
  await plain.goto(address);
  await plain.getByRole("button", { name: "Enable key" }).click();
  await plain.getByText("This key is enabled").waitFor();
  assert.is(await send(), 200);
  await plain.context().close();
});

test("the traffic of a deleted key is shown, and a key that never existed is not found", async () => {
  await core.clientKeys.deleteClientKey({ projectId: project.id, keyId: project.keyId }, core.auth);
  await page.goto(address);
  await page.getByText("This key was deleted.").waitFor();
  await region("Networks of senders").getByText("203.0.113.0/24").waitFor();
  assert.is(await page.getByRole("button", { name: "Save changes" }).count(), 0);
  const response = await page.goto(address.replace(/\d+$/, "99999"));
  assert.is(response?.status(), 404);
  await page.getByText("This project has no such client key.").waitFor();
  browser.complaints.splice(0); // the browser's line about the 404
});

test.run();

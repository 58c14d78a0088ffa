import { randomBytes } from "node:crypto";
import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser } from "../../support/console/browser.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { newMember, personPassword } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { rootPassword, startServer } from "../../support/service/server.ts";
import { until } from "../../support/run/until.ts";

const server = await startServer();
const client = grpcClient(server);
const browser = await openBrowser(server);
const { page } = browser;
const project = await createProject(server);
await browser.signIn((await client.accounts.signIn({ username: "root", password: rootPassword })).sessionToken);
test.after(async () => {
  await browser.close();
  client.close();
  await server.stop();
});

const settings = `/${project.path}/-/settings/monitor`;

const send = (bytes: number) =>
  sendStore(server, project, {
    event_id: newEventId(),
    exception: { values: [{ type: "Stored", value: "x" }] },
    extra: { noise: randomBytes(bytes).toString("base64") },
  });

test("Settings > Monitor shows what a project uses of its limits as bars with their words", async () => {
  assert.is((await send(100_000)).status, 200);
  await page.goto(settings);
  const bars = page.getByRole("meter");
  assert.is(await bars.count(), 2);
  for (const [n, name] of ["Received today", "Kept"].entries()) {
    const bar = bars.nth(n);
    assert.is(await bar.getAttribute("aria-label"), name);
    assert.match((await bar.getAttribute("aria-valuetext")) ?? "", /^10\d(\.\d)? kB of [\d.]+ GB \(0 %\)$/);
  }
  await browser.photograph("quota-settings");
});

test("an administrator sets the limits of a project, and an invalid limit is refused next to its field", async () => {
  const panel = page.locator("section[aria-labelledby=storage]");
  await panel.getByLabel("Kept: amount").fill("1.5");
  await panel.getByRole("button", { name: "Save limits" }).click();
  await panel.getByText("Enter the limit as a whole number from 1").waitFor();
  await panel.getByLabel("Kept: amount").fill("1");
  await panel.getByLabel("Kept: unit").selectOption("MB");
  await panel.getByRole("button", { name: "Save limits" }).click();
  await panel.getByText("Limits saved.").waitFor();
  const { quota } = await client.quotas.getQuota({ projectId: project.id }, client.auth);
  assert.equal([quota?.keptLimitBytes, quota?.hasOwnKeptLimit, quota?.hasOwnDayLimit], [1_000_000n, true, false]);
});

test("the list of errors says that events were deleted to stay within the limit", async () => {
  // Otherwise a day takes half of what may be kept, and nothing has to be deleted.
  await client.quotas.updateQuota(
    { projectId: project.id, dayLimitBytes: 1_000_000_000n, keptLimitBytes: 1_000_000n },
    client.auth,
  );
  await until("events are deleted", async () => {
    await send(60_000);
    const { quota } = await client.quotas.getQuota({ projectId: project.id }, client.auth);
    return (quota?.evictedEventCount ?? 0n) > 0n;
  });
  await page.goto(`/${project.path}/-/error_tracking`);
  await page.locator("p", { hasText: "were deleted to stay within the limit of 1 MB" }).waitFor();
  await browser.photograph("quota-notice");
  await page.locator("main").getByRole("link", { name: "Storage" }).click();
  await page.locator("p", { hasText: "so far." }).waitFor();
  await browser.photograph("quota-near");
});

test("the page of all projects shows the largest ones, and sets the limits of all, also without scripts", async () => {
  const plain = await browser.pageWithoutScripts();
  await plain.goto("/admin/storage");
  await plain
    .getByRole("radio", { name: /^At most/ })
    .first()
    .check();
  await plain.getByLabel("Received per day: amount").fill("3");
  await plain.getByLabel("Received per day: unit").selectOption("GB");
  await plain.getByRole("button", { name: "Save limits" }).click();
  await plain.getByText("Limits saved.").waitFor();
  await plain.close();
  await page.goto("/admin/storage");
  await page.getByText("Current limits: 3 GB received per day").waitFor();
  await page.getByRole("link", { name: project.path }).waitFor();
  await browser.photograph("quota-admin");
});

test("a maintainer sees the bars and no form", async () => {
  const { username } = await newMember(client, project.id, Role.MAINTAINER);
  const { sessionToken } = await client.accounts.signIn({ username, password: personPassword });
  const other = await browser.anotherPage();
  await other.context().addCookies([{ name: "faultline_session", value: sessionToken, url: server.url }]);
  await other.goto(settings);
  assert.is(await other.getByRole("meter").count(), 2);
  await other.getByText("Administrators set the limits.").waitFor();
  assert.is(await other.getByRole("button", { name: "Save limits" }).count(), 0);
  await other.close();
  const refused = browser.complaints.filter((text) => text.includes("status of 400")); // what was no limit, above
  assert.equal(browser.complaints, refused);
});

test.run();

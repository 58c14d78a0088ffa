// limit: 240 s
import { connect } from "@nats-io/transport-node";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { natsMissing } from "../support/nats/nats.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { startQueuedService, type QueuedService } from "../support/service/queued-service.ts";
import { reported } from "../support/run/reported.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { rootPassword } from "../support/service/server.ts";
import { storedErrors } from "../support/database/stored.ts";

const onServers = natsMissing === undefined ? test : test.skip;
if (natsMissing !== undefined) console.log(`Skipped: ${natsMissing}`);

let service: QueuedService;
let browser: TestBrowser;
let page: Page;
let project: Project;
let path: string;

test.before(
  reported(async () => {
    if (natsMissing !== undefined) return;
    service = await startQueuedService();
    const { client, server } = service;
    project = await createProject(server);
    const { project: found } = await client.projects.getProject(
      { key: { case: "projectId", value: project.id } },
      client.auth,
    );
    path = `/${found?.path}/-/error_tracking`;
    const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
    browser = await openBrowser(server);
    ({ page } = browser);
    await browser.context.addCookies([{ name: "faultline_session", value: sessionToken, url: server.url }]);
  }),
);
test.after(async () => {
  await browser?.close();
  await service?.stop();
});
test.after.each(() => {
  assert.equal(browser?.complaints.splice(0) ?? [], []);
});

const event = (value: string) => ({ event_id: newEventId(), exception: { values: [{ type: "Error", value }] } });
const send = async (value: string) => {
  assert.is((await sendEvent(service.server, project, event(value))).status, 200);
};
const behind = /^You see events up to \d\d:\d\d:\d\d\. /;
const line = (text: RegExp) => page.getByRole("status").filter({ hasText: text });
const section = (name: string) => page.getByRole("region", { name });

onServers(
  "while the database is held, each page says up to when events are seen, and no longer when it is over",
  async () => {
    await page.goto(path);
    assert.is(await line(behind).count(), 0);
    const giveBack = await service.holdDatabase();
    await send("held");
    await line(behind).waitFor({ timeout: 15_000 }); // on the open page
    await browser.photograph("queue-lag");
    for (const address of ["/-/projects", "/-/errors", "/-/profile", `${path}/ingestion`, `${path}/releases`]) {
      await page.goto(address);
      await line(behind).waitFor();
    }
    await page.goto("/admin/health");
    await line(behind).waitFor();
    await browser.photograph("queue-lag-health");
    const reader = await browser.pageWithoutScripts();
    await reader.goto(path);
    await reader.getByText(behind).waitFor();
    await reader.context().close();

    await page.goto(path);
    await giveBack();
    await line(behind).waitFor({ state: "detached", timeout: 20_000 }); // without a reload
    await page.reload();
    await page.getByText("Error: held").waitFor();
  },
);

onServers("while the queue's servers are gone, no page claims to be current", async () => {
  await page.goto(path);
  await service.nats.nodes[0]?.kill9();
  const unknown = /^Events after \d\d:\d\d:\d\d may be missing\. /;
  await line(unknown).waitFor({ timeout: 20_000 });
  await browser.photograph("queue-unknown");
  await page.goto("/admin/health");
  await page.getByText("Not connected").waitFor();
  await section("Dead letters").getByText("The queue is not responding").waitFor();
  await browser.photograph("queue-gone-health");
  await page.goto(`${path}/ingestion`);
  await section("Could not be stored").getByText("The queue is not responding").waitFor();
  await service.nats.nodes[0]?.start();
  await line(unknown).waitFor({ state: "detached", timeout: 20_000 });
});

onServers("while PostgreSQL is down events are accepted, and no page claims to be current or missing", async () => {
  await send("sent before, so that its key is known");
  await page.goto(path);
  await service.postgresql.stop("immediate");
  await send("sent while it was down");
  await line(/^Events after \d\d:\d\d:\d\d may be missing\. /).waitFor({ timeout: 30_000 });
  const other = await browser.anotherPage();
  await other.context().addCookies((await browser.context.storageState()).cookies);
  assert.is((await other.goto("/admin/health"))?.status(), 503);
  assert.match(await other.locator("body").innerText(), "Nothing is lost. Try again in a moment.");
  await other.context().close();
  await service.postgresql.start();
  await line(/may be missing|You see events/).waitFor({ state: "detached", timeout: 30_000 });
  await page.goto(path);
  await page.getByText("Error: sent while it was down").waitFor();
  browser.complaints.length = 0; // the browser reports each refused call
});

onServers(
  "what could not be stored is listed, goes to the queue again, comes back, and is stored in the end",
  async () => {
    const antidote = await service.poison();
    await send("poison <b>one</b>");
    await send("poison two");
    const list = section("Could not be stored");
    await reloaded(async () => (await list.getByRole("row").count()) === 3, `${path}/ingestion`);
    await list.getByText("Error: poison <b>one</b>").waitFor();
    assert.is(await list.getByText("poison is not stored").count(), 2);
    await browser.photograph("queue-dead-letters");

    await list.getByRole("button", { name: "Try all again" }).click();
    await list.getByText("2 items were queued again.").waitFor();
    await reloaded(async () => (await list.getByRole("row").count()) === 3, `${path}/ingestion`);
    await antidote();
    await list.getByRole("button", { name: "Try all again" }).click();
    await list.getByText("2 items were queued again.").waitFor();
    await reloaded(async () => (await list.count()) === 0, `${path}/ingestion`);
    const titles = (await storedErrors(service.client, project.id)).map(({ title }) => title);
    assert.ok(titles.includes("Error: poison <b>one</b>") && titles.includes("Error: poison two"));
  },
);

onServers("what belongs to no project is shown to administrators, tried again and deleted", async () => {
  const connection = await connect({ servers: service.nats.url });
  await connection.request("faultline.intake", "no message of ours", { timeout: 5_000 });
  await connection.close();
  const list = section("Dead letters");
  await reloaded(
    async () => (await list.getByText("This is not a message of Faultline.").count()) === 1,
    "/admin/health",
  );
  await list
    .getByText("1 in all, 1 without a project")
    .waitFor({ timeout: 10_000 })
    .catch(() => page.reload());
  await list.getByText("1 in all, 1 without a project").waitFor();
  await browser.photograph("queue-health");
  await list.getByRole("button", { name: "Try all again" }).click();
  await list.getByText("0 events stored. 1 event could not be stored again.").waitFor();
  await list.getByRole("button", { name: "Delete items without a project" }).click();
  await list.getByText("1 dead letter deleted.").waitFor();
  assert.is(await list.getByRole("row").count(), 0);
});

/** Reads the page again until it is as it should be: what a worker does to an event is seen a moment later. */
async function reloaded(isThere: () => Promise<boolean>, address: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    await page.goto(address);
    if (await isThere()) return;
  }
  assert.unreachable(`${address} did not become what it should be: ${await page.locator("main").innerText()}`);
}

test.run();

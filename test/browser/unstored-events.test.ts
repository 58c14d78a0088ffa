import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { execSql } from "../support/database/other-process.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { rootPassword, startServer, type Server } from "../support/service/server.ts";
import { storedErrors } from "../support/database/stored.ts";

let server: Server;
let core: GrpcClient;
let browser: TestBrowser;
let page: Page;
let project: Project;
let address: string;

test.before(
  reported(async () => {
    server = await startServer();
    core = grpcClient(server);
    project = await createProject(server);
    address = `/${project.path}/-/error_tracking/ingestion`;
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

const event = (value: string) => ({
  event_id: newEventId(),
  exception: { values: [{ type: "Error", value }] },
});
const section = () => page.getByRole("region", { name: "Could not be stored" });

test("events that could not be stored are listed with the reason, tried again and deleted", async () => {
  await page.goto(address);
  assert.is(await section().count(), 0);
  await execSql(
    server.dataDir,
    `create trigger poison before insert on integrated_event when new.title like '%poison%'
     begin select raise(abort, 'poison is not stored'); end`,
  );
  for (const value of ["poison one", "poison <b>two</b>"]) await sendEvent(server, project, event(value));
  await page.reload();
  assert.is(await section().getByRole("row").count(), 3);
  await section().getByText("Error: poison <b>two</b>").waitFor();
  assert.is(await section().getByText("poison is not stored").count(), 2);
  await browser.photograph("unstored-events");

  await section().getByRole("button", { name: "Try all again" }).click();
  await section().getByText("0 events stored. 2 events could not be stored again.").waitFor();
  await execSql(server.dataDir, "drop trigger poison");
  await section().getByRole("button", { name: "Try all again" }).click();
  await section().getByText("2 events stored.").waitFor();
  assert.is(await section().getByRole("row").count(), 0);
  assert.is((await storedErrors(core, project.id)).length, 2);
});

test("without scripts they can be deleted all the same", async () => {
  await execSql(
    server.dataDir,
    `create trigger poison before insert on integrated_event when new.title like '%poison%'
     begin select raise(abort, 'poison is not stored'); end`,
  );
  await sendEvent(server, project, event("poison three"));
  const context = await browser.context.browser()?.newContext({ javaScriptEnabled: false, baseURL: server.url });
  assert.ok(context);
  try {
    await context.addCookies(await browser.context.cookies());
    const reader = await context.newPage();
    await reader.goto(address);
    await reader.getByRole("button", { name: "Delete all" }).click();
    await reader.getByText("1 event deleted.").waitFor();
  } finally {
    await context.close();
  }
});

test.run();

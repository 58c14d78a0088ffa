// limit: 120 s
import { ErrorStatus } from "@faultline/proto";
import type { Page, Request } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { rootPassword, startServer, type Server } from "../../support/service/server.ts";

/** A page shows the answer to its own change: how many requests and calls of the core that takes. */

let server: Server;
let client: GrpcClient;
let browser: TestBrowser;
let page: Page;
let project: Project;

test.before(
  reported(async () => {
    server = await startServer();
    client = grpcClient(server);
    project = await createProject(server);
    for (const type of ["FirstError", "SecondError", "ThirdError"]) await send(type);
    browser = await openBrowser(server);
    ({ page } = browser);
    const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  client?.close();
  await browser?.close();
  await server?.stop();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

async function send(type: string): Promise<void> {
  const exception = { values: [{ type, value: "is counted" }] };
  assert.is((await sendStore(server, project, { event_id: newEventId(), exception })).status, 200);
}

const list = () => `/${project.path}/-/error_tracking`;
const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });

/** The service's count of the console's calls of each method of the core, without watches. */
async function countedCalls(): Promise<Map<string, number>> {
  const text = await (await fetch(`${server.url}/-/metrics`)).text();
  const counted = new Map<string, number>();
  for (const [, labels = "", count] of text.matchAll(/^faultline_grpc_calls_total\{(.*)\} (\d+)$/gm)) {
    const method = /method="([^"]+)"/.exec(labels)?.[1] ?? "";
    if (!labels.includes('server="console"') || /\.Watch/.test(method)) continue;
    counted.set(method, (counted.get(method) ?? 0) + Number(count));
  }
  return counted;
}

/** The requests of the page, and the calls of the core, that an act takes. It ends with something that comes later. */
async function costOf(act: () => Promise<void>): Promise<{ requests: string[]; calls: string[] }> {
  const requests: string[] = [];
  const note = (request: Request) => {
    if (request.resourceType() === "fetch") requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
  };
  const before = await countedCalls();
  page.on("request", note);
  await act();
  page.off("request", note);
  const after = [...(await countedCalls())];
  const calls = after.flatMap(([method, count]) =>
    Array.from({ length: count - (before.get(method) ?? 0) }, () => method),
  );
  return { requests, calls: calls.toSorted() };
}

test("an error resolved in the list leaves it by the answer, and the watch that brings the change reads nothing", async () => {
  await page.goto(list());
  await page.getByText("Live", { exact: true }).waitFor();
  const cost = await costOf(async () => {
    await row("FirstError")
      .getByRole("button", { name: /^Resolve/ })
      .click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await send("ThirdError"); // comes by the watch, and so after the own change
    await row("ThirdError").getByRole("cell", { name: "2", exact: true }).waitFor();
  });
  assert.equal(cost, { requests: ["POST /-/trpc/errors.updateErrors"], calls: ["ErrorService.UpdateErrors"] });
  assert.is(await row("FirstError").count(), 0);
  await page.getByRole("link", { name: /^Unresolved 2/ }).waitFor();
  await page.getByRole("link", { name: /^Resolved 1/ }).waitFor();
  const waiting = await page.getByRole("button", { name: /Show/ }).textContent();
  assert.match(waiting ?? "", /^1 updated/, "only the other error waits");
});

test("the status set on the page of an error is shown from the answer", async () => {
  await page.goto(list());
  await row("SecondError").getByRole("link").first().click();
  await page.getByRole("heading", { level: 1, name: "SecondError" }).waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("heading", { level: 4, name: /^Users/ }).waitFor(); // read after the page
  const cost = await costOf(async () => {
    await page.getByRole("button", { name: "Resolve", exact: true }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("status").filter({ hasText: "Undone." }).waitFor();
    const errorId = /error_tracking\/(\d+)/.exec(page.url())?.[1] ?? "";
    const changes = [{ errorId, status: ErrorStatus.IGNORED }]; // of another person: comes by the watch, after the own ones
    await client.errors.updateErrors({ projectId: project.id, changes }, client.auth);
    await page.getByRole("button", { name: "Stop ignoring" }).waitFor();
  });
  // The activity next to it is read again after each of the three changes and on its arrival.
  const isActivity = (name: string) => /listErrorActivity/i.test(name);
  const update = "POST /-/trpc/errors.updateErrors";
  assert.equal(
    cost.requests.filter((request) => !isActivity(request)),
    [update, update],
  );
  assert.equal(
    cost.calls.filter((call) => !isActivity(call)),
    ["ErrorService.UpdateErrors", "ErrorService.UpdateErrors"],
  );
  assert.ok(cost.requests.filter(isActivity).length <= 4, cost.requests.join(", "));
});

test("settings saved again, a new key and a deleted one take one call each but for the question about the key", async () => {
  const settings = `/${project.path}/-/settings/monitor`;
  await page.goto(settings);
  const saved = await costOf(async () => {
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("status").filter({ hasText: "Saved." }).waitFor();
  });
  assert.equal(saved, { requests: [`POST ${settings}`], calls: ["SettingsService.UpdateSettings"] });
  const keys = page.getByRole("table", { name: /^Client keys/ }).getByRole("row");
  const before = await keys.count();
  const created = await costOf(async () => {
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("status").filter({ hasText: "was created" }).waitFor();
  });
  assert.equal(created, { requests: [`POST ${settings}`], calls: ["ClientKeyService.CreateClientKey"] });
  assert.is(await keys.count(), before + 1);
});

test("a token that is made and revoked is listed from the answers", async () => {
  await page.goto("/-/profile/personal_access_tokens");
  await page.getByLabel("Name").fill("by the answer");
  const created = await costOf(async () => {
    await page.getByRole("button", { name: /^Create/ }).click();
    await row("by the answer").waitFor();
  });
  // The project names the organization of the token for Sentry's tools.
  assert.equal(created.calls, ["AccountService.CreateAccessToken", "ProjectService.ListProjects"]);
  const revoked = await costOf(async () => {
    await row("by the answer")
      .getByRole("button", { name: /^Revoke/ })
      .click();
    await row("by the answer").getByText("Revoked").waitFor();
  });
  assert.equal(revoked.calls, ["AccountService.RevokeAccessToken"]);
});

test("the administration lists 50 projects with as many calls as one", async () => {
  for (let n = 0; n < 50; n += 1) await client.projects.createProject({ path: `many/project-${n}` }, client.auth);
  const rows = page.getByRole("table", { name: /projects$/ }).getByRole("row");
  const costOfList = (query: string) =>
    costOf(async () => {
      await page.goto(`/admin/projects?q=${query}`);
    });
  const one = await costOfList("many/project-49");
  assert.is(await page.getByRole("table", { name: "1 project" }).getByRole("row").count(), 2);
  const many = await costOfList("many/");
  assert.is(await rows.count(), 51, "with the headings");
  assert.equal(many.calls, one.calls);
  assert.equal(
    many.calls.filter((method) => !method.startsWith("InstanceService")),
    ["AccountService.GetCurrentUser", "ProjectService.ListDeletedProjects", "ProjectService.ListProjects"],
  );
});

test("the home takes as many calls for twenty-one projects as for one", async () => {
  const visit = async () => {
    const { calls } = await costOf(async () => {
      await page.goto("/-/projects");
      await page.getByRole("link", { name: project.path, exact: true }).waitFor();
    });
    return calls.toSorted();
  };
  const ofOne = await visit();
  assert.is(ofOne.filter((method) => method === "ErrorService.ListAllErrors").length, 2);
  for (let n = 0; n < 20; n += 1) await createProject(server);
  assert.equal(await visit(), ofOne);
});

test.run();

// limit: 240 s
// process: the pages of the console know one core in a process
import { globSync } from "node:fs";
import { join } from "node:path";
import { ErrorStatus, NotificationLevel, NotificationTrigger, Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { withPluginPages } from "../../support/console/plugin-pages.ts";
import { linkedProject, type LinkedProject } from "../../support/core/linked-project.ts";
import { newMember, personPassword, type Person } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { fakeExternal, type FakeExternal } from "../../support/external/fake-external.ts";
import { repeatedItems } from "../../support/external/repeated-items.ts";
import { causeEveryKind, refusingReceivers } from "../../support/notifications/every-kind.ts";
import { reported } from "../../support/run/reported.ts";
import { until } from "../../support/run/until.ts";
import { polyglotEvent } from "../../support/sentry/polyglot-event.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { movableClock, movableFaultline } from "../../support/service/movable-faultline.ts";
import { repositoryRoot, rootPassword } from "../../support/service/server.ts";

/**
 * Each page in the folder of routes, in a browser, for people of each role: after a storm, with notifications of each
 * kind, an external system that repeats its items, and hostile texts.
 */

const clock = movableClock();
const external: FakeExternal = await fakeExternal({
  clock,
  issues: ["101", "102", "103"].map((id) => ({
    id,
    events: [
      { payload: polyglotEvent(Number(id) % 10, 10) },
      { payload: { user: { id: "ann" }, tags: { plan: "a" } } },
    ],
  })),
});
external.answerWith(repeatedItems);
const refusing = await refusingReceivers();
const { client, faultline } = await movableFaultline(
  { outbound: { networks: ["127.0.0.0/8"], ports: [external.port, ...refusing.ports] }, logLevel: "silent" },
  clock,
);
const server = { url: faultline.httpUrl };
test.after(() => external.close());

let browser: TestBrowser;
let project: Project;
let far: LinkedProject;
let stormed: string;
let hostile: string;
let bulkUpdateId: string;
const people = new Map<string, Person>();

const send = (event: object) => sendEvent(server, project, { event_id: newEventId(), ...event });

async function storm(): Promise<void> {
  const projectId = project.id;
  for (let n = 0; n < 12; n++) await send({ message: "a storm", fingerprint: [`${n}`], release: `shop@${n}` });
  for (let n = 0; n < 12; n++) await send({ message: "stormed", user: { id: `${n}` }, tags: { n: `${n}` } });
  for (let n = 0; n < 3; n++) await send(polyglotEvent(n, 40));
  const errorsNamed = async (query: string) =>
    (await client.errors.listErrors({ projectId, query, pageSize: 100 }, client.auth)).errors;
  stormed = (await errorsNamed("stormed"))[0]?.errorId ?? "";
  hostile = (await errorsNamed("")).find(({ title }) => !title.includes("storm"))?.errorId ?? "";
  const owner = people.get("Owner");
  assert.ok(owner && stormed && hostile);
  const { CREATED, REOPENED, STATUS } = NotificationTrigger;
  const entries = async () =>
    (await client.inbox.listInboxEntries({ pageSize: 100 }, owner)).entries.flatMap(({ gathered }) => gathered);
  const hasGathered = (trigger: NotificationTrigger) =>
    until(`an entry that gathers ${trigger}`, async () => (await entries()).some((one) => one.trigger === trigger));
  await hasGathered(CREATED);
  const change = (status: ErrorStatus) =>
    client.errors.updateErrors({ projectId, changes: [{ errorId: stormed, status }] }, client.auth);
  await change(ErrorStatus.RESOLVED);
  await hasGathered(STATUS);
  await send({ message: "stormed" });
  await hasGathered(REOPENED);
  await causeEveryKind({ client, url: server.url, clock, project, far, external }, refusing);
}

/** Makes content for further pages: a deletion, a saved search, an invitation, a bulk update. */
async function fill(): Promise<void> {
  const projectId = project.id;
  const matching = { projectId, query: "storm", newStatus: ErrorStatus.IGNORED, expectedCount: 13 };
  const { bulkUpdate } = await client.bulkUpdates.createBulkUpdate(matching, client.auth);
  bulkUpdateId = String(bulkUpdate?.bulkUpdateId);
}

test.before(
  reported(async () => {
    project = await createProject(server, { name: "<b>Crawl</b> \u202Eshop", path: "crawl/shop" });
    far = await linkedProject(client, external, { path: "crawl/far" });
    const { OWNER, MAINTAINER, REPORTER, GUEST } = Role;
    for (const [name, role] of Object.entries({
      Owner: OWNER,
      Maintainer: MAINTAINER,
      Reporter: REPORTER,
      Guest: GUEST,
    })) {
      const person = await newMember(client, project.id, role);
      await client.members.addMember({ projectId: far.projectId, userId: person.userId, role }, client.auth);
      people.set(name, person);
      if (role === GUEST) continue;
      const level = { projectId: project.id, level: NotificationLevel.ALL };
      await client.notificationPreferences.updateNotificationLevel(level, person);
    }
    browser = await openBrowser(server);
    await storm();
    await fill();
  }),
);
test.after(() => browser?.close());

/** The addresses of all pages below a folder of routes. */
const routes = globSync("**/+page.svelte", { cwd: join(repositoryRoot, "console/src/routes") })
  .map((file) => `/${file.replace(/\/?\+page\.svelte$/, "").replaceAll(/\(\w+\)\//g, "")}`)
  .flatMap(withPluginPages)
  .filter((route) => !route.includes("[token]") && route !== "/-/sign_in");

function addressesOf(route: string): string[] {
  if (route.startsWith("/admin")) return [route.replace("[id]", "1")];
  if (!route.startsWith("/[...project]")) return [route];
  const within = [
    ...[stormed, hostile].map((errorId) => ["crawl/shop", errorId] as const),
    [far.path, "101"] as const,
  ].map(([path, errorId]) => route.replace("[...project]", path).replace("[id]", errorId));
  return [...new Set(within)]
    .map((address) => address.replace("[key]", String(project.keyId)).replace("[update]", bulkUpdateId))
    .filter((address) => !address.startsWith(`/${far.path}`) || !/client_keys\/|bulk_updates\//.test(address));
}

const failed = /Something went wrong|could not be shown/;

/** Visits the pages one after the other, and returns what is wrong with them. */
async function crawl(page: Page, addresses: readonly string[]): Promise<string[]> {
  const wrong: string[] = [];
  const running = new Set<unknown>();
  page.on("request", (request) => request.resourceType() !== "eventsource" && running.add(request));
  page.on("requestfinished", (request) => running.delete(request));
  page.on("requestfailed", (request) => running.delete(request));
  for (const address of addresses) {
    running.clear();
    const response = await page.goto(address);
    await until("the end of its requests", () => running.size === 0).catch(() => wrong.push(`${address}: asks on`));
    const text = await page.locator("body").innerText();
    const status = response?.status() ?? 0;
    if (status >= 500 || failed.test(text)) wrong.push(`${address}: ${status} ${failed.exec(text)?.[0] ?? ""}`);
  }
  return wrong;
}

/** Complaints of scripts; that an answer was refused is no fault of theirs. */
const scriptErrors = () => browser.complaints.splice(0).filter((text) => !text.includes("Failed to load resource"));

async function pageOf(username: string, password: string): Promise<Page> {
  const { sessionToken } = await client.accounts.signIn({ username, password });
  const page = await browser.anotherPage();
  await page.context().addCookies([{ name: "faultline_session", value: sessionToken, url: server.url }]);
  return page;
}

for (const name of ["Owner", "Maintainer", "Reporter", "Guest"]) {
  test(`no page fails for a person with the role ${name}, and no script`, async () => {
    const addresses = routes.filter((route) => !route.startsWith("/admin")).flatMap(addressesOf);
    assert.ok(addresses.length > 40, `${addresses.length} pages`);
    const page = await pageOf(people.get(name)?.username ?? "", personPassword);
    assert.equal(await crawl(page, addresses), []);
    assert.equal(scriptErrors(), []);
    await page.context().close();
  });
}

test("no page of the administration fails for an administrator, and no script", async () => {
  const addresses = routes.filter((route) => route.startsWith("/admin")).flatMap(addressesOf);
  assert.ok(addresses.length >= 8, `${addresses.length} pages`);
  assert.equal(await crawl(await pageOf("root", rootPassword), addresses), []);
  assert.equal(scriptErrors(), []);
});

test.run();

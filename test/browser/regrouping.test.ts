// process: moves the clock
import type { JsonObject } from "@faultline/sentry-event";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../backend/src/main.ts";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { grpcClient } from "../support/core/grpc.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { groupByVersion1, type Sent } from "../support/database/version-1.ts";
import { storedErrors } from "../support/database/stored.ts";
import { reported } from "../support/run/reported.ts";
import { until } from "../support/run/until.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { movableClock } from "../support/service/movable-faultline.ts";
import { rootPassword, startServer } from "../support/service/server.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { testConfig } from "../support/service/test-config.ts";

/** The pages about errors of version 1 of grouping that become one or several: the comparison, and the errors. */

const raised = (line: string) => ({
  platform: "python",
  exception: {
    values: [
      {
        type: "ValueError",
        value: line,
        stacktrace: { frames: [{ module: "shop.cart", function: "pay", context_line: line, in_app: true }] },
      },
    ],
  },
});
const sums = [raised("raise ValueError(total)"), raised("raise ValueError(currency)")] as const;
const refused = ["a.com", "b.org"].map((host) => ({ message: `dial tcp://${host}:10 refused` }));

const clock = movableClock();
const config = { ...testConfig(tempDir()), logLevel: "silent" as const };
const project = await storedByVersion1();
// The console of a process belongs to the first service that starts there.
const faultline = await startFaultline(config, clock, { pace: 60 });
const core = grpcClient(faultline);
let browser: TestBrowser;
let page: Page;

async function storedByVersion1(): Promise<Project> {
  const server = await startServer({ dataDir: config.dataDir });
  const made = await createProject(server);
  const client = grpcClient(server);
  const sent: Sent[] = [];
  for (const event of [...sums, ...refused]) sent.push(await report(server.url, made, event));
  await until("they are stored", async () => (await storedErrors(client, made.id)).length === 3);
  client.close();
  await server.stop();
  await groupByVersion1(config.dataDir, made.id, sent);
  return made;
}

async function report(url: string, to: Project, event: JsonObject): Promise<Sent> {
  const eventId = newEventId();
  const { status, text } = await sendEvent({ url }, to, { ...event, event_id: eventId });
  assert.is(status, 200, text);
  return { eventId, event };
}

test.before(
  reported(async () => {
    const { sessionToken } = await core.accounts.signIn({ username: "root", password: rootPassword });
    browser = await openBrowser({ url: faultline.httpUrl });
    ({ page } = browser);
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
  core.close();
  await faultline.stop();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

const region = (name: string) => page.getByRole("region", { name });
const textOf = async (name: string) => (await region(name).innerText()).replaceAll(/\s+/g, " ");
const errors = async () =>
  (await storedErrors(core, project.id)).toSorted((one, other) => Number(one.errorId) - Number(other.errorId));

test("the settings lead to a page that compares nothing until it is asked, then lists joins and splits", async () => {
  await page.goto(`/${project.path}/-/settings/monitor`);
  await page.getByRole("link", { name: "Compare groups" }).click();
  await page.getByRole("heading", { name: "Grouping", exact: true }).waitFor();
  assert.is(await region("Errors that merge").count(), 0);
  await page.getByRole("button", { name: "Compare groups" }).press("Enter");
  await page.getByText("4 events of 3 errors make 3 groups.").waitFor();
  await browser.photograph("regrouping");
  assert.match(
    await textOf("Errors that merge"),
    /^Errors that merge 1 dial tcp:\/\/b\.org:10 refused 1 event · unresolved · takes the next events dial tcp:\/\/b\.org:10 refused 1 event · unresolved$/,
  );
  assert.match(
    await textOf("Errors that split"),
    /^Errors that split 1 ValueError: raise ValueError\((total|currency)\) .* 2 events · unresolved .* 1 event compared .* 1 event compared$/,
  );

  const split = region("Errors that split").getByRole("listitem").last().getByRole("link");
  await split.click();
  await page.getByRole("heading", { name: "ValueError", level: 1 }).waitFor();
});

test("an error that split off names the error that counted its events before", async () => {
  const [whole] = await errors();
  for (const sum of sums) await report(faultline.httpUrl, project, sum);
  await until("it split", async () => (await errors()).length === 4);
  const split = (await errors()).find(({ splitFromErrorId }) => splitFromErrorId !== "");
  await page.goto(`/${project.path}/-/error_tracking/${split?.errorId}/details`);
  const note = page.getByText("the events of this error were counted in another error");
  await note.waitFor();
  await browser.photograph("split-off");
  await note.getByRole("link", { name: `#${whole?.errorId}` }).click();
  await page.waitForURL(`**/${whole?.errorId}/details`);
});

test("errors that are one fault name each other", async () => {
  clock.at += 601_000;
  const joined = async () => (await errors()).find(({ joinedErrorIds }) => joinedErrorIds.length > 0);
  await until("they are joined", async () => (await joined()) !== undefined);
  const taker = await joined();
  const [otherId = ""] = taker?.joinedErrorIds ?? [];
  await page.goto(`/${project.path}/-/error_tracking/${taker?.errorId}/details`);
  await page
    .getByText("also receives the new events")
    .getByRole("link", { name: `#${otherId}` })
    .click();
  await page.waitForURL(`**/${otherId}/details`);
  const note = page.getByText("the same cause as another error, which receives its new events");
  await note.getByRole("link", { name: `#${taker?.errorId}` }).waitFor();
});

test.run();

// limit: 180 s
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Backend, type UpdateSettingsRequestSchema } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { readCaptures, replay } from "../../support/sentry/capture.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { execSql } from "../../support/database/other-process.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { reported } from "../../support/run/reported.ts";
import { envelope, newEventId, post, sendEnvelope, sendEvent, sendStore } from "../../support/sentry/send.ts";
import { rootPassword } from "../../support/service/server.ts";

/** The pages that show what becomes of sessions and of what is not stored, and what users say about an event. */

const hourMs = 3_600_000;
const external = {
  active: true,
  backend: Backend.EXTERNAL,
  externalApiUrl: "https://errors.example",
  externalAuthToken: "very-secret-token",
  externalProject: { id: "7", slug: "shop", name: "Shop", organizationSlug: "acme", organizationName: "Acme" },
};
const wrongKey = "f".repeat(32);

const { server, client: core } = await sharedServer();
let browser: TestBrowser;
let page: Page;
let project: Project;
/** See trackingOf. */
let tracking: string;

test.before(
  reported(async () => {
    project = await createProject(server);
    tracking = await trackingOf(project);
    const { sessionToken } = await core.accounts.signIn({ username: "root", password: rootPassword });
    browser = await openBrowser(server);
    ({ page } = browser);
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

const photograph = (name: string) => browser.photograph(name);

/** The address of a project's error tracking. */
async function trackingOf({ id }: Project): Promise<string> {
  const { project: found } = await core.projects.getProject({ key: { case: "projectId", value: id } }, core.auth);
  return `/${found?.path}/-/error_tracking`;
}

const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();

/** The texts of the cells of the row that contains a text. */
async function cells(text: string): Promise<string[]> {
  const found = await page.getByRole("row").filter({ hasText: text }).getByRole("cell").allTextContents();
  return found.map((cell) => cell.replaceAll(/\s+/g, " ").trim());
}

interface Counted {
  readonly release: string;
  readonly environment?: string;
  readonly hoursAgo?: number;
  readonly user?: string;
  readonly exited?: number;
  readonly errored?: number;
  readonly crashed?: number;
}

/** Reports sessions that the SDK counted, like an SDK on a server. */
const sessions = (...counted: Counted[]) => sessionsOf(project, ...counted);

const sessionsOf = ({ id }: Project, ...counted: Counted[]) =>
  core.ingest.reportSessions(
    {
      aggregates: counted.map(({ hoursAgo = 0, user = "", ...counts }) => ({
        projectId: id,
        startedTime: timestampFromMs(Date.now() - hoursAgo * hourMs),
        userDigest: user,
        ...counts,
      })),
    },
    core.auth,
  );

test("without sessions the releases page says what they are and how they come", async () => {
  await page.goto(`${tracking}/releases`);
  await heading("Releases");
  await page.getByText("No sessions in 7 days.").first().waitFor();
  await page.getByText("Node.js").waitFor();
  await photograph("releases-empty");
});

test("releases show how many sessions and users they did not crash for, never rounded up", async () => {
  const day = Array.from({ length: 24 }, (_, hoursAgo) => hoursAgo);
  await sessions(
    ...day.map((hoursAgo) => ({
      release: "shop@1.3.0",
      environment: "production",
      hoursAgo,
      exited: 1000 - hoursAgo * 30,
    })),
    { release: "shop@1.3.0", environment: "production", hoursAgo: 2, crashed: 1 },
    { release: "shop@1.3.0", environment: "production", hoursAgo: 5, errored: 160 },
    { release: "shop@1.3.0", environment: "production", hoursAgo: 3, user: "a".repeat(32), exited: 3 },
    { release: "shop@1.3.0", environment: "staging", hoursAgo: 3, user: "b".repeat(32), crashed: 1, errored: 4 },
  );
  await sessions(
    ...day.map((hoursAgo) => ({
      release: "shop@1.2.9",
      environment: "production",
      hoursAgo: hoursAgo + 40,
      exited: 9 + hoursAgo * 30,
    })),
    { release: "shop@1.2.9", environment: "production", hoursAgo: 50, crashed: 130, errored: 110 },
    { release: "worker@7", hoursAgo: 30, exited: 612 },
  );
  await page.goto(`${tracking}/releases?period=7d`);
  const [release, sessionsFree, usersFree] = await cells("shop@1.3.0");
  assert.equal([release, sessionsFree, usersFree], ["shop@1.3.0", "99.98 %", "50 %"]);
  assert.equal((await cells("worker@7")).slice(1, 3), ["100 %", "—No session identified a user."]);
  await photograph("releases");
});

test("choosing a release narrows the chart to it, and the address keeps it", async () => {
  await page.getByRole("link", { name: "shop@1.2.9", exact: true }).click();
  await page.waitForURL(/release=shop%401\.2\.9/);
  const caption = page.getByTestId("bar-chart").locator("figcaption");
  await caption.getByText("8,736 sessions, 130 crashed, 110 errored in 7 days.").waitFor();
  await page.reload();
  await caption.getByText("8,736 sessions, 130 crashed, 110 errored in 7 days.").waitFor();
  await photograph("releases-chosen");
  await page.getByRole("link", { name: /Remove this filter/ }).click();
  await page.waitForURL((url) => !url.searchParams.has("release"));
});

test("the chart is read hour by hour with the keyboard, crashes too, and is offered as a table", async () => {
  await page.goto(`${tracking}/releases?release=shop%401.3.0&period=24h`);
  const chart = page.getByTestId("bar-chart");
  const slider = chart.getByRole("slider");
  await slider.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /, 941 sessions, 1 crashed$/);
  await chart.getByText("Show as table").click();
  assert.equal(await chart.getByRole("columnheader").allTextContents(), ["Hour", "Sessions", "Crashed", "Errored"]);
  assert.equal((await cells("941")).slice(2), ["1", "0"]);
  await photograph("releases-table");
});

test("an environment is chosen, and sessions without one can be too", async () => {
  await page.goto(`${tracking}/releases`);
  const choice = page.getByLabel("Environment");
  await choice.selectOption("staging");
  await page.waitForURL(/environment=staging/);
  await page.getByRole("link", { name: "worker@7", exact: true }).waitFor({ state: "detached" });
  assert.is((await cells("shop@1.3.0"))[1], "80 %");
  const shown = choice.locator("option:checked");
  await page.goBack();
  await page.getByRole("link", { name: "worker@7", exact: true }).waitFor();
  assert.is(await shown.textContent(), "All");
  await choice.selectOption("None named");
  await page.waitForURL(/environment=%2Fnone/);
  await page.getByRole("link", { name: "worker@7", exact: true }).waitFor();
  await page.reload();
  assert.is(await shown.textContent(), "None named");
});

test("a release leads to its errors", async () => {
  const answer = await sendEvent(server, project, event("TypeError", { release: "shop@1.3.0" }));
  assert.is(answer.status, 200, answer.text);
  await page.goto(`${tracking}/releases`);
  await page.getByRole("link", { name: "Show errors of shop@1.3.0" }).click();
  await page.getByRole("link", { name: /TypeError/ }).waitFor();
  assert.is(await page.getByRole("combobox", { name: "Search errors" }).inputValue(), "release:shop@1.3.0");
});

test("more releases than a page holds are reached by Next", async () => {
  await sessions(...Array.from({ length: 25 }, (_, index) => ({ release: `many@${index}`, hoursAgo: 90, exited: 1 })));
  await page.goto(`${tracking}/releases`);
  await page.getByRole("link", { name: "Next ›" }).click();
  await page.getByRole("link", { name: "‹ First page" }).waitFor();
  assert.is(await page.getByRole("row").filter({ hasText: "many@" }).count(), 8);
});

test("releases and users beyond the bounds are shown as others, with a sentence that says why", async () => {
  const large = await createProject(server);
  const users = (...names: string[]) => names.map((user) => ({ release: "shop@1.3.0", environment: "env-1", user }));
  await sessionsOf(
    large,
    ...Array.from({ length: 103 }, (_, n) => ({ release: "shop@1.3.0", environment: `env-${n}`, exited: 10 })),
    ...users("ann", "bob").map((one) => ({ ...one, exited: 400 })),
    { ...users("cid")[0], release: "shop@1.3.0", crashed: 1 },
  );
  // As if 50,000 users had come before.
  await execSql(server.dataDir, `update integrated_session_day set user_count = 50000 where project_id = ${large.id}`);
  await sessionsOf(large, ...users("dan", "eve").map((one) => ({ ...one, crashed: 20 })));
  await page.goto(`${await trackingOf(large)}/releases`);
  assert.equal((await cells("shop@1.3.0")).slice(2, 6), ["66.6 %", "1,841", "41", "3+ or more"]);
  assert.equal((await cells("Other releases")).slice(3, 5), ["30", "0"]);
  assert.is(await page.getByRole("link", { name: /Other releases|Show errors of $/ }).count(), 0);
  await page.getByText("This project has reached 10,000 releases or 100 environments.").waitFor();
  await page.getByText("A user count with + is a minimum").waitFor();
  await photograph("releases-others");
});

test("a project whose tracking is off, or whose backend counts no sessions, says why", async () => {
  const other = await createProject(server);
  const releases = `${await trackingOf(other)}/releases`;
  await core.settings.updateSettings({ projectId: other.id, active: false }, core.auth);
  await page.goto(releases);
  await page.getByRole("link", { name: "Enable error tracking" }).waitFor();
  await core.settings.updateSettings({ projectId: other.id, ...external }, core.auth);
  const { project: now } = await core.projects.getProject({ key: { case: "projectId", value: other.id } }, core.auth);
  await page.goto(releases);
  await page.getByText("The releases could not be loaded.").waitFor();
  await page.getByText(now?.capabilities?.releases?.reason || "no reason was given").waitFor();
  await photograph("releases-not-offered");
});

test("a page that is asked for with nonsense leads back", async () => {
  await page.goto(`${tracking}/releases?period=1y&environment=%2F%2F&release=x&cursor=nonsense`);
  await page.getByText("The releases could not be loaded.").waitFor();
  await page.getByRole("link", { name: "Start over" }).click();
  await page.getByRole("link", { name: "shop@1.3.0", exact: true }).waitFor();
});

test("a release may have any name, and the page still fits", async () => {
  const hostile = `<script>document.title='taken'</script>"&release=\u202E${"x".repeat(150)}`;
  await sessions({ release: hostile, environment: "y".repeat(64), exited: 1 });
  await page.goto(`${tracking}/releases?period=24h`);
  await page.getByRole("link", { name: /^<script>/ }).click();
  await page.waitForURL((url) => url.searchParams.get("release") === hostile);
  await page.getByTestId("bar-chart").locator("figcaption").getByText("1 session in 24 hours.").waitFor();
  assert.is(await page.title(), `Releases · ${tracking.split("/")[1]}`);
  await photograph("releases-hostile");
});

test("a refused request appears immediately for people who wait for the first error", async () => {
  const fresh = await createProject(server);
  const stranger = { id: fresh.id, key: wrongKey };
  await page.goto(`${await trackingOf(fresh)}/get_started`);
  const arrivals = page.getByTestId("arrivals");
  const refused = page.getByTestId("refused");
  await arrivals.getByText("Received 0 · refused 0").waitFor();
  await sendStore(server, stranger, event("TypeError"));
  await refused.getByText(/Refused: unknown key in DSN, \d+ s ago\s+from \S+ \(faultline\.test\/1\.0\)\s*$/).waitFor();
  await page.getByText("Waiting for the first error…").waitFor();
  await arrivals.getByText("Received 0 · refused 1").waitFor();
  for (let n = 0; n < 12; n++) await sendStore(server, stranger, event("TypeError"));
  await refused.getByText(/, and 12 more\s*$/).waitFor();
  await arrivals.getByText("Received 0 · refused 13").waitFor();
  const status = page.getByRole("status").filter({ hasText: "refused" });
  assert.match((await status.textContent()) ?? "", /^1 request refused, the last: unknown key in DSN\./);
  await photograph("get-started-refused");
  await refused.getByText(/, [2-9] s ago/).waitFor(); // it counts up
  await page.reload();
  await arrivals.getByText("Received 0 · refused 13").waitFor();
  await refused.getByText(/, and 12 more\s*$/).waitFor();
  await Promise.all(Array.from({ length: 60 }, () => sendStore(server, stranger, event("TypeError"))));
  await refused.getByText(/, and 72 more\s*$/).waitFor();
  await arrivals.getByText("Received 0 · refused 73").waitFor();
  await sendStore(server, fresh, event("TypeError"));
  await page.getByText("First error received").waitFor();
  await arrivals.getByText("Received 1 · refused 73").waitFor();
  // After success a refusal is news, and no longer the loudest thing on the page.
  assert.is(await page.locator(".notice.error").count(), 0);
  await page.locator(".notice.success").getByText("First error received").waitFor();
  await photograph("get-started-received");

  const deep = `{"extra":${"[".repeat(64)}${"]".repeat(64)}}`;
  const { text } = await post(server, fresh, "store", deep);
  assert.match(text, "more than 64 levels");
  await refused.getByText(/^Refused: nested too deeply, /).waitFor();
  await refused.getByText("The event has more than 64 levels of objects and lists.").waitFor();
  await refused.getByText(/The application received: .*more than 64 levels/).waitFor();
});

test("a test error takes the way of the DSN, and the page says what came of it", async () => {
  const fresh = await createProject(server);
  await page.goto(`${await trackingOf(fresh)}/get_started?lang=react`);
  await page.getByText("Tested with 11.12.0 · envelope endpoint · exception, message, session").waitFor();
  const send = page.getByRole("button", { name: "Send a test error" });
  const result = page.getByTestId("test-error");
  await send.focus();
  await page.keyboard.press("Enter");
  await result.getByText(/^Accepted in \d+ ms as event [0-9a-f]{32}\.$/).waitFor();
  await page.getByText("First error received: TestError: Test from Faultline").waitFor();
  await photograph("get-started-test-error");
  await core.settings.updateSettings({ projectId: fresh.id, active: false }, core.auth);
  await send.click();
  await result.getByText(/^Refused with 403: The DSN is right, but error tracking is not active/).waitFor();
  assert.equal(
    browser.complaints.splice(0).filter((complaint) => !complaint.includes("403 (Forbidden)")),
    [],
  );
});

test("the pages say why events with a right DSN are refused, and what the application received", async () => {
  const fresh = await createProject(server);
  const set = (fields: MessageInitShape<typeof UpdateSettingsRequestSchema>) =>
    core.settings.updateSettings({ projectId: fresh.id, ...fields }, core.auth);
  const refused = page.getByTestId("refused");
  const address = await trackingOf(fresh);

  await set({ active: false });
  await page.goto(`${address}/get_started`);
  await sendStore(server, fresh, event("TypeError"));
  await refused.getByText(/^Refused: error tracking not active, /).waitFor();
  await refused.getByText("The application received: “The DSN is right, but error tracking is not active").waitFor();
  await photograph("get-started-not-active");

  await set({ ...external, externalProject: { ...external.externalProject, id: "8", slug: "till" } });
  await sendStore(server, fresh, event("TypeError"));
  await refused.getByText(/^Refused: errors are read from an external system, /).waitFor();
  await refused.getByText("Use a DSN of the external system in the application.").waitFor();

  await set({ backend: Backend.INTEGRATED });
  await page.goto(`${address}/ingestion`);
  for (const reason of ["error tracking not active", "errors are read from an external system"]) {
    assert.equal((await cells(reason)).slice(2, 3), ["1"]);
  }
  await photograph("ingestion-closed");
});

test("the errors page says what was refused, and the ingestion page what to do about it", async () => {
  for (let n = 0; n < 3; n++) await sendStore(server, { id: project.id, key: wrongKey }, event("TypeError"));
  await post(server, project, "store", "{");
  await sendEnvelope(
    server,
    project,
    envelope(
      newEventId(),
      [{ type: "event" }, event("TypeError", { release: "shop@1.3.0" })],
      [{ type: "attachment", filename: "a.txt" }, {}],
      [{ type: "transaction" }, {}],
      [
        { type: "client_report" },
        {
          discarded_events: [
            { category: "error", reason: "ratelimit_backoff", quantity: 1204 },
            { category: "transaction", reason: "sample_rate", quantity: 80 },
            { category: "session", reason: "network_error", quantity: 3 },
          ],
        },
      ],
    ),
  );
  await page.goto(tracking);
  await page
    .getByText("4 events refused in the last 24 hours: unknown key in DSN (3), could not be read (1).")
    .waitFor();
  await photograph("errors-refused");
  await page.getByRole("link", { name: "See how to fix it" }).click();
  await heading("Ingestion");
  assert.equal((await cells("unknown key in DSN")).slice(2, 3), ["3"]);
  assert.equal((await cells("waited for the rate limit")).slice(2, 3), ["1,204"]);
  assert.equal((await cells("Attachments")).slice(2, 3), ["1"]);
  await page.getByTestId("bar-chart").locator("figcaption").getByText("4 items in 24 hours.").waitFor();
  await photograph("ingestion");
  await page.getByRole("link", { name: "90 days" }).click();
  await page.waitForURL(/period=90d/);
  await page.getByText("90 days, one bar per day.").waitFor();
});

test("feedback about an event is above its stack trace, as plain text", async () => {
  const eventId = newEventId();
  const hostile = "It broke.\n<b>twice</b> <script>document.title='taken'</script>";
  await sendEvent(server, project, { ...event("FeedbackError"), event_id: eventId });
  await sendEnvelope(
    server,
    project,
    envelope(eventId, [
      { type: "user_report" },
      { event_id: eventId, name: "Ada Lovelace", email: "ada@example.com", comments: hostile },
    ]),
  );
  await page.goto(`${tracking}?q=FeedbackError`);
  await page.getByRole("link", { name: /FeedbackError/ }).click();
  const section = page.getByRole("region", { name: "User feedback" });
  await section.getByText("ada@example.com").waitFor();
  assert.ok((await section.textContent())?.includes(hostile));
  await photograph("error-feedback");
});

const sha = "8f14e45fceea167a5a36dedd4bea2543c1f1d0b6";
const base = "https://git.example.com/acme/web";

test("the code address is set next to an example, and a wrong address is refused in its field", async () => {
  const settings = tracking.replace("error_tracking", "settings/general");
  await page.goto(settings);
  const address = page.getByLabel("Address of a line of code");
  await address.fill("https://git.example.com/{branch}/{path}");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("The link supports the placeholders {path}, {line} and {revision}, not {branch}.").waitFor();
  await photograph("general-settings-refused");
  browser.complaints.splice(0); // the browser notes each answer of 400
  await address.fill(`${base}/blob/{revision}/{path}#L{line}`);
  await page.getByLabel("Source root").fill("/srv/app");
  await page.getByText(`${base}/blob/${sha}/src/cart.js#L12`).waitFor();
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("Saved.").waitFor();
  await page.reload();
  assert.is(await page.getByLabel("Source root").inputValue(), "/srv/app/");
  await photograph("general-settings");
});

for (const [sdk, file] of [
  ["python-1.21.0", "py/app.py"],
  ["node-7.38.0", "node/app.cjs"],
] as const)
  test(`frames that ${sdk} sent open in the repository`, async () => {
    const capture = readCaptures().find(({ name }) => name === `${sdk}/01-handled-exception`);
    assert.ok(capture);
    assert.is((await replay(server, project, capture)).status, 200);
    const { event: sent } = await core.errors.getEvent(
      { projectId: project.id, eventId: capture.eventIds[0] ?? "" },
      core.auth,
    );
    await page.goto(`${tracking}/${sent?.errorId}/details`);
    const { lineno } = sent?.exceptions.at(-1)?.frames.findLast(({ inApp }) => inApp) ?? {};
    const line = `${base}/blob/shop%401.2.3/${file}#L${lineno}`;
    const link = page.getByRole("link", { name: "Open in repository" }).and(page.locator(`[href="${line}"]`));
    assert.is(await link.getAttribute("target"), "_blank");
    assert.match((await link.getAttribute("rel")) ?? "", /noopener noreferrer/);
    const facts = page.locator(".facts").getByRole("link", { name: "shop@1.2.3" });
    assert.is(await facts.first().getAttribute("href"), `${base}/releases/tag/shop%401.2.3`);
    await photograph(`error-code-${sdk.split("-")[0]}`);
  });

test("an error and the releases show their commits, and lead to them", async () => {
  const release = `shop@1.4.0+${sha}`;
  const committed = event("CommittedError", { release });
  assert.is((await sendEvent(server, project, committed)).status, 200);
  const { event: stored } = await core.errors.getEvent(
    { projectId: project.id, eventId: String(committed["event_id"]) },
    core.auth,
  );
  await page.goto(`${tracking}/${stored?.errorId}/details`);
  const commit = page.locator(".facts").getByRole("link", { name: "commit 8f14e45fce" });
  assert.equal(await commit.evaluateAll((links) => links.map((link) => link.getAttribute("href"))), [
    `${base}/commit/${sha}`,
    `${base}/commit/${sha}`,
  ]);
  await page.locator(".facts").getByText("in shop@1.4.0, commit 8f14e45fce").first().waitFor();
  await photograph("error-commit");
  await sessions({ release, exited: 3 });
  await page.goto(`${tracking}/releases`);
  const row = page.getByRole("row").filter({ hasText: release });
  const linked = row.getByRole("link", { name: "8f14e45fce", exact: true });
  assert.is(await linked.getAttribute("href"), `${base}/commit/${sha}`);
  const tag = page.getByRole("row").filter({ hasText: "worker@7" }).getByRole("link", { name: "Open in repository" });
  assert.is(await tag.getAttribute("href"), `${base}/releases/tag/worker%407`);
  await photograph("releases-code");
});

test("without scripts releases and ingestion can be read", async () => {
  const reader = await browser.pageWithoutScripts();
  await reader.goto(`${tracking}/releases?environment=production`);
  await reader.getByRole("link", { name: "shop@1.3.0", exact: true }).waitFor();
  await reader.getByLabel("Environment").selectOption("staging");
  await reader.getByRole("button", { name: "Show" }).click();
  await reader.waitForURL(/environment=staging/);
  await reader.goto(`${tracking}/ingestion`);
  await reader.getByText("unknown key in DSN").first().waitFor();
  await reader.context().close();
});

/** An event as an application sends it. */
function event(type: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const frames = [{ filename: "src/cart.js", function: "charge", lineno: 21, in_app: true }];
  return {
    event_id: newEventId(),
    platform: "node",
    exception: { values: [{ type, value: "total is undefined", stacktrace: { frames } }] },
    ...more,
  };
}

test.run();

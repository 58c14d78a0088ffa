import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { rest } from "../support/rest/rest.ts";
import { reported } from "../support/run/reported.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";
import { rootPassword } from "../support/service/server.ts";

/** Release records of builds: on the page of releases, in charts, and on the page of an error. */

const { server, client: core } = await sharedServer();
const hourMs = 3_600_000;
const version = "shop@1.4.0";
const commitId = "9618566db5aea5fe7f95a3111ffc332e2c98da23";
let browser: TestBrowser;
let project: Project;
let tracking: string;

test.before(
  reported(async () => {
    project = await createProject(server);
    tracking = `/${project.path}/-/error_tracking`;
    const codeUrl = "https://gitlab.example.com/acme/web/-/blob/{revision}/{path}#L{line}";
    await rest(server, `PUT /projects/${project.id}`, { body: { code_url: codeUrl } });
    const release = { projectId: project.id, version };
    const at = (hoursAgo: number) => timestampFromMs(Date.now() - hoursAgo * hourMs);
    const { releaseRecords } = core;
    await releaseRecords.recordRelease(
      { ...release, ref: "main", url: "https://ci.example.com/42", releasedTime: at(5) },
      core.auth,
    );
    const author = { authorName: "Ada Lovelace", authorEmail: "ada@example.com", committedTime: at(7) };
    const message = "Allow vouchers to lower the total\n\nThe sum may be negative from now on.";
    const commits = [
      { ...author, commitId, message, paths: ["src/cart/total.js", "src/cart/vouchers.js"] },
      { ...author, commitId: "1928e11f", message: "Describe vouchers", paths: ["docs/vouchers.md"] },
    ];
    await releaseRecords.recordCommits({ ...release, commits }, core.auth);
    for (const [environment, hoursAgo] of [
      ["staging", 4.1],
      ["production", 4],
      ["production", 1],
    ] as const) {
      await releaseRecords.recordDeploy({ ...release, environment, finishedTime: at(hoursAgo) }, core.auth);
    }
    const frames = [{ filename: "/srv/app/src/cart/total.js", function: "totalOf", lineno: 12, in_app: true }];
    const sent = await sendEvent(server, project, {
      event_id: newEventId(),
      platform: "node",
      release: version,
      exception: { values: [{ type: "Error", value: "negative total", stacktrace: { frames } }] },
    });
    assert.is(sent.status, 200, sent.text);
    browser = await openBrowser(server, { asPeople: true });
    const { sessionToken } = await core.accounts.signIn({ username: "root", password: rootPassword });
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

test("the page of an error names the suspect commit, and its chart marks deploys, which keys reach", async () => {
  const { errors } = await core.errors.listErrors({ projectId: project.id }, core.auth);
  const { page } = browser;
  await page.goto(`${tracking}/${errors[0]?.errorId}/details`);
  const suspects = page.getByRole("region", { name: "Suspect commits" });
  await suspects.getByText("Allow vouchers to lower the total").waitFor();
  await suspects.getByText("by Ada Lovelace").waitFor();
  assert.is(await suspects.getByText("Describe vouchers").count(), 0);
  const link = suspects.getByRole("link", { name: commitId.slice(0, 10) });
  assert.is(await link.getAttribute("href"), `https://gitlab.example.com/acme/web/-/commit/${commitId}`);
  const marks = page.getByRole("figure").getByRole("link", { name: /^Deploy of/ });
  await marks.first().waitFor();
  assert.match((await marks.last().getAttribute("aria-label")) ?? "", /^Deploy of shop@1\.4\.0 to production, /);
  await browser.photograph("suspect-commits");
  await marks.last().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: version }).waitFor();
});

test("the page of releases shows what builds recorded, and the new errors of a release", async () => {
  const { page } = browser;
  await page.goto(`${tracking}/releases`);
  const table = page.getByRole("region", { name: "Recorded by builds" });
  await table.getByRole("cell", { name: /^production, / }).waitFor();
  await table.getByRole("link", { name: version, exact: true }).click();
  const chosen = page.getByRole("region", { name: version });
  await chosen.getByText("2 commits").click();
  await chosen.getByText("Describe vouchers").waitFor();
  await browser.photograph("release-record");
  await chosen.getByRole("link", { name: /^1 new error/ }).click();
  await page
    .getByRole("link", { name: /negative total/ })
    .first()
    .waitFor();
});

test.run();

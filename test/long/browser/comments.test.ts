import { Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { newMember, personPassword } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rootPassword, startServer, type Server } from "../../support/service/server.ts";
import { reported } from "../../support/run/reported.ts";

/** The tab of comments of an error, and the panel beside an event: with scripts, without them, and with hostile texts. */

let server: Server;
let client: GrpcClient;
let browser: TestBrowser;
let page: Page;
let project: Project;
let errorId: string;
let tab: string;

test.before(
  reported(async () => {
    server = await startServer();
    client = grpcClient(server);
    project = await createProject(server);
    await sendEvent(server, project, { event_id: newEventId(), message: "the shop is closed" });
    const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
    errorId = errors[0]?.errorId ?? "";
    tab = `/${project.path}/-/error_tracking/${errorId}/comments`;
    browser = await openBrowser(server);
    page = browser.page;
    const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
  client?.close();
  await server?.stop();
});
test.after.each(() => {
  assert.equal(browser.complaints.splice(0), []);
});

const items = (shown: Page) =>
  shown.getByRole("region", { name: "Comments" }).getByRole("listitem", { name: "Comment by" });
const textOfItems = async (shown: Page) =>
  (await items(shown).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));

async function write(shown: Page, text: string) {
  await shown.getByLabel("Add a comment").fill(text);
  await shown.getByRole("button", { name: "Comment", exact: true }).press("Enter");
}

test("a person reads, adds, changes and deletes comments by keyboard, and the texts are shown as Markdown", async () => {
  await page.goto(tab.replace("comments", "details"));
  await page
    .getByRole("navigation", { name: "Views of this error" })
    .getByRole("link", { name: "Comments" })
    .press("Enter");
  await page.getByText("No comments yet.").waitFor();
  await write(page, "It is **bold** and `code`\n\n- see https://example.com/a\n- second\n\n> quoted\n\n```\na  b\n```");
  const item = items(page).first();
  await item.waitFor();
  assert.is(await item.locator("strong", { hasText: "bold" }).count(), 1);
  assert.is(
    await item.getByRole("link", { name: "https://example.com/a" }).getAttribute("href"),
    "https://example.com/a",
  );
  assert.equal(
    [
      await item.locator("ul > li").count(),
      await item.locator("blockquote").count(),
      await item.locator("pre").innerText(),
    ],
    [2, 1, "a  b"],
  );
  assert.is(await page.getByLabel("Add a comment").inputValue(), "");
  await browser.photograph("comments-markdown");

  await item.getByRole("link", { name: "Edit the comment" }).press("Enter");
  const field = item.getByLabel("Your comment");
  await field.waitFor();
  await field.fill("shorter");
  await item.getByRole("button", { name: "Save" }).press("Enter");
  await item.getByText("shorter").waitFor();
  await item.getByRole("link", { name: "edited" }).press("Enter");
  await item.getByRole("list", { name: "Earlier texts" }).getByText("It is **bold**").waitFor();
  await write(page, "a second comment");
  await until("both are listed", async () => (await items(page).count()) === 2);
  await browser.photograph("comments");

  await items(page).last().locator("summary").press("Enter");
  await items(page).last().getByRole("button", { name: "Delete comment" }).press("Enter");
  await page.getByText("root deleted this comment").waitFor();
});

test("a comment that someone else changed meanwhile is refused, and the typed text stays", async () => {
  const { comment } = await client.comments.createComment({ projectId: project.id, errorId, text: "old" }, client.auth);
  const commentId = comment?.commentId ?? 0;
  await page.goto(`${tab}?edit=${commentId}`);
  await client.comments.updateComment(
    { projectId: project.id, errorId, commentId, version: 1, text: "new" },
    client.auth,
  );
  await page.getByLabel("Your comment").fill("mine");
  await page.getByRole("button", { name: "Save" }).press("Enter");
  await page.getByText("This comment was changed meanwhile").waitFor();
  assert.match(browser.complaints.splice(0).join(), "409 (Conflict)");
  assert.is(await page.getByLabel("Your comment").inputValue(), "mine");
});

test("hostile texts stay texts", async () => {
  const texts = [
    '<img src=x onerror="document.title=1">',
    "[x](javascript:document.title=1)",
    "<script>document.title=1</script>",
  ];
  for (const text of texts) {
    await client.comments.createComment({ projectId: project.id, errorId, text }, client.auth);
  }
  await page.goto(tab);
  const shown = await textOfItems(page);
  for (const text of texts)
    assert.ok(
      shown.some((item) => item.includes(text)),
      text,
    );
  assert.is(await items(page).locator("img, script, a[href^='javascript']").count(), 0);
  assert.match(await page.title(), /^Comments on the shop is closed/);
});

test("without scripts, a person comments, edits and deletes too", async () => {
  const bare = await browser.pageWithoutScripts();
  await bare.goto(tab);
  await write(bare, "without scripts");
  const item = items(bare).last();
  await item.getByText("without scripts").waitFor();
  await item.getByRole("link", { name: "Edit the comment" }).click();
  await items(bare).last().getByLabel("Your comment").fill("still without");
  await bare.getByRole("button", { name: "Save" }).click();
  await items(bare).last().getByText("still without").waitFor();
  await items(bare).last().locator("summary").click();
  await items(bare).last().getByRole("button", { name: "Delete comment" }).click();
  await items(bare).last().getByText("root deleted this comment").waitFor();
});

test("the panel beside an event shows the newest comments, and a reporter reads comments without a form", async () => {
  await client.comments.createComment({ projectId: project.id, errorId, text: "**the** newest" }, client.auth);
  const bare = await browser.pageWithoutScripts();
  await bare.goto(tab.replace("comments", "details"));
  const panel = bare.getByRole("complementary", { name: "About the event" }).getByRole("region", { name: "Comments" });
  assert.match(await panel.innerText(), /the newest/);
  const reporter = await newMember(client, project.id, Role.REPORTER);
  const { sessionToken } = await client.accounts.signIn({ username: reporter.username, password: personPassword });
  const other = await browser.anotherPage({ Cookie: `faultline_session=${sessionToken}` });
  await other.goto(tab);
  await other.getByText("Your role in this project can read comments but not write them.").waitFor();
  assert.is(await other.getByRole("button", { name: "Comment", exact: true }).count(), 0);
  assert.is(await other.getByRole("link", { name: "Edit the comment" }).count(), 0);
});

test.run();

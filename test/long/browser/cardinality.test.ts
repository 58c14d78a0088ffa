// limit: 240 s
import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser } from "../../support/console/browser.ts";
import { runningServer } from "../../support/service/flow.ts";
import { execSql } from "../../support/database/other-process.ts";
import { newMember, personPassword } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { rootPassword } from "../../support/service/server.ts";
import { storedErrors } from "../../support/database/stored.ts";

/** The texts of pages about an error that exceeds a limit, and about the key of an event. */

const { server, client } = await runningServer();
const browser = await openBrowser(server);
test.after(() => browser.close());
const { page } = browser;
const project = await createProject(server);
const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
await browser.signIn(sessionToken);

const pageOf = (errorId = "") => `/${project.path}/-/error_tracking/${errorId}/details`;
const send = (event: object) =>
  sendStore(server, project, { event_id: newEventId(), ...event }).then(({ status }) => assert.is(status, 200));
// More than the burst of 300 and the room that appears while they are sent.
for (let n = 0; n < 400; n++) await send({ exception: { values: [{ type: `New${n}`, value: "attack" }] } });

test("the error that holds others says what it is, since when, and what to do", async () => {
  const other = (await storedErrors(client, project.id)).find(({ holdsOtherErrors }) => holdsOtherErrors);
  await page.goto(pageOf(other?.errorId));
  assert.is(await page.locator("h1").textContent(), "Other errors");
  const note = (await page.locator(".notice").textContent()) ?? "";
  assert.match(note, /^Since \S.* more new errors arrived than the limit .* No event is lost: /);
  assert.match(note, /replace its client key in the settings; .* give these events a fingerprint\.$/);
  await browser.photograph("other-errors");

  await page.goto(`/${project.path}/-/error_tracking?q=${encodeURIComponent('error.type:"Other errors"')}`);
  const row = page.locator("tbody tr");
  assert.match((await row.textContent()) ?? "", /Other errors\s*beyond the limit of new errors/);
  await browser.photograph("other-errors-row");
});

test("an error with too many users and tags says that there are more", async () => {
  await send({ fingerprint: ["one"], message: "Card refused", user: { id: "1" } });
  const error = (await storedErrors(client, project.id)).find(({ title }) => title !== "Other errors");
  await execSql(
    server.dataDir,
    `update integrated_error set user_count = 100000 where id = ${error?.errorId};
    update integrated_cardinality set other_user_count = 12, other_tag_count = 3400 where error_id = ${error?.errorId};
    insert into integrated_cardinality (error_id, key_count, other_user_count, other_tag_count)
    select ${error?.errorId}, 0, 12, 3400
    where not exists (select 1 from integrated_cardinality where error_id = ${error?.errorId})`,
  );
  await page.goto(pageOf(error?.errorId));
  assert.match((await page.locator(".facts").textContent()) ?? "", /Users\s*100,000\+/);
  const notes = await page.locator(".notice").allTextContents();
  assert.is(notes[0], "The first 100,000 users are counted. Events named up to 12 more.");
  assert.match(notes[1] ?? "", /Up to 3,400 more are shown only with their events\./);
  await browser.photograph("too-many-users");
});

test("an error shows next to its count how many events spike protection did not store, or nothing if there are none", async () => {
  const [error] = await storedErrors(client, project.id);
  await page.goto(pageOf(error?.errorId));
  assert.not.match((await page.locator(".facts").textContent()) ?? "", "spike protection");
  const today = Math.floor(Date.now() / 86_400_000);
  await execSql(
    server.dataDir,
    `insert into integrated_sampled_out values (${project.id}, ${error?.errorId}, ${today - 1}, 1200),
      (${project.id}, ${error?.errorId}, ${today}, 40)`,
  );
  await page.reload();
  assert.match(
    (await page.locator(".facts").textContent()) ?? "",
    /Events\s*\d+\s*1,240 more sampled out by\s*spike protection/,
  );
  await browser.photograph("sampled-out");
  await page.getByRole("link", { name: "spike protection" }).click();
  await page.getByRole("heading", { name: "Ingestion", level: 1 }).waitFor();
});

test("an event names the client key it came with; who may see keys finds it there", async () => {
  const [error] = await storedErrors(client, project.id);
  const text = `Client key #${project.keyId}`;
  await page.goto(pageOf(error?.errorId));
  const address = await page.getByRole("link", { name: text }).getAttribute("href");
  assert.is(address, `/${project.path}/-/settings/monitor/client_keys/${project.keyId}`);

  const { username } = await newMember(client, project.id, Role.DEVELOPER);
  const other = await browser.anotherPage();
  const signedIn = await client.accounts.signIn({ username, password: personPassword });
  const cookie = { name: "faultline_session", value: signedIn.sessionToken, url: server.url };
  await other.context().addCookies([cookie]);
  await other.goto(pageOf(error?.errorId));
  assert.is(await other.getByText(text).count(), 1);
  assert.is(await other.getByRole("link", { name: text }).count(), 0);
});

test.run();

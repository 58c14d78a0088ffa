import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered } from "../../support/assert/assert-answer.ts";
import { runningServer } from "../../support/service/flow.ts";
import { linkedPage } from "../../support/console/linked-page.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { until } from "../../support/run/until.ts";

const { server, client } = await runningServer();
const project = await createProject(server);
const path = `/projects/${project.id}/error_tracking`;
const maintainer = await newMember(client, project.id, Role.MAINTAINER);
const developer = await newMember(client, project.id, Role.DEVELOPER);

type Body = Readonly<Record<string, unknown>>;

async function report(message: string, fields: object = {}): Promise<void> {
  const event = { event_id: newEventId(), message, fingerprint: [message], ...fields };
  await answered(sendEvent(server, project, event), 200);
}

async function titles(): Promise<unknown[]> {
  const { json } = await answered(rest(server, `GET ${path}/errors?status=all&per_page=100`), 200);
  return (json as Body[]).map(({ title }) => title).toSorted();
}

async function idOf(title: string): Promise<string> {
  const { json } = await answered(rest(server, `GET ${path}/errors?query=${encodeURIComponent(title)}`), 200);
  return String((json as Body[])[0]?.["id"]);
}

const call = async (what: string, status: number, body?: object, token = maintainer.token) =>
  (await answered(rest(server, what, { body, token }), status)).json as Body;

test("DELETE of an error takes it away, and the undo brings it back", async () => {
  await report("one");
  const id = await idOf("one");
  const refused = await rest(server, `DELETE ${path}/errors/${id}`, { token: developer.token });
  assert.is(refused.status, 403);
  const deletion = await call(`DELETE ${path}/errors/${id}`, 202);
  assert.equal([deletion["state"], deletion["title"], deletion["event_count"]], ["hidden", "one", 1]);
  assert.type(deletion["undo_until"], "string");
  assert.is((await rest(server, `GET ${path}/errors/${id}`)).status, 404);
  assert.is((await rest(server, `DELETE ${path}/errors/${id}`)).status, 404);
  const undone = await call(`POST ${path}/deletions/${String(deletion["id"])}/undo`, 200);
  assert.equal([undone["state"], undone["restored_count"], undone["superseded_count"]], ["restored", 1, 0]);
  assert.equal(await titles(), ["one"]);
  assert.is((await rest(server, `POST ${path}/deletions/${String(deletion["id"])}/undo`)).status, 409);
  assert.is((await rest(server, `GET ${path}/deletions/999`)).status, 404);
  assert.is((await rest(server, `GET ${path}/deletions/x`)).status, 404);
});

const bad: readonly [claim: string, body: object, status: number, sentence: RegExp][] = [
  ["no target", {}, 400, /Choose the errors to delete/],
  ["no ids", { ids: [] }, 400, /1 to 1,000 errors/],
  ["a search without its number", { query: "noise" }, 400, /number of errors that you expect/],
  ["every error without its number", { status: "all" }, 400, /number of errors that you expect/],
  ["a number that is no number", { query: "noise", expected_count: "many" }, 400, /expected_count is invalid/],
  ["a number that is more than 10 % off", { query: "noise", expected_count: 12 }, 409, /^10 errors match now, but 12/],
  ["ids and a search", { ids: ["1"], query: "noise", expected_count: 10 }, 400, /is invalid/],
  ["an unknown status", { status: "open", expected_count: 1 }, 400, /status does not have a valid value/],
  ["two ends of a discard", { ids: ["1"], discard_after: 1, discard_until_release: "1" }, 400, /is invalid/],
  ["a discard that is over", { ids: ["1"], discard_until: "2020-01-01T00:00:00Z" }, 400, /in the future/],
  ["a discard until no time", { ids: ["1"], discard_until: "soon" }, 400, /discard_until is invalid/],
];
for (const [claim, body, status, sentence] of bad) {
  test(`${claim} is refused with a sentence, and nothing changes`, async () => {
    if ((await titles()).length < 11) {
      await Promise.all(Array.from({ length: 10 }, (_, n) => report(`noise ${n}`)));
    }
    const before = await titles();
    const answer = await rest(server, `POST ${path}/deletions`, { body, token: maintainer.token });
    assert.is(answer.status, status, answer.text);
    const { message, error } = answer.json as { message?: string; error?: string };
    assert.match((message ?? error ?? "").replace("400 Bad request - ", ""), sentence);
    assert.equal(await titles(), before);
  });
}

test("all matching errors are deleted, immediately without undo, and deletions are listed page by page", async () => {
  const deletion = await call(`POST ${path}/deletions`, 202, { query: "noise", expected_count: 10, undo: false });
  assert.equal([deletion["found_count"], deletion["query"], deletion["status"]], [10, "noise", "all"]);
  assert.is(deletion["undo_until"], null);
  assert.equal(await titles(), ["one"]);
  await until("all to be erased", async () => {
    const now = await call(`GET ${path}/deletions/${String(deletion["id"])}`, 200);
    return now["state"] === "erased" && now["erased_event_count"] === 10;
  });
  const first = await answered(rest(server, `GET ${path}/deletions?per_page=1`), 200);
  assert.equal(
    (first.json as Body[]).map(({ id }) => id),
    [deletion["id"]],
  );
  const next = linkedPage(first, "next") ?? "";
  assert.equal(
    ((await call(`GET ${next}`, 200)) as unknown as Body[]).map(({ title }) => title),
    ["one"],
  );
  assert.is(linkedPage(await rest(server, `GET ${next}`), "next"), undefined);
});

test("deleted and discarded errors are counted and not stored, until somebody records them again", async () => {
  await report("spam");
  await call(`POST ${path}/deletions`, 202, { ids: [await idOf("spam")], discard: true });
  for (let n = 0; n < 3; n += 1) await report("spam", { extra: { n } });
  await report("one");
  assert.equal(await titles(), ["one"]);
  const [discard] = (await call(`GET ${path}/discards`, 200)) as unknown as Body[];
  assert.equal([discard?.["title"], discard?.["stopped_count"], discard?.["ended_at"]], ["spam", 3, null]);
  const [sample, ...more] = (discard?.["samples"] ?? []) as { payload: string }[];
  assert.equal(more, [], "one a day");
  assert.equal((JSON.parse(sample?.payload ?? "") as { extra: object }).extra, { n: 0 });
  const outcomes = await until("the outcome", async () => {
    const body = await call(`GET ${path}/outcomes`, 200);
    const found = (body["outcomes"] as Body[]).find(({ kind }) => kind === "filtered");
    return found?.["quantity"] === 3 && found;
  });
  assert.equal([outcomes["category"], outcomes["reason"]], ["error", "discarded"]);
  const name = `DELETE ${path}/discards/${String(discard?.["id"])}`;
  assert.is((await rest(server, name, { token: developer.token })).status, 403);
  assert.type((await call(name, 200))["ended_at"], "string");
  await report("spam");
  assert.equal(await titles(), ["one", "spam"]);
  assert.is((await rest(server, `DELETE ${path}/discards/999`)).status, 404);
});

test("a deleted project can be removed now, by an administrator", async () => {
  const gone = await createProject(server);
  await answered(sendEvent(server, gone, { event_id: newEventId(), message: "gone" }), 200);
  assert.is((await rest(server, `POST /projects/${gone.id}/remove`)).status, 404, "it is not deleted");
  await answered(rest(server, `DELETE /projects/${gone.id}`), 202);
  assert.is((await rest(server, `POST /projects/${gone.id}/remove`, { token: maintainer.token })).status, 403);
  await answered(rest(server, `POST /projects/${gone.id}/remove`), 202);
  assert.is((await rest(server, `POST /projects/${gone.id}/restore`)).status, 404);
  const { projects } = await client.projects.listDeletedProjects({}, client.auth);
  assert.equal(projects, []);
});

test.run();

import { ErrorSort, ErrorStatus, Role } from "@faultline/proto";
import type { ListSavedSearchesResponse } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, withoutReason } from "../../support/assert/assert-answer.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { newMember, type Person } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { countOf } from "../../support/database/stored-rows.ts";
import { rest } from "../../support/rest/rest.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { until } from "../../support/run/until.ts";

const { server, client } = await sharedServer();
let project: Project;
let maintainer: Person;
let reporter: Person;
const searches = client.savedSearches;

test.before.each(async () => {
  project = await createProject(server);
  maintainer = await newMember(client, project.id, Role.MAINTAINER);
  reporter = await newMember(client, project.id, Role.REPORTER);
});

const save = async (person: Person, name: string, more: { query?: string; shared?: boolean } = {}) => {
  const { savedSearch } = await searches.createSavedSearch({ projectId: project.id, name, ...more }, person);
  return savedSearch?.savedSearchId ?? 0;
};
const names = ({ savedSearches }: ListSavedSearchesResponse) =>
  savedSearches.map(({ name, shared }) => (shared ? `${name} for all` : name));
const listed = async (person: Person) => names(await searches.listSavedSearches({ projectId: project.id }, person));

test("people see their own searches, then the project's, and nobody else's", async () => {
  await save(maintainer, "Checkout", { query: "transaction:/cart", shared: true });
  await save(maintainer, "Mine");
  await save(reporter, "Yours");
  assert.equal(await listed(maintainer), ["Mine", "Checkout for all"]);
  assert.equal(await listed(reporter), ["Yours", "Checkout for all"]);
});

test("a search comes back as it was saved, and a change leaves the rest", async () => {
  const { savedSearch } = await searches.createSavedSearch(
    {
      projectId: project.id,
      name: "  Staging ",
      query: " environment:staging ",
      status: ErrorStatus.IGNORED,
      sort: ErrorSort.EVENT_COUNT,
    },
    reporter,
  );
  const { savedSearchId = 0 } = savedSearch ?? {};
  await searches.updateSavedSearch({ projectId: project.id, savedSearchId, name: "Old staging" }, reporter);
  const { savedSearches } = await searches.listSavedSearches({ projectId: project.id }, reporter);
  assert.equal(
    savedSearches.map(({ name, query, status, sort, shared }) => ({ name, query, status, sort, shared })),
    [
      {
        name: "Old staging",
        query: "environment:staging",
        status: ErrorStatus.IGNORED,
        sort: ErrorSort.EVENT_COUNT,
        shared: false,
      },
    ],
  );
});

test("searches of the project need a maintainer, and searches of another person look missing", async () => {
  const shared = await save(maintainer, "Checkout", { shared: true });
  const own = await save(maintainer, "Mine");
  const projectId = project.id;
  const refusal = await refusedBecause("FORBIDDEN", save(reporter, "All", { shared: true }));
  assert.match(refusal.message, /Only maintainers can change the shared searches/);
  await refusedBecause(
    "FORBIDDEN",
    searches.updateSavedSearch({ projectId, savedSearchId: shared, name: "X" }, reporter),
  );
  await refusedBecause("FORBIDDEN", searches.deleteSavedSearch({ projectId, savedSearchId: shared }, reporter));
  const unknown = "SAVED_SEARCH_NOT_FOUND";
  await refusedBecause(unknown, searches.updateSavedSearch({ projectId, savedSearchId: own, name: "X" }, reporter));
  await refusedBecause(unknown, searches.deleteSavedSearch({ projectId, savedSearchId: own }, reporter));
  const other = await createProject(server);
  await refusedBecause(
    unknown,
    searches.deleteSavedSearch({ projectId: other.id, savedSearchId: shared }, client.auth),
  );
  await searches.deleteSavedSearch({ projectId, savedSearchId: own }, maintainer);
  assert.equal(await listed(maintainer), ["Checkout for all"]);
});

test("a search that cannot be read is refused with its place, and so are bad names, statuses and orders", async () => {
  const create = (fields: { name?: string; query?: string; status?: ErrorStatus; sort?: ErrorSort }) =>
    searches.createSavedSearch({ projectId: project.id, name: "x", ...fields }, reporter);
  const unreadable = await refusedBecause("INVALID_FIELD", create({ query: "card is:open" }));
  assert.is(unreadable.field, "query");
  assert.match(unreadable.message, /“open” is not a value of is\. .*\(Character 6 of the search\.\)/);
  for (const [field, fields] of [
    ["query", { query: "x".repeat(501) }],
    ["name", { name: "  " }],
    ["name", { name: "x".repeat(81) }],
    ["name", { name: "a\nb" }],
    ["status", { status: 9 as ErrorStatus }],
    ["sort", { sort: 9 as ErrorSort }],
  ] as const) {
    assert.is((await refusedBecause("INVALID_FIELD", create(fields))).field, field);
  }
  assert.equal(await listed(reporter), []);
  await create({ name: "x".repeat(80), query: "x".repeat(500) });
  assert.equal(await listed(reporter), ["x".repeat(80)]);
});

test("a name is unique in its list, without regard to case", async () => {
  await save(maintainer, "Checkout", { shared: true });
  const own = await save(maintainer, "Checkout");
  await save(maintainer, "Other");
  assert.is((await refusedBecause("INVALID_FIELD", save(maintainer, "CHECKOUT"))).field, "name");
  const rename = (name: string) =>
    searches.updateSavedSearch({ projectId: project.id, savedSearchId: own, name }, maintainer);
  await refusedBecause("INVALID_FIELD", rename("other"));
  await rename("checkout");
  assert.equal(await listed(maintainer), ["checkout", "Other", "Checkout for all"]);
});

test("a search moves to its new place in its list", async () => {
  const ids: number[] = [];
  for (const name of ["a", "b", "c", "d"]) ids.push(await save(reporter, name));
  const move = (n: number, position: number) =>
    searches.updateSavedSearch({ projectId: project.id, savedSearchId: ids[n] ?? 0, position }, reporter);
  await move(3, 0);
  assert.equal(await listed(reporter), ["d", "a", "b", "c"]);
  await move(0, 2);
  assert.equal(await listed(reporter), ["d", "b", "a", "c"]);
  await move(1, 99);
  assert.equal(await listed(reporter), ["d", "a", "c", "b"]);
  await save(reporter, "e");
  assert.equal(await listed(reporter), ["d", "a", "c", "b", "e"]);
});

test("a list has at most 50 searches, even if they come simultaneously", async () => {
  const results = await Promise.allSettled(Array.from({ length: 53 }, (_, n) => save(reporter, `s${n}`)));
  assert.is(results.filter(({ status }) => status === "fulfilled").length, 50);
  const refusal = await refusedBecause("LIMIT_REACHED", save(reporter, "one more"));
  assert.match(refusal.message, /Delete one first/);
  await save(maintainer, "of another list");
});

test("they are deleted with the person and the project", async () => {
  await save(maintainer, "Checkout", { shared: true });
  await save(maintainer, "Mine");
  await save(reporter, "Yours");
  const stored = (condition: string) => countOf(server.dataDir, `saved_search where ${condition}`);
  await client.users.deleteUser({ userId: reporter.userId }, client.auth);
  assert.is(await stored(`user_id = ${reporter.userId}`), 0);
  assert.is(await stored(`project_id = ${project.id}`), 2);
  await client.projects.deleteProject({ projectId: project.id }, client.auth);
  await client.projects.removeDeletedProject({ projectId: project.id }, client.auth);
  await until("the rows to go", async () => (await stored(`project_id = ${project.id}`)) === 0, { deadlineMs: 30_000 });
});

test("the audit log records changes of the project's searches, but not of a person's own", async () => {
  const shared = await save(maintainer, "Checkout", { shared: true });
  const own = await save(maintainer, "Mine");
  for (const savedSearchId of [shared, own]) {
    await searches.updateSavedSearch({ projectId: project.id, savedSearchId, query: "cart", position: 0 }, maintainer);
    await searches.deleteSavedSearch({ projectId: project.id, savedSearchId }, maintainer);
  }
  const { auditEvents } = await client.audit.listAuditEvents({ projectId: project.id, pageSize: 3 }, client.auth);
  assert.equal(
    auditEvents.map(({ summary }) => summary),
    [
      'Deleted the project\'s saved search "Checkout".',
      'Changed the project\'s saved search "Checkout": the query, its place.',
      'Saved the search "Checkout" for everyone in the project.',
    ],
  );
});

test("REST saves, lists, changes, moves and deletes them", async () => {
  const address = `/projects/${project.id}/error_tracking/saved_searches` as const;
  const call = (request: `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`, body?: object) =>
    rest(server, request, { token: maintainer.token, ...(body && { body }) });
  const first = await answered(call(`POST ${address}`, { name: "First", query: "cart", sort: "frequency" }), 201);
  const { id } = first.json as { id: number };
  assert.equal(first.json, {
    id,
    name: "First",
    query: "cart",
    status: "unresolved",
    sort: "frequency",
    shared: false,
  });
  await answered(call(`POST ${address}`, { name: "Second" }), 201);
  await answered(call(`POST ${address}`, { name: "All", shared: true }), 201);
  const changed = await answered(call(`PUT ${address}/${id}`, { status: "all", position: 1 }), 200);
  assert.equal((changed.json as { status: string }).status, "all");
  const list = (await answered(call(`GET ${address}`), 200)).json as { name: string }[];
  assert.equal(
    list.map(({ name }) => name),
    ["Second", "First", "All"],
  );
  await answered(call(`DELETE ${address}/${id}`), 204);
  assert.equal(withoutReason((await answered(call(`DELETE ${address}/${id}`), 404)).json), {
    message: "404 Saved Search Not Found",
  });
  assert.match((await answered(call(`POST ${address}`, { name: "x", query: "(" }), 400)).text, /parentheses/);
});

test.run();

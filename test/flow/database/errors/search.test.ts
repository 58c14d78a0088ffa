import { isDeepStrictEqual } from "node:util";
import { parseSearch, printSearch, type Pattern, type Term } from "@faultline/plugin/search";
import { Backend, type Error as ErrorMessage } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../../backend/src/main.ts";
import { databaseOf } from "../../../support/database/database-of.ts";
import { grpcClient, type GrpcClient } from "../../../support/core/grpc.ts";
import { passTime, testPace } from "../../../support/service/movable-faultline.ts";
import { execSql } from "../../../support/database/other-process.ts";
import { randomNumbers } from "../../../support/sentry/random.ts";
import { newEventId, sendStore, type Target } from "../../../support/sentry/send.ts";
import { matches, type SearchedError } from "../../../support/database/slow-search.ts";
import { countOf, recountOf, rowsOf } from "../../../support/database/stored-rows.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { testConfig } from "../../../support/service/test-config.ts";
import { until } from "../../../support/run/until.ts";
import type { Faultline } from "../../../../backend/src/serve.ts";

const dayMs = 86_400_000;
/** More than the 250 that a search draws: with fewer it looks at all of them. */
const groups = 300;
const searches = 40;
const clock = { at: Date.UTC(2026, 0, 10, 12), now: () => clock.at };
const dataDir = tempDir();
const config = testConfig(dataDir);
const random = randomNumbers(16);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

/** Texts that SQL, patterns, full-text indexes and alphabets take for something else. */
const parts = [
  "user",
  "User",
  "%",
  "_",
  "\\",
  "%_\\",
  "'",
  '"',
  "''",
  "100%",
  "a_b",
  "aaa",
  "aaaa",
  "NEAR",
  "OR",
  "*",
  "^",
  "(",
  "-",
  "über",
  "ÜBER",
  "Über",
  "ошибка",
  "Ошибка",
  "ΟΔΟΣ",
  "οδος",
  "straße",
  "İstanbul",
  "ılık",
  "é",
  "é",
  "日本語",
  "💥",
  "👩‍👩‍👧",
  "🇩🇪🇫🇷",
  "‮",
  "[1]",
  "{}",
  "<b>",
  "x😀y",
  "ﬁ",
  "ǅ",
  "",
  "�",
];
const someText = (most: number) =>
  Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(parts)).join(pick([" ", ""]));

const people = [
  { id: "3" },
  { id: "4", email: "Ann@Example.com", ip_address: "10.0.0.1" },
  { email: "bob@example.com" },
  { username: "carol_%" },
  { ip_address: "2001:db8::1" },
];

let project: Target;

async function running<Result>(
  work: (running: { url: string; client: GrpcClient }) => Promise<Result>,
): Promise<Result> {
  const faultline: Faultline = await startFaultline(config, clock, { pace: testPace });
  const client = grpcClient(faultline);
  try {
    return await work({ url: faultline.httpUrl, client });
  } finally {
    client.close();
    await faultline.stop();
  }
}

/** Sends an event of a group, with other texts each time. */
async function send(url: string, group: number): Promise<void> {
  const answer = await sendStore({ url }, project, {
    event_id: newEventId(),
    fingerprint: [String(group)],
    level: pick(["error", "fatal", "warning"]),
    transaction: someText(2),
    tags: { colour: pick(["red", "green", "blue"]), note: someText(2).trim() || "none", group },
    ...(random() < 0.7 && { user: pick(people) }),
    release: pick(["shop@1.2.0", "shop@1.10.0", "shop@2.0.0-rc.1", "other"]),
    ...(random() < 0.5
      ? { message: someText(5) }
      : { exception: { values: [{ type: pick(["TypeError", "Über-Fehler", "T%", "user"]), value: someText(5) }] } }),
  });
  assert.is(answer.status, 200, answer.text);
}

async function listed(client: GrpcClient, query: string): Promise<ErrorMessage[]> {
  const all: ErrorMessage[] = [];
  for (let pageToken = ""; ;) {
    const request = { projectId: project.id, query, pageSize: 100, pageToken };
    const answer = await client.errors.listErrors(request, client.auth);
    all.push(...answer.errors);
    pageToken = answer.nextPageToken;
    if (pageToken === "") {
      const { unresolved = 0, resolved = 0, ignored = 0 } = answer.statusCounts ?? {};
      assert.is(unresolved + resolved + ignored, all.length, query);
      return all;
    }
  }
}

/** A search that has something to do with the errors that there are. */
function someTerms(errors: readonly SearchedError[]): Term[] {
  const term = (): Term => {
    const { error, tags, users } = pick(errors);
    const letters = Array.from(pick([error.title, error.value, error.culprit]));
    const start = Math.floor(random() * letters.length);
    const found = letters.slice(start, start + 1 + Math.floor(random() * 12)).join("") || "a";
    const [key = "", value = ""] = pick([...tags]).split("\0");
    const [kind = "", person = ""] = (pick([...users, "id:nobody"]) ?? "").split(/:(.*)/s);
    const isNegated = random() < 0.25;
    const cut = (whole: string): Pattern => {
      const at = Math.floor(random() * whole.length);
      return pick([
        [whole],
        [whole],
        [whole.slice(0, at), ""],
        ["", whole.slice(at)],
        [whole.slice(0, 1), whole.slice(-1)],
      ]);
    };
    const text = (one: string): Term => ({ of: "text", text: one.trim() === "" ? "a" : one, isNegated });
    const tagged = { key, isTag: true, isNegated } as const;
    const known = (of: string) => ({ key: of, isTag: false, isNegated }) as const;
    const valueOf = (named: typeof tagged | ReturnType<typeof known>, ...values: [Pattern, ...Pattern[]]): Term => ({
      of: "value",
      ...named,
      values,
      isOnly: false,
    });
    const compared = (of: string, operator: ">" | ">=" | "<" | "=", operand: string): Term => ({
      of: "comparison",
      ...known(of),
      operator,
      operand,
    });
    return pick<() => Term>([
      () => text(found),
      () => text(found.toUpperCase()),
      () => text(found.toLowerCase()),
      () => text(someText(2)),
      () => text(`${found}zq`),
      () => valueOf(tagged, [value]),
      () => valueOf(tagged, cut(value)),
      () => valueOf(tagged, [value.toUpperCase()]),
      () => valueOf(tagged, cut(value.toLowerCase())),
      () => valueOf(known("release"), [pick(["1.2.0", "SHOP@1.10.0", "shop", "1.1*"])]),
      () => valueOf(tagged, [value], ["red"]),
      () => ({ of: "value", ...tagged, values: [[value]], isOnly: true }),
      () => ({ of: "presence", ...tagged }),
      () => valueOf({ ...tagged, key: "colour" }, [pick(["red", "yellow"])]),
      () => valueOf(known("level"), [pick(["error", "fatal"])]),
      () => valueOf(known("type"), cut(error.type || "none")),
      () => valueOf(known("message"), cut(found.trim() === "" ? "a" : found)),
      () => valueOf(known(`user.${kind}`), cut(person)),
      () => valueOf(known("user"), [person]),
      () => ({ of: "presence", ...known(pick(["user", "user.email", "user.ip", "type", "transaction", "release"])) }),
      () => valueOf(known("is"), [pick(["unresolved", "resolved"])]),
      () => valueOf(known("release"), ["shop@1.", ""]),
      () => compared("timesSeen", pick([">", ">=", "<", "="]), String(1 + Math.floor(random() * 3))),
      () => compared("users", pick([">", "="]), String(Math.floor(random() * 3))),
      () => compared("lastSeen", ">=", `-${1 + Math.floor(random() * 100)}d`),
    ])();
  };
  const terms = Array.from({ length: pick([1, 1, 2, 3]) }, term);
  // A pattern of only wildcards is refused, and so is a value without a letter.
  const isRead = (one: Term) =>
    one.of !== "value" || one.values.every((value) => value.some((part) => part.trim() !== ""));
  const read = terms.filter(isRead);
  return read.length > 0 && read.every((one) => printSearch([one]).isWellFormed()) ? read : someTerms(errors);
}

/** All of each error that searches look at. */
async function searchedErrors(client: GrpcClient): Promise<SearchedError[]> {
  const [tags, users] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()];
  const add = (to: typeof tags, error: string, text: string) => to.set(error, (to.get(error) ?? new Set()).add(text));
  for (const { error_id, key, value } of await rowsOf(dataDir, "select error_id, key, value from integrated_tag")) {
    add(tags, String(error_id), `${String(key)}\0${String(value)}`);
  }
  for (const { error_id, name } of await rowsOf(dataDir, `select error_id, "user" as name from integrated_user`)) {
    add(users, String(error_id), String(name));
  }
  return (await listed(client, "")).map((error) => ({
    error,
    tags: tags.get(error.errorId) ?? new Set(),
    users: users.get(error.errorId) ?? new Set(),
  }));
}

/** Compares searches with the slow way. */
async function checkSearches(client: GrpcClient, when: string): Promise<void> {
  const errors = await searchedErrors(client);
  let found = 0;
  for (let n = 0; n < searches; n += 1) {
    const query = printSearch(someTerms(errors));
    if (query.length > 500) continue;
    const terms = parseSearch(query);
    const expected = (isIndexed: boolean) =>
      errors
        .filter((error) => terms.every((term) => matches(error, term, { now: clock.at, isIndexed })))
        .map(({ error: { title, errorId } }) => [errorId, title]);
    const answered = (await listed(client, query)).map(({ title, errorId }) => [errorId, title]);
    const isFilling = when === "taken in, not indexed yet" && isDeepStrictEqual(answered, expected(false));
    if (!isFilling) assert.equal(answered, expected(true), `${when}: ${query}`);
    found += answered.length;
  }
  assert.ok(found > searches, `${when}: the searches found ${found} errors, which shows little`);
}

const indexed = () =>
  until(
    "the index to follow",
    async () =>
      (await countOf(dataDir, "integrated_search_due")) + (await countOf(dataDir, "integrated_search_fill")) === 0,
    { deadlineMs: 30_000, everyMs: 200 },
  );

async function checkBeforeAndAfterIndexing(client: GrpcClient, when: string): Promise<void> {
  await execSql(dataDir, "analyze"); // as PostgreSQL does within a minute
  await checkSearches(client, `${when}, not indexed yet`);
  await indexed();
  await checkSearches(client, `${when}, indexed`);
}

test("searches find what a slow evaluation of every error finds, before and after the index follows", async () => {
  await running(async ({ url, client }) => {
    const created = await client.projects.createProject({ path: "searched" }, client.auth);
    const id = created.project?.projectId ?? 0;
    await client.settings.updateSettings({ projectId: id, active: true, backend: Backend.INTEGRATED }, client.auth);
    const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: id }, client.auth);
    project = { id, key: clientKeys[0]?.publicKey ?? "" };
    for (let group = 0; group < groups; group += 1) await send(url, group);
    await checkBeforeAndAfterIndexing(client, "new errors");
  });
});

test("they still do where the texts of errors changed", () =>
  running(async ({ url, client }) => {
    for (let group = 0; group < groups; group += 2) await send(url, group);
    await checkBeforeAndAfterIndexing(client, "changed texts");
    assert.equal(await recountOf(dataDir), []);
  }));

test("they still do where a database of the release before is taken in", async () => {
  await execSql(dataDir, "delete from integrated_search");
  await execSql(dataDir, "delete from integrated_search_due");
  await execSql(dataDir, "delete from integrated_tag_error");
  await execSql(
    dataDir,
    `insert into integrated_search_fill select id, ${databaseOf(dataDir) === undefined ? "x''" : "''"} from project`,
  );
  await running(async ({ client }) => {
    await checkBeforeAndAfterIndexing(client, "taken in");
    assert.equal(await recountOf(dataDir), []);
  });
});

test("they still do where retention deleted errors, and the index forgets these", async () => {
  await passTime(config, clock, clock.at + 50 * dayMs);
  await running(async ({ url }) => {
    for (let group = 0; group < groups; group += 3) await send(url, group);
  });
  await passTime(config, clock, clock.at + 60 * dayMs);
  await running(async ({ client }) => {
    const isKept = async () => (await countOf(dataDir, "integrated_error")) === groups / 3;
    await until("retention", isKept, { deadlineMs: 30_000, everyMs: 200 });
    await checkBeforeAndAfterIndexing(client, "after retention");
    assert.is(await countOf(dataDir, "integrated_search"), groups / 3);
    assert.equal(await recountOf(dataDir), []);
  });
});

test("a deleted project leaves nothing in the index", async () => {
  await running(({ client }) => client.projects.deleteProject({ projectId: project.id }, client.auth));
  await passTime(config, clock, clock.at + 8 * dayMs);
  await running(async () => {
    for (const table of ["error", "search", "search_due", "search_fill", "tag_error"]) {
      const isEmpty = async () => (await countOf(dataDir, `integrated_${table}`)) === 0;
      await until(`${table} to be empty`, isEmpty, { deadlineMs: 60_000, everyMs: 200 });
    }
  });
});

test.run();

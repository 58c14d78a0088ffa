import { Backend, type Error as ErrorMessage } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import type { Faultline } from "../../../backend/src/faultline.ts";
import { searchTokens } from "../../../plugins/integrated-backend/src/search/tokens.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { passTime } from "../../support/service/movable-faultline.ts";
import { execSql } from "../../support/database/other-process.ts";
import { randomNumbers } from "../../support/sentry/random-numbers.ts";
import { newEventId, sendStore, type Target } from "../../support/sentry/send.ts";
import { matches } from "../../support/database/slow-search.ts";
import { countOf, recountOf, rowsOf } from "../../support/database/stored-rows.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { until } from "../../support/run/until.ts";

const dayMs = 86_400_000;
/** More than the 250 that a search draws: with fewer it looks at all of them. */
const groups = 300;
const searches = 30;
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
const text = (most: number) =>
  Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(parts)).join(pick([" ", ""]));

let project: Target;

async function running<Result>(
  work: (running: { url: string; client: GrpcClient }) => Promise<Result>,
): Promise<Result> {
  const faultline: Faultline = await startFaultline(config, clock);
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
    transaction: text(2),
    tags: { colour: pick(["red", "green", "blue"]), note: text(2).trim() || "none", group },
    ...(random() < 0.5
      ? { message: text(5) }
      : { exception: { values: [{ type: pick(["TypeError", "Über-Fehler", "T%", "user"]), value: text(5) }] } }),
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
function someQuery(errors: readonly ErrorMessage[], tags: ReadonlyMap<string, ReadonlySet<string>>): string {
  const word = (): string => {
    const error = pick(errors);
    const letters = Array.from(pick([error.title, error.value, error.culprit]));
    const start = Math.floor(random() * letters.length);
    const found = letters.slice(start, start + 1 + Math.floor(random() * 12)).join("");
    const [key = "", value = ""] = pick([...(tags.get(error.errorId) ?? [])]).split("\0");
    const quoted = (one: string) => (one.includes('"') ? one : `"${one}"`);
    return pick([
      found,
      quoted(found),
      quoted(found.toUpperCase()),
      quoted(found.toLowerCase()),
      text(2),
      `${found}zq`,
      `${key}:${quoted(value)}`,
      `colour:${pick(["red", "yellow"])}`,
      `level:${pick(["error", "FATAL", "fatal"])}`,
      `type:${quoted(error.type || "none")}`,
      `message:${quoted(found)}`,
    ]);
  };
  return Array.from({ length: pick([1, 1, 2, 3]) }, word)
    .join(" ")
    .slice(0, 200)
    .toWellFormed();
}

/** Compares searches with the slow way. */
async function checkSearches(client: GrpcClient, when: string): Promise<void> {
  const errors = await listed(client, "");
  const tags = new Map<string, Set<string>>();
  for (const { error_id, key, value } of await rowsOf(dataDir, "select error_id, key, value from integrated_tag")) {
    const ofError = tags.get(String(error_id)) ?? new Set();
    tags.set(String(error_id), ofError.add(`${String(key)}\0${String(value)}`));
  }
  let found = 0;
  for (let n = 0; n < searches; n += 1) {
    const query = someQuery(errors, tags);
    const tokens = searchTokens(query);
    const expected = errors.filter((error) =>
      tokens.every((token) => matches(error, tags.get(error.errorId) ?? new Set(), token)),
    );
    const answered = await listed(client, query);
    assert.equal(
      answered.map(({ title, errorId }) => [errorId, title]),
      expected.map(({ title, errorId }) => [errorId, title]),
      `${when}: ${JSON.stringify(query)}`,
    );
    found += expected.length;
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

import type { MessageInitShape } from "@bufbuild/protobuf";
import { parseSearch } from "@faultline/plugin/search";
import { Backend, ErrorStatus, type Error as ErrorMessage, type ListErrorsRequestSchema } from "@faultline/proto";
import { Kysely } from "kysely";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { SqliteDialect } from "../../../backend/src/storage/database/sqlite/dialect.ts";
import { databaseFile } from "../../../backend/src/storage/database/sqlite/open.ts";
import { startFaultline } from "../../../backend/src/main.ts";
import { mergeSearchIndex } from "../../../plugins/integrated-backend/src/sqlite/search-index.ts";
import type { Tables } from "../../../plugins/integrated-backend/src/tables.ts";
import { makeSearchedErrors } from "../../bench/searched-errors.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { matches } from "../../support/database/slow-search.ts";
import { countOf, rowsOf } from "../../support/database/stored-rows.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { until } from "../../support/run/until.ts";

/**
 * So many that a search for what most have is driven otherwise than one for what few have: the rare is counted up to 2,000
 * (`search/planning/driver.ts`), and the counts of a list end at 1,000.
 */
const errorCount = 3_000;
const mostCounted = 1_000;
const shownPages = 2;

/** Of each frequency: texts of 2, 3 and more letters, tags, and both together. */
const queries = [
  "zebra",
  "ZEBRA",
  "zq",
  "ze",
  "us",
  "user",
  "ead",
  "count",
  "connection",
  "TypeError: Cannot user account",
  '"user account"',
  '"(77)"',
  "conectionn",
  "level:fatal",
  "type:RangeError user",
  "message:payment",
  "environment:production",
  "environment:production user",
  "environment:staging browser:Chrome",
  "release:shop@1.7.0",
  "timeout browser:Safari",
  "tenant:nobody user",
  "zebra cannot environment:production",
  "!user account",
  "user !environment:staging",
  "release:shop@1.1*",
  "tenant:tenant-1*",
  "all:environment:staging",
  "has:tenant timesSeen:>100",
  "!has:browser",
  "timesSeen:>5000",
  "timesSeen:>2 !environment:staging !browser:[Safari, Edge]",
  "users:>3",
  "lastSeen:-7d browser:[Safari, Edge]",
  "message:Cannot*user*zebra",
];

interface SlowSearch {
  readonly all: readonly ErrorMessage[];
  /** By error, `key\0value`. */
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>;
}

async function running<Result>(
  config: ReturnType<typeof testConfig>,
  work: (client: GrpcClient) => Promise<Result>,
): Promise<Result> {
  const faultline = await startFaultline(config);
  const client = grpcClient(faultline);
  try {
    return await work(client);
  } finally {
    client.close();
    await faultline.stop();
  }
}

async function indexed(dataDir: string): Promise<void> {
  await until("all to be indexed", async () => (await countOf(dataDir, "integrated_search_due")) === 0, {
    deadlineMs: 90_000,
    everyMs: 50,
  });
}

/** The first pages of a list, and its counts. */
async function listed(
  { errors, auth }: GrpcClient,
  request: MessageInitShape<typeof ListErrorsRequestSchema>,
  pages: number,
) {
  const all: ErrorMessage[] = [];
  for (let [page, pageToken] = [0, ""]; ; page += 1) {
    const answer = await errors.listErrors({ ...request, pageSize: 100, pageToken }, auth);
    all.push(...answer.errors);
    pageToken = answer.nextPageToken;
    if (pageToken === "" || page + 1 === pages)
      return { all, counts: answer.statusCounts, isPartial: answer.examinedCount > 0 };
  }
}

test("searches among many errors find, order and count what a slow evaluation of each does, also when statuses change and the index was merged", async () => {
  const dataDir = tempDir();
  const config = testConfig(dataDir);
  const projectId = await running(config, async ({ projects, settings, auth }) => {
    const { project } = await projects.createProject({ path: "many" }, auth);
    const id = project?.projectId ?? 0;
    await settings.updateSettings({ projectId: id, active: true, backend: Backend.INTEGRATED }, auth);
    return id;
  });
  const databaseUrl = databaseOf(dataDir);
  await makeSearchedErrors(databaseUrl === undefined ? { dataDir } : { databaseUrl }, projectId, errorCount);
  await running(config, async (client) => {
    await indexed(dataDir);
    const tags = new Map<string, Set<string>>();
    for (const { error_id, key, value } of await rowsOf(dataDir, "select error_id, key, value from integrated_tag")) {
      const ofError = tags.get(String(error_id)) ?? new Set();
      tags.set(String(error_id), ofError.add(`${String(key)}\0${String(value)}`));
    }
    const check = async (asked: readonly string[]) => {
      const { all } = await listed(client, { projectId }, Infinity);
      assert.is(all.length, errorCount);
      for (const query of asked) await checkSearch(client, { projectId, query, all, tags });
    };
    await check(queries);

    const list = { projectId, query: "connection", status: ErrorStatus.UNRESOLVED };
    const { all: changed } = await listed(client, list, 1);
    const changes = changed.map(({ errorId }) => ({ errorId, status: ErrorStatus.IGNORED }));
    await client.errors.updateErrors({ projectId, changes }, client.auth);
    await check(["connection", "user", "ead", "zebra"]);
    await indexed(dataDir);
    await check(["connection", "user", "ead", "zebra"]);
  });
  if (databaseUrl !== undefined) return;

  const parts = "(select distinct segid from integrated_search_idx)";
  const words = "integrated_search where integrated_search match 'con'";
  const [partsBefore, found] = [await countOf(dataDir, parts), await countOf(dataDir, words)];
  assert.ok(partsBefore > 1 && found > 0);
  const dialect = new SqliteDialect({ file: databaseFile(dataDir), access: "write", connections: 1 });
  const writer = new Kysely<Tables>({ dialect });
  await mergeSearchIndex(writer, new AbortController().signal);
  await writer.destroy();
  assert.equal([await countOf(dataDir, parts), await countOf(dataDir, words)], [1, found]);
});

/** Compares a search with a slow evaluation of it over all errors. */
async function checkSearch(
  client: GrpcClient,
  { projectId, query, all, tags }: SlowSearch & { readonly projectId: number; readonly query: string },
): Promise<void> {
  const terms = parseSearch(query);
  const expected = all.filter((error) => {
    const searched = { error, tags: tags.get(error.errorId) ?? new Set(), users: new Set<string>() };
    return terms.every((term) => matches(searched, term, { now: Date.now(), isIndexed: true }));
  });
  const of = (status: ErrorStatus) => expected.filter((error) => error.status === status);
  const found = await listed(client, { projectId, query, status: ErrorStatus.UNRESOLVED }, shownPages);
  // Checking error by error has a bound, so a page may find and count fewer.
  const shown = found.isPartial ? found.all.length : shownPages * 100;
  assert.equal(
    found.all.map(({ errorId }) => errorId),
    of(ErrorStatus.UNRESOLVED)
      .slice(0, shown)
      .map(({ errorId }) => errorId),
    query,
  );
  const count = (status: ErrorStatus) => Math.min(of(status).length, mostCounted);
  const counted = [found.counts?.unresolved, found.counts?.resolved, found.counts?.ignored];
  const most = [count(ErrorStatus.UNRESOLVED), count(ErrorStatus.RESOLVED), count(ErrorStatus.IGNORED)];
  if (found.isPartial) {
    assert.ok(
      counted.every((n = 0, status) => n <= (most[status] ?? 0)),
      query,
    );
  } else assert.equal(counted, most, query);
}

test.run();

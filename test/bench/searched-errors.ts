/** Errors of a project as searches meet them, by bulk SQL: 100,000 by the front door would take an hour. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ErrorStatus } from "@faultline/proto";
import { withPostgresql } from "../support/database/postgresql.ts";
import { randomFrom } from "./node-event.ts";

const statuses = [ErrorStatus.UNRESOLVED, ErrorStatus.RESOLVED, ErrorStatus.IGNORED] as const;
const types = ["TypeError", "RangeError", "NetworkError", "DatabaseError", "ValidationError"];
const words =
  "user account payment invoice order customer request timeout connection refused undefined property read null reference index bounds parse json token unexpected network socket closed database query deadlock transaction rollback permission denied file found memory heap overflow stack render component hook state action reducer cart checkout session cookie header".split(
    " ",
  );
const columns = `project_id, group_hash, grouping_version, title, type, value, culprit, level, platform, status,
  event_count, user_count, first_seen_at, last_seen_at, first_release, last_release`;
const rowsAtOnce = 5_000;

/** They count as stored: otherwise the service would look for what an earlier release had not counted. */
const asCounted = `insert into integrated_usage (project_id, event_count, payload_bytes, tag_bytes)
  select project_id, sum(event_count), 0, 0 from integrated_error where true group by 1
  on conflict (project_id) do update set event_count = excluded.event_count`;

/** A row of integrated_error without its project and hash, with its tags and the ids of its users. */
interface MadeError {
  readonly hash: string;
  readonly row: readonly (string | number)[];
  readonly tags: readonly (readonly [key: string, value: string])[];
  readonly users: readonly number[];
}

/**
 * The same errors for the same count. One in a thousand is about a zebra, and words are as frequent as in a language.
 */
function* madeErrors(count: number): Generator<MadeError> {
  const random = randomFrom(7);
  const word = () => words[Math.floor(random() ** 2 * words.length)] ?? "";
  const now = Date.now();
  for (let n = 1; n <= count; n += 1) {
    const type = types[Math.floor(random() * types.length)] ?? "";
    const rare = n % 1_000 === 0 ? " zebra" : "";
    const value = `Cannot ${word()} ${word()} of ${word()} ${word()} in ${word()}${rare} (${n})`;
    const culprit = `src/${word()}/${word()}.ts in ${word()}${word()}`;
    const [part, seen] = [random(), Math.floor(random() * 80 * 86_400_000)];
    const release = `shop@1.${n % 40}.0`;
    const environment = random() < 0.8 ? "production" : "staging";
    const users = [n % 5_000, (n * 7) % 5_003];
    const events = Math.ceil(1 / (random() + 1e-4));
    yield {
      hash: createHash("md5").update(String(n)).digest("hex"),
      row: [
        1,
        `${type}: ${value}`,
        type,
        value,
        culprit,
        n % 500 === 0 ? "fatal" : "error",
        "node",
        statuses[part < 0.7 ? 0 : part < 0.9 ? 1 : 2] ?? 1,
        events,
        0,
        now - seen - 864e5,
        now - seen,
        release,
        release,
      ],
      tags: [
        ["environment", environment],
        ["release", release],
        ["browser", ["Chrome", "Firefox", "Safari", "Edge"][Math.floor(random() ** 2 * 4)] ?? ""],
        ["server_name", `web-${n % 200}.example`],
        ["tenant", `tenant-${Math.floor(random() * 20_000)}`],
        ...users.map((user) => ["user.email", `u${user}@example.com`] as const),
      ],
      users,
    };
  }
}

/** Makes errors, in a service that is stopped (SQLite) or a database (PostgreSQL). */
export async function makeSearchedErrors(
  where: { readonly dataDir: string } | { readonly databaseUrl: string },
  projectId: number,
  count: number,
): Promise<void> {
  const made = [...madeErrors(count)];
  const slices = Array.from({ length: Math.ceil(count / rowsAtOnce) }, (_, n) =>
    made.slice(n * rowsAtOnce, (n + 1) * rowsAtOnce),
  );
  const rows = (some: readonly MadeError[]) => JSON.stringify(some.map(({ hash, row }) => [projectId, hash, ...row]));
  const tags = (some: readonly MadeError[]) =>
    JSON.stringify(some.flatMap(({ hash, tags: all }) => all.map(([key, value]) => [hash, key, value])));
  const users = (some: readonly MadeError[]) =>
    JSON.stringify(some.flatMap(({ hash, users: all }) => [...new Set(all)].map((user) => [hash, `id:${user}`])));
  const day = Math.floor(Date.now() / 86_400_000);

  if ("dataDir" in where) {
    using database = new DatabaseSync(join(where.dataDir, "faultline.db"));
    database.exec("begin");
    for (const some of slices) {
      const list = Array.from({ length: 14 }, (_, n) => `value ->> ${n + 2}`);
      database
        .prepare(
          `insert into integrated_error (${columns}) select value ->> 0, unhex(value ->> 1), ${list.join()} from json_each(?)`,
        )
        .run(rows(some));
      database
        .prepare(
          `insert or ignore into integrated_tag (error_id, key, value, last_seen_day)
           select e.id, j.value ->> 1, j.value ->> 2, ${day} from json_each(?) j cross
           join integrated_error e on e.project_id = ${projectId} and e.group_hash = unhex(j.value ->> 0)`,
        )
        .run(tags(some));
      database
        .prepare(
          `insert into integrated_user (error_id, user, last_seen_day)
           select e.id, j.value ->> 1, ${day} from json_each(?) j cross
           join integrated_error e on e.project_id = ${projectId} and e.group_hash = unhex(j.value ->> 0)`,
        )
        .run(users(some));
    }
    database.exec(asCounted);
    database.exec("commit");
    return;
  }
  await withPostgresql(where.databaseUrl, async (client) => {
    const numbers = new Set([2, 9, 10, 11, 12, 13]);
    const list = Array.from({ length: 14 }, (_, n) => `one ->> ${n + 2}`).map((value, n) =>
      numbers.has(n + 2) ? `(${value})::bigint` : value,
    );
    for (const some of slices) {
      await client.query(
        `insert into integrated_error (${columns})
         select (one ->> 0)::bigint, decode(one ->> 1, 'hex'), ${list.join()} from json_array_elements($1::json) as j (one)`,
        [rows(some)],
      );
      await client.query(
        `insert into integrated_tag (project_id, error_id, key, value, last_seen_day)
         select project_id, id, one ->> 1, one ->> 2, ${day} from json_array_elements($1::json) as j (one)
         join integrated_error on project_id = ${projectId} and group_hash = decode(one ->> 0, 'hex')
         on conflict do nothing`,
        [tags(some)],
      );
      await client.query(
        `insert into integrated_user (project_id, error_id, "user", last_seen_day)
         select project_id, id, one ->> 1, ${day} from json_array_elements($1::json) as j (one)
         join integrated_error on project_id = ${projectId} and group_hash = decode(one ->> 0, 'hex')`,
        [users(some)],
      );
    }
    await client.query(asCounted);
    await client.query("vacuum analyze");
  });
}

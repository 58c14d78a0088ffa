import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { tempDir } from "../service/temp-dir.ts";

const folder = join(import.meta.dirname, "../../fixtures/schemas");

const dayMs = 86_400_000;

/** The address in the DSNs of the fixtures. */
export const fixtureBaseUrl = "https://errors.example";

/** The record that make.ts wrote next to the data. */
export interface Recorded {
  /** The commit of the release. */
  readonly release: string;
  readonly madeAt: string;
  /** The administrator's session. */
  readonly sessionToken: string;
  readonly answers: unknown;
}

/**
 * The names of the fixtures, oldest first: a data directory for each past schema, called after the last migration of
 * the schema.
 */
export const fixtures: readonly string[] = globSync("*/recorded.json", { cwd: folder })
  .map((file) => file.split(/[\\/]/)[0] ?? "")
  .toSorted((a, b) => recordedOf(a).madeAt.localeCompare(recordedOf(b).madeAt));

/** The origin and contents of a fixture. */
export function recordedOf(name: string): Recorded {
  return JSON.parse(readFileSync(join(folder, name, "recorded.json"), "utf8")) as Recorded; // written by make.ts
}

/** A fixture in a new data directory. */
export interface Unpacked {
  readonly dataDir: string;
  readonly recorded: Recorded;
  /** The number of days by which times were moved, because retention would delete data as old as the fixture. */
  readonly daysLater: number;
}

/** Unpacks a fixture as if it had been made within the last day. */
export function unpackFixture(name: string): Unpacked {
  const recorded = recordedOf(name);
  const daysLater = Math.floor((Date.now() - Date.parse(recorded.madeAt)) / dayMs);
  const dataDir = tempDir();
  const file = join(dataDir, "faultline.db");
  writeFileSync(file, gunzipSync(readFileSync(join(folder, name, "faultline.db.gz"))));
  cpSync(join(folder, name, "secrets.json"), join(dataDir, "secrets.json"));
  if (daysLater > 0) moveTimes(file, daysLater);
  renewSessions(file, Date.now() - Date.parse(recorded.madeAt) - daysLater * dayMs);
  return { dataDir, recorded, daysLater };
}

/** Moves the sessions by the rest, to now, because a session that was not used for twelve hours has expired. */
function renewSessions(file: string, restMs: number): void {
  const database = new DatabaseSync(file);
  const times = database
    .prepare("select name from pragma_table_info('session') where name like '%\\_at' escape '\\'")
    .all();
  database.exec(
    `update session set ${times.map(({ name }) => `${String(name)} = ${String(name)} + ${restMs}`).join(", ")}`,
  );
  database.close();
}

/** The units of times by the names of columns, and the number of units in a day. */
const units: readonly (readonly [names: RegExp, aDay: number])[] = [
  [/_at$|^at$/, dayMs],
  [/^hour$|_hour$/, 24],
  [/^day$|_day$/, 1],
];

/** Moves every time in a database. */
export function moveTimes(file: string, days: number): void {
  const database = new DatabaseSync(file);
  const columns = database
    .prepare(
      `select t.name as "table", c.name as "column" from sqlite_schema t, pragma_table_info(t.name) c
      where t.type = 'table' and c.type = 'INTEGER'`,
    )
    .all();
  for (const { table, column } of columns) {
    const aDay = units.find(([names]) => names.test(String(column)))?.[1];
    if (aDay === undefined) continue;
    // In two steps, because each row must be unique at any time.
    database.exec(`update ${String(table)} set ${String(column)} = -(${String(column)} + ${days * aDay})`);
    database.exec(`update ${String(table)} set ${String(column)} = -${String(column)}`);
  }
  database.close();
}

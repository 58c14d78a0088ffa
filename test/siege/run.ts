/**
 * Attacks a new service each time in another way, and measures what another project notices: `npm run test:siege --
 * [words of the attack] [--seconds 6] [--database postgresql] [--write]`. Prints a Markdown table; `--write` puts it,
 * or the rows of the attacks that ran, into docs/security.md. Fails if the service does not withstand an attack. Needs
 * Linux.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repositoryRoot } from "../support/service/server.ts";
import { startServerOfRun } from "../support/run/server-of-run.ts";
import { inOwnMounts, whyNoMounts } from "../support/service/small-disk.ts";
import type { Attack } from "./attack.ts";
import { attacks } from "./attacks.ts";
import { besiege, type Siege } from "./besiege.ts";
import { limitMemory } from "./memory-limit.ts";
import { delaysOf, faultsOf, lossesOf } from "./oracle.ts";
import { introduction, oracle, rowOf } from "./table.ts";

const gibibyte = 1024 ** 3;
const maxTries = 3;

const { values, positionals } = parseArgs({
  options: {
    seconds: { type: "string", default: "6" },
    database: { type: "string", default: "sqlite" },
    write: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const seconds = Number(values.seconds);
const cannotMount = whyNoMounts();
if (cannotMount === "") inOwnMounts(import.meta.url);
if (values.database === "postgresql")
  Object.assign(process.env, await startServerOfRun(), { TEST_DATABASE: "postgresql" });

process.once("SIGINT", () => process.exit(130)); // so that what was started and made goes
const wanted = attacks.filter(({ name }) => name.includes(positionals.join(" ")));
if (wanted.length === 0) throw new Error(`no attack is called ${positionals.join(" ")}`);
const loadBefore = loadavg()[0] ?? 0;
const lines: string[] = [];
const print = (line: string) => {
  lines.push(line);
  console.log(line);
};

for (const line of introduction({ seconds, kind: kindOfLimit(), loadBefore })) print(line);
for (const attack of wanted) {
  if (attack.disk && cannotMount !== "") {
    print(`| ${attack.name} | not tried: no disk of its own, as ${cannotMount} | | | | | | |`);
    continue;
  }
  try {
    const siege = await withstood(attack);
    print(rowOf(siege));
    if (faultsOf(siege).length > 0) process.exitCode = 1;
  } catch (error) {
    process.exitCode = 1;
    console.error(error);
    print(`| ${attack.name} | failed: ${String(error).split("\n", 1)[0]} | | | | | | |`);
  }
}
for (const line of ["", oracle]) print(line);
if (values.write) write(lines);
process.exit();

function kindOfLimit(): string {
  const limit = limitMemory(gibibyte);
  limit.remove();
  return limit.kind;
}

/**
 * Tries an attack that only delays the victim again, because another program on the machine may have caused the delay.
 * The last try counts.
 */
async function withstood(attack: Attack): Promise<Siege> {
  for (let tries = 1; ; tries++) {
    const siege = await besiege(attack, { limit: limitMemory(gibibyte), seconds });
    if (tries === maxTries || lossesOf(siege).length > 0 || delaysOf(siege).length === 0) return siege;
    console.error(`once more: ${rowOf(siege)}`);
  }
}

/** Puts the table between its marks in docs/security.md. */
/** Replaces the table, or, where only some attacks ran, their rows. */
function write(table: readonly string[]): void {
  const file = join(repositoryRoot, "docs/security.md");
  const [start, end] = ["<!-- npm run test:siege -- --write -->", "<!-- end of the table -->"] as const;
  const text = readFileSync(file, "utf8");
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/security.md has no marks for the table`);
  const nameOf = (row: string) => /^\| (.+?) +\|/.exec(row)?.[1];
  const byName = (rows: readonly string[]) => new Map(rows.map((row) => [nameOf(row), row] as const));
  const before = text
    .slice(from + start.length, to)
    .trim()
    .split("\n");
  const [known, found] = [byName(before), byName(table)];
  const written =
    wanted.length === attacks.length ? table : withRows(before, (name) => found.get(name) ?? known.get(name));
  writeFileSync(file, `${text.slice(0, from)}${start}\n\n${written.join("\n")}\n\n${text.slice(to)}`);
}

/** A table with the rows of all attacks, in their order; an attack without a row has never run. */
function withRows(table: readonly string[], lineOf: (name: string) => string | undefined): string[] {
  const head = table.findIndex((line) => line.startsWith("| ---"));
  const foot = table.findLastIndex((line) => line.startsWith("|"));
  const rows = attacks.flatMap(({ name }) => lineOf(name) ?? []);
  return [...table.slice(0, head + 1), ...rows, ...table.slice(foot + 1)];
}

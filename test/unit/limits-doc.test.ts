import { readFileSync } from "node:fs";
import { join } from "node:path";
import { maxBytesUnderWay } from "@faultline/plugin";
import { limits } from "@faultline/sentry-event";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { readConfig } from "../../backend/src/config.ts";
import * as bridge from "../../plugins/http-bridge/src/ingest/limits.ts";
import * as integrated from "../../plugins/integrated-backend/src/limits.ts";
import { repositoryRoot } from "../support/service/server.ts";

const factors = new Map([
  ["KiB", 1024],
  ["MiB", 1024 * 1024],
  ["minute", 60_000],
  ["day", 24 * 3_600_000],
]);

/** docs/limits.md says in words what these tables say in numbers. */
const numbers = new Map(named("", { ...limits, ...bridge, ...integrated, maxBytesUnderWay }));
const rows = readFileSync(join(repositoryRoot, "docs/limits.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

const documented = rows.flatMap((cells) => {
  const name = /^`([\w.]+)`$/.exec(cells.at(-2) ?? "")?.[1];
  return name === undefined ? [] : [{ name, said: numbersIn(cells[2] ?? "") }];
});

for (const { name, said } of documented) {
  test(`docs/limits.md says what ${name} is`, () => {
    const meant = [...numbers].filter(([key]) => key === name || key.startsWith(`${name}.`));
    assert.ok(meant.length > 0, `there is no ${name} in the code`);
    assert.equal(
      said,
      meant.map(([, value]) => value),
    );
  });
}

test("docs/limits.md names every limit once", () => {
  const isIn = (key: string) => documented.filter(({ name }) => key === name || key.startsWith(`${name}.`)).length;
  assert.equal(
    [...numbers.keys()].filter((key) => isIn(key) !== 1),
    [],
  );
});

test("docs/limits.md has the code's number of each thing", () => {
  const places = rows.flatMap((cells) => {
    const place = /^`([\w/.-]+\.ts)`: `(\w+)`$/.exec(cells.at(-2) ?? "");
    return place ? [{ file: place[1] ?? "", name: place[2] ?? "", said: numbersIn(cells[2] ?? "") }] : [];
  });
  assert.ok(places.length > 10);
  for (const { file, name, said } of places) {
    const value = new RegExp(`^(?:export )?const ${name} = ([\\d_]+);`, "m").exec(
      readFileSync(join(repositoryRoot, file), "utf8"),
    )?.[1];
    assert.equal(said, [Number(value?.replaceAll("_", ""))], `${file} ${name}`);
  }
});

test("docs/limits.md says the default rate limits", () => {
  const { rateLimits, callsPerToken } = readConfig({});
  const documentedFor = (setting: string) => numbersIn(rows.find((cells) => cells[1] === `\`${setting}\``)?.[2] ?? "");
  assert.equal(documentedFor("FAULTLINE_RATE_LIMIT_KEY"), [rateLimits.perKey]);
  assert.equal(documentedFor("FAULTLINE_RATE_LIMIT_PROJECT"), [rateLimits.perProject]);
  assert.equal(documentedFor("FAULTLINE_API_RATE_LIMIT"), [callsPerToken]);
});

/** The numbers in a table of tables, each with its path. */
function named(path: string, value: object | number): [string, number][] {
  if (typeof value === "number") return [[path, value]];
  return Object.entries(value).flatMap(([key, entry]) => named(path === "" ? key : `${path}.${key}`, entry));
}

/** `1,024` as 1024, `2 KiB` as 2048, `1 minute` as 60000. */
function numbersIn(text: string): number[] {
  return Array.from(
    text.matchAll(/(\d[\d,]*)(?: (KiB|MiB|minute|day))?/g),
    ([, digits = "", unit = ""]) => Number(digits.replaceAll(",", "")) * (factors.get(unit) ?? 1),
  );
}

test.run();

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { repositoryRoot } from "../support/service/server.ts";

const textOf = (file: string) => readFileSync(join(repositoryRoot, file), "utf8");

const migrations = [
  ...globSync("plugins/integrated-backend/src/postgresql/migrations/*.ts", { cwd: repositoryRoot }),
  "plugins/bulk-updates/src/migrations/postgresql-integrated-0011.ts",
]
  .map(textOf)
  .join("\n");

/** The text in the parentheses of each table, by its name. */
const tables = new Map(
  [...migrations.matchAll(/create table (integrated_\w+) \(([\s\S]*?)\n\s*\)/g)].map(([, name = "", columns = ""]) => [
    name,
    columns,
  ]),
);

const statements = [...textOf("docs/operations.md").matchAll(/^select create_distributed_table\((.*)\);$/gm)].map(
  ([, parameters = ""]) => parameters,
);

test("there is a statement for each table of the integrated backend, and all lie together", () => {
  assert.ok(tables.size >= 12);
  assert.is(statements[0], "'integrated_error', 'project_id'");
  const distributed = statements.map((statement, index) => {
    const rest = index === 0 ? "" : ", colocate_with => 'integrated_error'";
    const [whole, name = ""] = /^'(\w+)', 'project_id'/.exec(statement) ?? [];
    assert.is(statement, `${whole}${rest}`);
    return name;
  });
  assert.equal(distributed.toSorted(), [...tables.keys()].toSorted());
});

test("every key begins with the project, in one type, as a distributed table requires", () => {
  for (const [name, columns] of tables) {
    assert.match(columns, /^\s*project_id bigint not null/m, name);
    const keys = [...columns.matchAll(/(?:primary key|unique) \(([^)]+)\)/g)].map(([, key = ""]) => key);
    assert.ok(keys.length > 0, name);
    for (const key of keys) assert.match(key, /^project_id\b/, name);
    assert.not.match(columns, /^\s*(?!primary|unique)\S+ .*\b(?:primary key|unique)\b/m, name); // in a column's line
  }
  const indexes = [...migrations.matchAll(/create unique index .*?\(([^)]*)\)/g)].map(([, columns = ""]) => columns);
  assert.ok(indexes.length > 0);
  for (const columns of indexes) assert.match(columns, /^project_id\b/);
});

test("no table has a foreign key, so that none needs a reference table", () => {
  assert.not.match(migrations, /\breferences\b/);
});

test.run();

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectFiles, root } from "./support/run/project-files.ts";

const textOf = (file: string) => readFileSync(join(root, file), "utf8");

/** The rows of the table "I want to ..." of ARCHITECTURE.md. */
function tasks(): { task: string; folder: string }[] {
  const [, after = ""] = textOf("ARCHITECTURE.md").split("## I want to ...");
  const [table = ""] = after.split("\n## ");
  return Array.from(table.matchAll(/^\| (.+?) +\| `(.+?)` +\|$/gm), ([, task = "", folder = ""]) => ({ task, folder }));
}

test("ARCHITECTURE.md names a folder that exists for each of at least 20 tasks", () => {
  const all = tasks();
  assert.ok(all.length >= 20, `${all.length} tasks`);
  const missing = all.filter(({ folder }) => !statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory());
  assert.equal(missing, []);
});

test("ARCHITECTURE.md takes no more than 13 kB", () => {
  assert.ok(textOf("ARCHITECTURE.md").length <= 13_000, `${textOf("ARCHITECTURE.md").length}`);
});

test("every link between documents leads to a file, and to a heading of it", () => {
  const documents = projectFiles.filter((file) => file.endsWith(".md"));
  const broken = documents.flatMap((file) =>
    Array.from(textOf(file).matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target)
      .filter((target) => !/^(?:https?:|mailto:)/.test(target))
      .filter((target) => !leadsSomewhere(file, target))
      .map((target) => `${file}: ${target}`),
  );
  assert.equal(broken, []);
});

function leadsSomewhere(from: string, target: string): boolean {
  const [path = "", heading] = target.split("#");
  const file = path === "" ? from : join(dirname(from), path);
  if (!existsSync(join(root, file))) return false;
  return heading === undefined || headingsOf(textOf(file)).includes(heading);
}

/** The anchors that GitHub gives the headings of a document. */
const headingsOf = (text: string): string[] =>
  Array.from(text.matchAll(/^#+ (.+)$/gm), ([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test.run();

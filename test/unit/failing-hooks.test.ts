import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { Lane } from "../support/run/lane.ts";
import { repositoryRoot } from "../support/service/server.ts";
import { tempDir } from "../support/service/temp-dir.ts";

const cases: [what: string, hook: string, passed: number, failed: number][] = [
  ["before the first test", "test.before(() => { throw new Error('the hook') });", 0, 3],
  ["before each test", "test.before.each(() => { throw new Error('the hook') });", 0, 3],
  ["after a test, also after one that failed", "test.after.each(() => { throw new Error('the hook') });", 2, 1],
];
for (const [what, hook, passed, failed] of cases) {
  test(`an error that a hook throws ${what} is printed, and so is the error of the test`, async () => {
    const file = join(tempDir(), "hook.test.ts");
    const uvu = import.meta.resolve("uvu");
    writeFileSync(
      file,
      `import { test } from "${uvu}";
      ${hook}
      test("first", () => {});
      test("second", () => { throw new Error("the test") });
      test("third", () => {});
      test.run();`,
    );
    const lane = new Lane();
    const result = await lane.run({ file: relative(repositoryRoot, file), database: "sqlite" }, 60);
    await lane.end();
    assert.equal([result.passed, result.failed], [passed, failed], result.output);
    assert.match(result.output, "the hook\n");
    if (passed > 0) assert.match(result.output, "the test\n");
  });
}

test("a file that runs too long says in which test", async () => {
  const file = join(tempDir(), "long.test.ts");
  writeFileSync(
    file,
    `import { test } from "${import.meta.resolve("uvu")}";
    test("the short one", () => {});
    test("the long one", () => new Promise((resolve) => {
      setTimeout(resolve, 60_000);
      process.kill(process.pid, "SIGTERM"); // as the runner does at the limit
    }));
    test.run();`,
  );
  const lane = new Lane();
  const result = await lane.run({ file: relative(repositoryRoot, file), database: "sqlite" }, 60);
  await lane.end();
  assert.is(result.failed, 1);
  assert.match(result.output, "Ended in the test “the long one”.");
});

test.run();

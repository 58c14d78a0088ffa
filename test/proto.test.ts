import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { commentsOf, indexOf } from "../proto/write-index.ts";
import { tempDir } from "./support/service/temp-dir.ts";

const root = join(import.meta.dirname, "..");
const proto = join(root, "proto");

/** Runs buf in proto/; fails with what it printed. */
async function buf(...args: string[]): Promise<void> {
  const bin = join(root, "node_modules/.bin");
  const env = { ...process.env, PATH: [bin, process.env["PATH"]].join(delimiter), BUF_CACHE_DIR: tempDir() };
  await promisify(execFile)(join(bin, "buf"), args, { cwd: proto, env }).catch((error: unknown) => {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`buf ${args.join(" ")}:\n${stdout}${stderr}`, { cause: error });
  });
}

test("the schema passes buf lint", () => buf("lint"));

test("the generated code is what the schema generates", async () => {
  const out = tempDir();
  await buf("generate", "--path", "faultline", "--path", "google", "-o", out);
  const files = (folder: string) => globSync("**/*.ts", { cwd: join(folder, "gen") }).toSorted();
  assert.ok(files(out).length > 0);
  assert.equal(
    files(proto).filter((file) => file !== "index.ts"),
    files(out),
  );
  for (const file of files(out))
    assert.ok(
      readFileSync(join(proto, "gen", file), "utf8") === readFileSync(join(out, "gen", file), "utf8"),
      `proto/gen/${file} is stale: npm run generate`,
    );
});

test("the index of the generated code and the comments are what the image gives", () => {
  const gen = join(proto, "gen");
  for (const [file, text] of Object.entries({ "index.ts": indexOf(gen), "comments.json": commentsOf(gen) })) {
    assert.ok(readFileSync(join(gen, file), "utf8") === text, `proto/gen/${file} is stale: npm run generate`);
  }
});

test("the compiled image is what the schema compiles to", async () => {
  const image = join(tempDir(), "image.binpb");
  await buf("build", "-o", image);
  assert.ok(
    readFileSync(image).equals(readFileSync(join(proto, "gen/image.binpb"))),
    "proto/gen/image.binpb is stale: npm run generate",
  );
});

test("the schema breaks nothing of what was promised, and the baseline knows everything that is promised", async () => {
  await buf("breaking", "--against", "gen/baseline.binpb");
  const baseline = join(tempDir(), "baseline.binpb");
  await buf("build", "--exclude-source-info", "-o", baseline);
  assert.ok(
    readFileSync(baseline).equals(readFileSync(join(proto, "gen/baseline.binpb"))),
    "proto/gen/baseline.binpb is stale: npm run breaking",
  );
});

test("each file names its packages of Go and Java, without which Go refuses it", () => {
  const image = fromBinary(FileDescriptorSetSchema, readFileSync(join(proto, "gen/image.binpb")));
  const files = image.file.filter((file) => file.package === "faultline.v1");
  assert.ok(files.length > 0);
  for (const { name, options } of files) {
    assert.equal(
      [options?.goPackage, options?.javaPackage, options?.javaMultipleFiles],
      ["faultline/v1;faultlinev1", "com.faultline.v1", true],
      name,
    );
  }
});

test.run();

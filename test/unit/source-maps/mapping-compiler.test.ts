import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MapCompiler, type CompilerOptions } from "../../../plugins/source-maps/src/mapping/compile-in-worker.ts";
import { compileMap } from "../../../plugins/source-maps/src/mapping/compile.ts";
import { lineIndexOf } from "../../../plugins/source-maps/src/mapping/lines/line-index.ts";
import type { MapJob } from "../../../plugins/source-maps/src/mapping/thread-jobs.ts";
import { BundleError } from "../../../plugins/source-maps/src/bundle/bundle-error.ts";
import { MapError } from "../../../plugins/source-maps/src/mapping/map-limits.ts";
import { packed } from "../../support/source-maps/packed.ts";
import type { PackedEntry } from "../../../plugins/source-maps/src/bundle/inflate-entry.ts";

const compilers = suite<{ started: MapCompiler[]; start: (options?: Partial<CompilerOptions>) => MapCompiler }>(
  "compiler",
  {
    started: [],
    start() {
      throw new Error("Not yet.");
    },
  },
);

compilers.before.each((context) => {
  context.start = (options) => {
    const compiler = new MapCompiler(options);
    context.started.push(compiler);
    return compiler;
  };
});
compilers.after.each(async ({ started }) => {
  await Promise.all(started.splice(0).map((compiler) => compiler.stop()));
});

const map = Buffer.from(
  JSON.stringify({ version: 3, sources: ["a.ts"], sourcesContent: ["ä"], names: ["a"], mappings: "AAAAA" }),
);
const minified = "function a(){}";
/** A map with its script. */
const job = (bytes: Uint8Array = map): MapJob => ({
  headers: {},
  script: packed(Buffer.from(minified)),
  map: packed(bytes),
});
const withoutNames = { ...job(), script: packed(Buffer.from("(")) };
const mapErrorOf = async (compiled: Promise<unknown>) => {
  const error = await compiled.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, MapError);
  return error as MapError;
};

compilers("a thread compiles as it is done without one, and goes on after a refusal", async ({ start }) => {
  const compiler = start({ threadCount: 1 });
  const [one, refused, other] = await Promise.all([
    compiler.compile(job()),
    mapErrorOf(compiler.compile(job(Buffer.from("{}")))),
    compiler.compile(withoutNames),
  ]);
  assert.equal(one, compileMap({ map, minified }));
  assert.equal(other, compileMap({ map }));
  assert.is(refused.verdict, "map_malformed");
  assert.match(refused.message, /version is missing/);
});

compilers("bytes that fill their buffer are handed over, others copied", async ({ start }) => {
  const compiler = start();
  const whole = new Uint8Array(map);
  const part = new Uint8Array(Buffer.concat([map, Buffer.from("x")])).subarray(0, map.length);
  const [one, other] = await Promise.all([compiler.compile(job(whole)), compiler.compile(job(part))]);
  assert.equal(one, other);
  assert.is(whole.length, 0);
  const [again] = await Promise.allSettled([compiler.compile(job(whole))]);
  assert.is(again.status, "rejected");
  assert.is(part.length, map.length);
});

compilers("a file is read for its ids where it is unpacked, and a damaged one is refused", async ({ start }) => {
  const compiler = start({ threadCount: 1 });
  const id = "11111111-2222-4333-8444-555555555555";
  const file = packed(Buffer.from(`${minified}\n//# debugId=${id}\n//# sourceMappingURL=app.js.map`));
  const script = (one: PackedEntry) => ({ type: "minified_source" as const, headers: {}, packed: one });
  assert.equal(await compiler.identify([script(file), script(packed(Buffer.from(minified)))]), [
    { debugIds: [id], sourceMapUrl: "app.js.map" },
    { debugIds: [] },
  ]);
  const { entry, sent } = packed(Buffer.from(minified));
  const damaged = { entry: { ...entry, crc32: 7 }, sent };
  for (const refused of [
    compiler.identify([script(packed(Buffer.from(minified))), script(damaged)]),
    compiler.compile({ ...job(), script: damaged }),
  ]) {
    const error: unknown = await refused.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.instance(error, BundleError);
    assert.match((error as BundleError).message, /"app\.js" is damaged: its checksum differs/);
  }
});

compilers("a thread that waited for work ends, and the next map starts another", async ({ start }) => {
  const compiler = start({ threadCount: 1, idleMs: 0 });
  for (let round = 0; round < 2; round++) {
    assert.ok(await compiler.compile(job()));
    while (compiler.threadCount > 0) await new Promise((resolve) => setImmediate(resolve));
  }
});

compilers("a map that takes too long is refused as too large", async ({ start }) => {
  const compiler = start({ threadCount: 1, msPerMap: 1 }); // the thread's start takes longer
  const { verdict, message } = await mapErrorOf(compiler.compile(job()));
  assert.is(verdict, "map_too_large");
  assert.match(message, /more than 0\.001 s/);
});

compilers(
  "a map that takes too much memory is refused as too large, and the next one is compiled",
  async ({ start }) => {
    const compiler = start({ threadCount: 1, heapMiB: 12 });
    const names = JSON.stringify({
      version: 3,
      sources: Array.from({ length: 90_000 }, (_, index) => `${index}`.repeat(60)),
      mappings: "",
    });
    const { verdict, message } = await mapErrorOf(compiler.compile(job(Buffer.from(names))));
    assert.is(verdict, "map_too_large");
    assert.match(message, /more than 12 MiB/);
    assert.ok(await compiler.compile(job()));
  },
);

compilers("stopping fails what is compiled and what waits, and what comes later", async ({ start }) => {
  const compiler = start({ threadCount: 1 });
  const under = [compiler.compile(job()), compiler.compile(job())];
  const failures = Promise.allSettled(under);
  await compiler.stop();
  for (const { status } of await failures) assert.is(status, "rejected");
  const [late] = await Promise.allSettled([compiler.compile(job())]);
  assert.is(late.status, "rejected");
});

compilers(
  "sources of several slices have an index of their lines, those in a map and those beside it",
  async ({ start }) => {
    const compiler = start({ threadCount: 1 });
    const text = "line\n".repeat(20_000);
    const sourcesContent = [text, "short"];
    const large = JSON.stringify({
      version: 3,
      sources: ["a.ts", "b.ts"],
      sourcesContent,
      names: [],
      mappings: "AAAA",
    });
    const { sources } = await compiler.compile(job(Buffer.from(large)));
    const files = (["source", "minified_source"] as const).map((type) => ({
      type,
      headers: {},
      packed: packed(Buffer.from(text)),
    }));
    const identified = await compiler.identify(files);
    const expected = lineIndexOf(Buffer.from(text));
    assert.equal(
      [...sources, ...identified].map(({ lines }) => lines),
      [expected, undefined, expected, undefined],
    );
  },
);

compilers.run();

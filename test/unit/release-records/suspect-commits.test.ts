import { test } from "uvu";
import * as assert from "uvu/assert";
import { threadMs } from "../../support/service/thread-time.ts";
import {
  rankCommits,
  type SuspectFrame,
  pathParts,
  sharedSuffix,
} from "../../../plugins/release-records/src/suspects/list-suspects.ts";

const shared: [frame: string, changed: string, parts: number][] = [
  ["/srv/app/src/cart/total.js", "src/cart/total.js", 3],
  ["src/cart/total.js", "packages/shop/src/cart/total.js", 3],
  ["C:\\app\\src\\total.py", "src/total.py", 2],
  ["webpack:///./src/total.ts", "src/total.ts", 2],
  ["webpack://shop/./src/total.ts?4f2a", "src/total.ts", 2],
  ["app:///src/total.ts", "src/total.ts", 2],
  ["https://shop.example.com/assets/total.js", "assets/total.js", 2],
  ["/srv/app/lib/total.js", "src/total.js", 0], // a name alone
  ["/srv/app/lib/index.js", "index.js", 0],
  ["/app/server.js", "server.js", 1], // files at the root
  ["server.js", "server.js", 1],
  ["server.js", "src/server.js", 0],
  ["src/total.js", "src/Total.js", 0],
  ["src/total.js", "src/total.ts", 0],
  ["", "src/total.js", 0],
];

for (const [frame, changed, parts] of shared) {
  test(`${frame || "no path"} and ${changed} have ${parts} parts in common`, () =>
    assert.is(sharedSuffix(pathParts(frame), pathParts(changed)), parts));
}

const frame = (filename: string, more: Partial<SuspectFrame> = {}): SuspectFrame => ({
  filename,
  absPath: "",
  module: "",
  function: "run",
  lineno: 1,
  ...more,
});

const commit = (id: string, ...paths: string[]) => ({ id, paths });

const ranked = (frames: readonly SuspectFrame[], commits: readonly ReturnType<typeof commit>[]) =>
  rankCommits(frames, commits).map(({ commit: { id }, score, path }) => [id, score, path]);

const totals = "src/cart/total.js";

const ranks: [name: string, frames: SuspectFrame[], commits: ReturnType<typeof commit>[], found: unknown[]][] = [
  [
    "the commit of the frame nearest to the failure is the most suspect",
    [frame(totals), frame("src/shop.js")],
    [commit("far", "src/shop.js"), commit("near", totals)],
    [
      ["near", 5, totals],
      ["far", 4, "src/shop.js"],
    ],
  ],
  [
    "a commit that changed the files of several frames is more suspect",
    [frame(totals), frame("src/shop.js")],
    [commit("one", totals), commit("both", totals, "src/shop.js")],
    [
      ["both", 9, totals],
      ["one", 5, totals],
    ],
  ],
  [
    "the file with the longest end in common is meant",
    [frame("/srv/packages/b/src/index.ts")],
    [commit("a", "packages/a/src/index.ts"), commit("b", "packages/b/src/index.ts")],
    [["b", 5, "packages/b/src/index.ts"]],
  ],
  [
    "frames without a changed file do not count",
    [frame("src/other.js"), frame(totals)],
    [commit("one", totals)],
    [["one", 5, totals]],
  ],
  ["commits without files are no suspects", [frame(totals)], [commit("one")], []],
  [
    "the class of a frame names its file by its package",
    [frame("Cart.java", { module: "com.acme.shop.Cart" })],
    [commit("one", "src/main/java/com/acme/shop/Cart.java")],
    [["one", 5, "src/main/java/com/acme/shop/Cart.java"]],
  ],
  [
    "the full path counts where the name says less",
    [frame("index.js", { absPath: "/srv/app/src/cart/index.js" })],
    [commit("one", "src/cart/index.js")],
    [["one", 5, "src/cart/index.js"]],
  ],
  [
    "only the first five frames with a changed file count",
    Array.from({ length: 6 }, (_, n) => frame(`src/f${n}.js`)),
    [commit("last", "src/f5.js"), ...Array.from({ length: 5 }, (_, n) => commit(`${n}`, `src/f${n}.js`))],
    Array.from({ length: 5 }, (_, n) => [`${n}`, 5 - n, `src/f${n}.js`]),
  ],
];

for (const [name, frames, commits, found] of ranks) {
  test(name, () => assert.equal(ranked(frames, commits), found));
}

test("25 frames and 10,000 changed files of one name take less than a second of a core", () => {
  const commits = Array.from({ length: 1_000 }, (_, n) =>
    commit(`${n}`, ...Array.from({ length: 10 }, (_none, m) => `a/${n}/${m}/index.js`)),
  );
  const frames = Array.from({ length: 25 }, (_, n) => frame(`/srv/b/${n}/index.js`));
  assert.ok(threadMs(() => rankCommits(frames, commits)) < 1_000);
});

test.run();

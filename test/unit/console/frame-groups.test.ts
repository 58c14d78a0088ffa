import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  frameItems,
  headItems,
  hiddenItems,
  type FrameItem,
} from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/trace/frame-groups.ts";
import type { Frame } from "../../../console/src/lib/messages.ts";
import { frame } from "../../support/console/console-messages.ts";

const app = (name: string) => frame({ filename: "app.js", function: name, inApp: true });
const library = (name: string, given: Partial<Frame> = {}) =>
  frame({ filename: `/srv/node_modules/${name}/index.js`, function: "f", ...given });

/** `charge`, `2 of express, qs` or `×3`. */
function textOf(item: FrameItem): string {
  if (item.kind === "frame") return item.frame.function;
  return item.kind === "repeat" ? `×${item.times}` : `${item.frames.length} of ${item.names.join(", ")}`;
}

const groups = suite("frame groups");

const stacks: [claim: string, frames: Frame[], items: string[]][] = [
  ["no frames are no items", [], []],
  ["frames of the application stay", [app("a"), app("b")], ["a", "b"]],
  [
    "a run of library frames is one line",
    [app("a"), library("express"), library("express"), library("qs"), app("b")],
    ["a", "3 of express, qs", "b"],
  ],
  ["a single library frame is a run", [app("a"), library("express")], ["a", "1 of express"]],
  [
    "runs apart are lines apart",
    [library("a"), app("x"), library("b"), app("y"), library("c")],
    ["1 of a", "x", "1 of b", "y", "1 of c"],
  ],
  ["without any frame of the application nothing is folded", [library("a"), library("b")], ["f", "f"]],
  [
    "a run names three packages at most",
    [app("x"), ...["a", "b", "c", "d"].map((name) => library(name))],
    ["x", "4 of a, b, c"],
  ],
  ["recursion is one frame and how often", Array.from({ length: 212 }, () => app("again")), ["again", "×212"]],
  ["two equal calls are not yet recursion", [app("a"), app("a"), app("b")], ["a", "a", "b"]],
  [
    "equal calls that do not follow each other are no recursion",
    [app("a"), app("b"), app("a"), app("b")],
    ["a", "b", "a", "b"],
  ],
];

for (const [claim, frames, items] of stacks) {
  groups(claim, () => assert.equal(frameItems(frames, true).map(textOf), items));
}

groups("without folding every library frame is shown, and recursion still is one", () => {
  const frames = [app("a"), library("x"), library("y"), ...Array.from({ length: 5 }, () => library("z"))];
  assert.equal(frameItems(frames, false).map(textOf), ["a", "f", "f", "f", "×5"]);
});

groups("each frame is in one item, and each item has a key of its own", () => {
  const frames = Array.from({ length: 300 }, (_, index) => (index % 5 === 0 ? app(`f${index % 3}`) : library("x")));
  for (const fold of [true, false]) {
    const items = frameItems(frames, fold);
    assert.is(new Set(items.map(({ key }) => key)).size, items.length);
    const shown = items.map((item) =>
      item.kind === "library" ? item.frames.length : item.kind === "frame" ? 1 : item.times - 1,
    );
    assert.is(
      shown.reduce((total, count) => total + count, 0),
      frames.length,
    );
  }
});

groups("a frame's key is its place, so that the first frame of the application can be opened", () => {
  assert.equal(
    frameItems([library("x"), library("x"), app("a")], true).map(({ key }) => key),
    [0, 2],
  );
});

groups.run();

const names = suite("library names");

const named: [given: Partial<Frame>, name: string][] = [
  [{ package: "/usr/lib/libc.so.6" }, "libc.so.6"],
  [{ package: String.raw`C:\Windows\ntdll.dll` }, "ntdll.dll"],
  [{ filename: "/srv/node_modules/@scope/pkg/lib/a.js" }, "@scope/pkg"],
  [{ filename: "/srv/node_modules/express/lib/a.js", module: "express.lib.a" }, "express"],
  [{ filename: "/usr/lib/python3/site-packages/django/core.py" }, "django"],
  [{ filename: "/srv/vendor/guzzlehttp/guzzle/Client.php" }, "guzzlehttp"],
  [{ filename: "/usr/lib/ruby/gems/rack-3.0/lib/rack.rb" }, "rack-3.0"],
  [{ filename: "node:internal/modules/run_main", module: "run_main" }, "node:internal"],
  [
    { filename: "DispatcherServlet.java", module: "org.springframework.web.servlet.DispatcherServlet" },
    "org.springframework",
  ],
  [{ filename: "Thread.java", module: "java.lang.Thread" }, "java"],
  [{ filename: "", module: "github.com/gin-gonic/gin" }, "github.com/gin-gonic/gin"],
  [{ filename: "", module: "net/http" }, "net/http"],
  [{ filename: "runtime.rs", module: "tokio::runtime" }, "tokio"],
  [{ filename: "/usr/lib/python3/socket.py", module: "socket" }, "socket"],
  [{ filename: "/usr/lib/thing.rb" }, "thing.rb"],
];

for (const [given, name] of named) {
  names(`the library of ${JSON.stringify(given)} is ${name}`, () => {
    assert.equal(frameItems([frame(given), app("a")], true).map(textOf), [`1 of ${name}`, "a"]);
  });
}

names("frames that say nothing have no name", () => {
  assert.equal(frameItems([frame(), app("a")], true).map(textOf), ["1 of ", "a"]);
});

names.run();

const long = suite("long stacks");

for (const [count, hidden] of [
  [0, 0],
  [100, 0],
  [101, 61],
  [250, 210],
] as const) {
  long(`of ${count} lines ${hidden} are hidden`, () => assert.is(hiddenItems(count), hidden));
}

long("the first 30 and the last 10 stay", () => {
  const count = 170;
  assert.is(headItems, 30);
  assert.is(count - headItems - hiddenItems(count), 10);
});

long.run();

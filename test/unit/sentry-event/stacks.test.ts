import { type JsonObject, type JsonValue } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { boom, details, head, withFrames } from "../../support/sentry/sentry-event.ts";

const stacks = suite("stacks");

const noStacks: JsonValue[] = [
  null,
  "frames",
  7,
  {},
  { frames: null },
  { frames: [] },
  { frames: [null] },
  { frames: "x" },
];
for (const stacktrace of noStacks) {
  stacks(`a stack trace of ${JSON.stringify(stacktrace)} is none`, () => {
    const event = { exception: [{ ...boom, stacktrace }], threads: [{ stacktrace }], stacktrace };
    assert.equal(head(event).exceptions[0]?.frames, []);
    assert.equal(head(event).frames, []);
    assert.equal(details(event).exceptions[0]?.frames, []);
  });
}

stacks("a stack trace may be a bare list of frames", () => {
  assert.is(
    head({ exception: [{ ...boom, stacktrace: [{ function: "f" }] }] }).exceptions[0]?.frames[0]?.function,
    "f",
  );
});

stacks("the newest 250 frames are kept", () => {
  const frames = Array.from({ length: 5000 }, (_, index) => ({ function: `f${index}` }));
  for (const { exceptions } of [head(withFrames(frames)), details(withFrames(frames))]) {
    assert.is(exceptions[0]?.frames.length, 250);
    assert.is(exceptions[0]?.frames.at(-1)?.function, "f4999");
  }
});

stacks("source lines are kept on 50 frames: the application's first, then both ends", () => {
  const frames = Array.from({ length: 200 }, (_, index) => ({
    function: `f${index}`,
    in_app: index >= 100 && index < 110,
    context_line: "x",
    vars: { a: 1 },
  }));
  const shown = details(withFrames(frames)).exceptions[0]?.frames ?? [];
  const kept = shown.flatMap((frame, index) => (frame.contextLine === "x" && frame.vars ? [index] : []));
  const wanted = Array.from({ length: 200 }, (_, index) => index).filter(
    (index) => index < 20 || index >= 180 || (index >= 100 && index < 110),
  );
  assert.equal(kept, wanted);
});

const places: [claim: string, frame: JsonObject, filename: string, absPath: string][] = [
  [
    "Go's frames are known by their full path",
    { abs_path: "/srv/app/main.go" },
    "/srv/app/main.go",
    "/srv/app/main.go",
  ],
  ["a frame without path is known by its file", { filename: "app.rb" }, "app.rb", "app.rb"],
  ["of a URL the path is the file", { abs_path: "https://h:1/a/b.js" }, "/a/b.js", "https://h:1/a/b.js"],
  ["both are kept", { filename: "b.py", abs_path: "/a/b.py" }, "b.py", "/a/b.py"],
  ["neither is fine", { filename: null, abs_path: 7.5 }, "7.5", "7.5"],
];

for (const [claim, frame, filename, absPath] of places) {
  stacks(claim, () => {
    const shown = details(withFrames([frame])).exceptions[0]?.frames[0];
    assert.is(shown?.filename, filename);
    assert.is(shown?.absPath, absPath);
    assert.is(head(withFrames([frame])).exceptions[0]?.frames[0]?.filename, filename);
  });
}

const lines: [sent: JsonValue, found: number][] = [
  [12, 12],
  ["12", 12],
  [-1, 0],
  [0, 0],
  ["", 0],
  ["x", 0],
  [1e20, 0],
  [null, 0],
  [{}, 0],
  [true, 0],
];

for (const [lineno, found] of lines) {
  stacks(`a line number of ${JSON.stringify(lineno)} is ${found || "unknown"}`, () => {
    const shown = details(withFrames([{ lineno, colno: lineno }])).exceptions[0]?.frames[0];
    assert.equal([shown?.lineno, shown?.colno], [found, found]);
  });
}

stacks("source lines and variables are read, and odd ones left out", () => {
  const [frame, odd] =
    details(
      withFrames([
        {
          pre_context: ["a\n", null, "c\r\n"],
          context_line: "  d()\n",
          post_context: "x",
          vars: ["x", { b: null }],
          raw_function: "raw",
        },
        { pre_context: { a: 1 }, context_line: 7, vars: "x", package: "p" },
      ]),
    ).exceptions[0]?.frames ?? [];
  assert.equal(frame?.preContext, ["a", "", "c"]);
  assert.is(frame?.contextLine, "  d()");
  assert.equal(frame?.postContext, []);
  assert.equal(frame?.vars, { 0: "x", 1: { b: null } });
  assert.is(frame?.function, "raw");
  assert.equal([odd?.preContext, odd?.contextLine, odd?.vars, odd?.package], [[], "", undefined, "p"]);
});

const inApp: [platform: string, frame: JsonObject, found: boolean][] = [
  ["go", { in_app: true }, true],
  ["go", { abs_path: "/srv/app/main.go" }, false],
  ["java", { module: "com.example.App" }, true],
  ["java", { module: "java.util.Optional" }, false],
  ["java", { module: "org.springframework.web.Servlet", in_app: true }, true],
  ["java", { module: "javabeans.App" }, true],
  ["node", { filename: "/srv/app.js" }, true],
  ["node", { filename: "node:internal/modules/run" }, false],
  ["node", { filename: "/srv/node_modules/x/y.js" }, false],
  ["javascript", { filename: "http://h/app.js" }, true],
  ["python", { filename: "app.py", abs_path: "/srv/venv/lib/python3.11/site-packages/app.py" }, false],
  ["python", { filename: "app.py", abs_path: "/srv/app.py" }, true],
  ["ruby", { abs_path: "/usr/lib/ruby/gems/3.1/x.rb" }, false],
  ["php", { filename: "/vendor/x/y.php" }, false],
  ["php", { filename: "/app/y.php" }, true],
  ["native", { function: "core::panicking::panic" }, false],
  ["native", { function: "app::main", abs_path: "/srv/.cargo/registry/src/x.rs" }, false],
  ["native", { function: "app::main", abs_path: "/srv/main.rs" }, true],
  ["cobol", { filename: "vendor/x" }, true],
  ["node", { filename: "/vendor/x.php", platform: "php" }, false],
  ["node", { filename: "/srv/node_modules/x/y.js", in_app: true }, true],
  ["node", { filename: "/srv/app.js", in_app: "yes" }, true],
];

for (const [platform, frame, found] of inApp) {
  stacks(`a ${platform} frame ${JSON.stringify(frame)} is ${found ? "" : "not "}the application's`, () => {
    const event = { platform, ...withFrames([frame]) };
    assert.is(head(event).exceptions[0]?.frames[0]?.inApp, found);
    assert.is(details(event).exceptions[0]?.frames[0]?.inApp, found);
  });
}

stacks("the stack beside a lone exception becomes its own", () => {
  const event = { exception: [boom], "sentry.interfaces.Stacktrace": { frames: [{ function: "f" }] } };
  assert.is(head(event).exceptions[0]?.frames[0]?.function, "f");
  assert.equal([head(event).frames, details(event).threads], [[], []]); // and is not shown twice
  assert.is(head({ stacktrace: { frames: [{ function: "f" }] } }).frames[0]?.function, "f");
});

stacks("of threads the crashed one counts, else the current, else the only one", () => {
  const thread = (name: string, more: JsonObject = {}) => ({
    name,
    stacktrace: { frames: [{ function: name }] },
    ...more,
  });
  const stackOf = (threads: JsonValue) => head({ message: "m", threads }).frames[0]?.function;
  assert.is(stackOf([thread("a", { current: true }), thread("b", { crashed: true })]), "b");
  assert.is(stackOf({ values: [thread("a"), thread("b", { current: true })] }), "b");
  assert.is(stackOf([thread("a")]), "a");
  assert.is(stackOf([thread("a"), thread("b")]), undefined);
  assert.is(stackOf([{ id: 1, stacktrace: null }]), undefined);
});

stacks("threads are shown, ids as text, at most 100", () => {
  const { threads } = details({ threads: [{ id: 260, name: null, current: true, crashed: false, stacktrace: null }] });
  assert.equal(threads, [
    { $typeName: "faultline.v1.Thread", id: "260", name: "", current: true, crashed: false, frames: [] },
  ]);
  assert.is(details({ threads: Array.from({ length: 200 }, () => ({ id: 1 })) }).threads.length, 100);
});

stacks("a stack that belongs to nothing is shown as the current thread", () => {
  const [thread] = details({ message: "m", stacktrace: { frames: [{ function: "f" }] } }).threads;
  assert.is(thread?.current, true);
  assert.is(thread?.frames[0]?.function, "f");
});

stacks.run();

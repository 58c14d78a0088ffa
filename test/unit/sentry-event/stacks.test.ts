import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type JsonValue } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { libraryRules } from "../../../plugins/sentry-event/src/stack/libraries.ts";
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

for (const [claim, before, after, shown] of [
  ["in the middle is kept with its column", 5_000, 5_000, `{snip} ${"a".repeat(59)}!${"z".repeat(954)}...`],
  ["at the end is kept with its column", 5_000, 10, `{snip} ${"a".repeat(59)}!${"z".repeat(10)}`],
  ["at the start is kept from its start", 9, 5_000, `${"a".repeat(9)}!${"z".repeat(1_011)}...`],
] as const) {
  stacks(`a call ${claim} where its line exceeds the limit, and the cut is noted`, () => {
    const line = `${"a".repeat(before)}!${"z".repeat(after)}`;
    const event = details(withFrames([{ function: "f", lineno: 1, colno: before + 1, context_line: line }]));
    const [frame] = event.exceptions[0]?.frames ?? [];
    assert.is(frame?.contextLine, shown);
    assert.equal(
      event.trimmed.map(({ part, kept, sent }) => [part, kept, sent]),
      [["exceptions[0].frames[0].context_line", shown.length, line.length]],
    );
  });
}

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

const libraries: [platform: string, frame: JsonObject, grouped: boolean][] = [
  ["javascript", { filename: "webpack-internal:///./node_modules/react-dom/x.js", in_app: true }, true],
  ["javascript", { filename: "http://h/node_modules/.vite/deps/vue.js", in_app: true }, true],
  ["javascript", { filename: "chrome-extension://abc/content.js", in_app: true }, true],
  ["javascript", { filename: "https://browser.sentry-cdn.com/11.1.0/bundle.min.js", in_app: true }, true],
  ["node", { filename: "/srv/node_modules/@sentry/core/build/x.js", in_app: true }, true],
  ["node", { filename: "/srv/node_modules/.pnpm/@sentry+core@11.1.0/x.js", in_app: true }, true],
  ["node", { filename: "node:events", in_app: true }, true],
  [
    "python",
    { module: "sentry_sdk.integrations.wsgi", filename: "sentry_sdk/integrations/wsgi.py", in_app: true },
    true,
  ],
  ["python", { module: "raven.contrib.django.client", in_app: true }, true],
  ["python", { filename: "<frozen runpy>", in_app: true }, true],
  ["ruby", { abs_path: "/srv/lib/sentry/hub.rb", in_app: true }, true],
  ["ruby", { abs_path: "/srv/lib/raven/base.rb", in_app: true }, true],
  ["ruby", { abs_path: "/srv/vendor/bundle/ruby/3.3.0/gems/rack-3.0.1/lib/rack.rb", in_app: true }, true],
  ["ruby", { abs_path: "/usr/local/bundle/bundler/gems/rails-0c1f2/lib/x.rb", in_app: true }, true],
  ["ruby", { abs_path: "<internal:kernel>", in_app: true }, true],
  ["php", { filename: "/vendor/laravel/framework/src/x.php", in_app: true }, true],
  ["php", { function: "Sentry\\State\\Hub::withScope", in_app: true }, true],
  ["go", { module: "github.com/getsentry/sentry-go", function: "(*Hub).x", in_app: true }, true],
  ["go", { abs_path: "/go/pkg/mod/github.com/gin-gonic/gin@v1.9.1/context.go", in_app: true }, true],
  ["go", { abs_path: "github.com/gin-gonic/gin@v1.9.1/context.go", in_app: true }, true],
  ["go", { module: "net/http", function: "HandlerFunc.ServeHTTP", in_app: true }, true],
  ["java", { module: "io.sentry.Hub", in_app: true }, true],
  ["java", { module: "java.lang.Thread", in_app: true }, true],
  ["java", { module: "android.os.Handler" }, true],
  ["java", { module: "org.apache.catalina.core.StandardWrapper" }, true],
  ["native", { function: "sentry_core::hub::Hub::capture_event", in_app: true }, true],
  ["native", { function: "<core::result::Result<T,E>>::unwrap", in_app: true }, true],
  ["native", { function: "f", abs_path: "/opt/app/.cargo/git/checkouts/tokio/x.rs", in_app: true }, true],
  ["native", { function: "f", package: "/usr/lib/x86_64-linux-gnu/libc.so.6" }, true],
  ["cocoa", { function: "-[UIApplication sendEvent:]", package: "/System/Library/UIKit", in_app: true }, true],
  ["cocoa", { function: "-[SentryClient captureError:]", in_app: true }, true],
  ["csharp", { module: "System.Threading.Tasks.Task", in_app: true }, true],
  ["csharp", { module: "Microsoft.AspNetCore.Routing.X" }, true],
  ["dart", { abs_path: "package:flutter/src/widgets/framework.dart", in_app: true }, true],
  ["dart", { abs_path: "dart:async/zone.dart", in_app: true }, true],
];

for (const [platform, frame, grouped] of libraries) {
  stacks(`a ${platform} frame ${JSON.stringify(frame)} is shown as a library's, and groups as before`, () => {
    const event = { platform, ...withFrames([frame]) };
    assert.is(details(event).exceptions[0]?.frames[0]?.inApp, false);
    assert.is(head(event).exceptions[0]?.frames[0]?.inApp, grouped);
  });
}

const believed: [platform: string, frame: JsonObject][] = [
  ["python", { abs_path: "/usr/lib/python3/dist-packages/shop/cart.py", in_app: true }], // in_app_include
  ["java", { module: "org.apache.shop.Cart", in_app: true }],
  ["java", { module: "io.sentrybox.Cart", in_app: true }],
  ["node", { filename: "/srv/packages/sentry/node.js", in_app: true }],
  ["ruby", { abs_path: "/srv/lib/sentry_report.rb", in_app: true }],
  ["ruby", { abs_path: "/srv/gems/cart/lib/cart.rb", in_app: true }],
  ["go", { module: "shop/runtime", abs_path: "/srv/shop/runtime/x.go", in_app: true }],
  ["csharp", { module: "Systematic.Cart", in_app: true }],
  ["dart", { abs_path: "package:shop/cart.dart", in_app: true }],
];

for (const [platform, frame] of believed) {
  stacks(`a ${platform} frame ${JSON.stringify(frame)} stays the application's`, () => {
    assert.ok(details({ platform, ...withFrames([frame]) }).exceptions[0]?.frames[0]?.inApp);
  });
}

stacks("an SDK that says that a frame is not the application's is believed", () => {
  const event = { platform: "node", ...withFrames([{ filename: "/srv/app.js", in_app: false }]) };
  assert.is(details(event).exceptions[0]?.frames[0]?.inApp, false);
});

stacks("each place of the table of libraries is described, and no other", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/frames.md"), "utf8");
  const described = [...page.matchAll(/^\| (.+?) +\| (.+?) +\| (yes|no|unless chosen) +\|$/gm)];
  assert.equal(
    described.map(([, name, platforms, corrects]) => [name, platforms, corrects]),
    libraryRules.map(({ name, platforms, corrects, mayBeChosen }) => [
      name,
      platforms.join(", "),
      mayBeChosen ? "unless chosen" : corrects ? "yes" : "no",
    ]),
  );
});

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

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Exception } from "../../../console/src/lib/messages.ts";
import {
  stackText,
  traceText,
} from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/trace/trace-text.ts";
import { exception, frame, mechanism } from "../../support/console/console-messages.ts";

const trace = suite("trace text");

const python = (given: Parameters<typeof mechanism>[0]): Exception[] => [
  exception({
    type: "KeyError",
    value: "'amex'",
    mechanism: mechanism(given),
    frames: [
      frame({
        filename: "app.py",
        absPath: "/srv/app.py",
        function: "charge",
        lineno: 24,
        contextLine: "    read(card)\n",
      }),
    ],
  }),
  exception({
    type: "PaymentError",
    module: "shop.errors",
    value: "amex refused",
    frames: [
      frame({ filename: "app.py", absPath: "/srv/app.py", lineno: 47 }),
      frame({ filename: "app.py", absPath: "/srv/app.py", function: "checkout", lineno: 31 }),
    ],
  }),
];

const pythonTrace = (relation: string) => `Traceback (most recent call last):
  File "/srv/app.py", line 24, in charge
    read(card)
KeyError: 'amex'

${relation}

Traceback (most recent call last):
  File "/srv/app.py", line 47, in <module>
  File "/srv/app.py", line 31, in checkout
shop.errors.PaymentError: amex refused`;

trace("Python prints the root cause first and the newest call last", () => {
  const relation = "The above exception was the direct cause of the following exception:";
  assert.is(traceText(python({}), "python"), pythonTrace(relation));
});

trace("Python says that an exception was being handled", () => {
  const relation = "During handling of the above exception, another exception occurred:";
  assert.is(traceText(python({ source: "__context__" }), "python"), pythonTrace(relation));
});

trace("Python leaves out the module of its own exceptions and of the script", () => {
  for (const module of ["builtins", "__main__", ""]) {
    assert.is(traceText([exception({ type: "KeyError", value: "1", module })], "python"), "KeyError: 1");
  }
});

for (const platform of ["node", "javascript"]) {
  trace(`${platform} prints the newest call first and causes below`, () => {
    const text = traceText(
      [
        exception({
          type: "TypeError",
          value: "x is undefined",
          frames: [frame({ filename: "/srv/app.cjs", function: "charge", lineno: 12, colno: 43 })],
        }),
        exception({
          type: "PaymentError",
          value: "refused",
          frames: [
            frame({ filename: "/srv/app.cjs", lineno: 90, colno: 1 }),
            frame({ filename: "cart.js", absPath: "/srv/cart.js", function: "checkout", lineno: 7, colno: 9 }),
          ],
        }),
      ],
      platform,
    );
    assert.is(
      text,
      `PaymentError: refused
    at checkout (/srv/cart.js:7:9)
    at /srv/app.cjs:90:1 {
  [cause]: TypeError: x is undefined
      at charge (/srv/app.cjs:12:43)
}`,
    );
  });
}

/** An exception of a tree, with the place that threw it. */
function inTree(
  type: string,
  exceptionId: number,
  given: Parameters<typeof mechanism>[0] = {},
  module = "",
): Exception {
  const at = frame({ filename: "App.src", module: "App", function: `throw${type}`, lineno: 10 + exceptionId });
  return exception({ type, value: "v", module, mechanism: mechanism({ exceptionId, ...given }), frames: [at] });
}

const member = (index: number, parentId: number) => ({ source: `errors[${index}]`, parentId });

trace("Node.js prints causes and the errors of an AggregateError in braces", () => {
  const sent = [
    inTree("WhyB", 4, { source: "cause", parentId: 3 }),
    inTree("B", 3, member(1, 1)),
    inTree("A", 2, member(0, 1)),
    inTree("AggregateError", 1, { source: "cause", parentId: 0 }),
    inTree("Top", 0),
  ];
  assert.is(
    traceText(sent, "node"),
    `Top: v
    at throwTop (App.src:10) {
  [cause]: AggregateError: v
      at throwAggregateError (App.src:11) {
    [errors]: [
      A: v
          at throwA (App.src:12),
      B: v
          at throwB (App.src:13) {
        [cause]: WhyB: v
            at throwWhyB (App.src:14)
      }
    ]
  }
}`,
  );
});

trace(".NET prints the cause before the frames, and the further exceptions of an AggregateException below them", () => {
  const sent = [
    inTree("System.B", 3, { source: "InnerExceptions[1]", parentId: 0 }),
    inTree("WhyA", 2, { source: "InnerException", parentId: 1 }),
    inTree("System.A", 1, { source: "InnerExceptions[0]", parentId: 0 }),
    inTree(
      "System.AggregateException",
      0,
      {},
      "System.Private.CoreLib, Version=8.0.0.0, PublicKeyToken=7cec85d7bea7798e",
    ),
  ];
  assert.is(
    traceText(sent, "csharp"),
    `System.AggregateException: v
 ---> System.A: v
 ---> WhyA: v
   at App.throwWhyA() in App.src:line 12
   --- End of inner exception stack trace ---
   at App.throwSystem.A() in App.src:line 11
   --- End of inner exception stack trace ---
   at App.throwSystem.AggregateException() in App.src:line 10
 ---> (Inner Exception #1) System.B: v
   at App.throwSystem.B() in App.src:line 13<---
`,
  );
});

trace("Java prints what was suppressed one tab deeper, with its own cause, before the cause of the exception", () => {
  const suppressed = { type: "suppressed" };
  const sent = [
    inTree("CloseB", 5, { parentId: 4, ...suppressed }),
    inTree("WhyA", 4, { parentId: 3 }, "java.util"),
    inTree("CloseA", 3, { parentId: 2, ...suppressed }),
    inTree("Work", 2, { parentId: 0 }),
    inTree("Late", 1, { parentId: 0, ...suppressed }),
    inTree("Top", 0, {}, "com.example"),
  ];
  assert.is(
    traceText(sent, "java"),
    `com.example.Top: v
\tat App.throwTop(App.src:10)
\tSuppressed: Late: v
\t\tat App.throwLate(App.src:11)
Caused by: Work: v
\tat App.throwWork(App.src:12)
\tSuppressed: CloseA: v
\t\tat App.throwCloseA(App.src:13)
\tCaused by: java.util.WhyA: v
\t\tat App.throwWhyA(App.src:14)
\tSuppressed: CloseB: v
\t\tat App.throwCloseB(App.src:15)`,
  );
});

/** Python's output for the same exceptions. A cause names 0 as its parent, whatever it led to. */
trace("Python prints the members of an ExceptionGroup as a tree", () => {
  const inGroup = (index: number, parentId: number) => ({ source: `exceptions[${index}]`, parentId });
  const bare = (of: Exception): Exception => ({ ...of, frames: [] });
  const sent = [
    bare(inTree("KeyError", 7, inGroup(1, 5))),
    bare({ ...inTree("TypeError", 6, inGroup(0, 5)), value: "bare\ntwo lines" }),
    inTree("ExceptionGroup", 5, inGroup(2, 0)),
    inTree("Charge", 4, { source: "__context__", parentId: 0 }),
    inTree("RuntimeError", 3, inGroup(1, 0)),
    inTree("ValueError", 2, inGroup(0, 0)),
    inTree("Why", 1, { source: "__cause__", parentId: 0 }),
    inTree("ExceptionGroup", 0),
  ];
  assert.is(
    traceText(sent, "python"),
    `Traceback (most recent call last):
  File "App.src", line 11, in throwWhy
Why: v

The above exception was the direct cause of the following exception:

  + Exception Group Traceback (most recent call last):
  |   File "App.src", line 10, in throwExceptionGroup
  | ExceptionGroup: v (3 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "App.src", line 12, in throwValueError
    | ValueError: v
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "App.src", line 14, in throwCharge
    | Charge: v
    | ${"" /* a margin ends with a space */}
    | During handling of the above exception, another exception occurred:
    | ${""}
    | Traceback (most recent call last):
    |   File "App.src", line 13, in throwRuntimeError
    | RuntimeError: v
    +---------------- 3 ----------------
    | Exception Group Traceback (most recent call last):
    |   File "App.src", line 15, in throwExceptionGroup
    | ExceptionGroup: v (2 sub-exceptions)
    +-+---------------- 1 ----------------
      | TypeError: bare
      | two lines
      +---------------- 2 ----------------
      | KeyError: v
      +------------------------------------`,
  );
});

trace("a group of one in Python is closed, and its text is not counted twice", () => {
  const sent = [
    inTree("ValueError", 1, { source: "exceptions[0]", parentId: 0 }),
    { ...inTree("ExceptionGroup", 0), value: "a (1 sub-exception)", frames: [] },
  ];
  assert.is(
    traceText(sent, "python"),
    `  | ExceptionGroup: a (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "App.src", line 11, in throwValueError
    | ValueError: v
    +------------------------------------`,
  );
});

trace("other languages print members indented, and say what they are", () => {
  const sent = [inTree("Why", 2, { parentId: 1 }), inTree("A", 1, member(0, 0)), inTree("Joined", 0)];
  assert.is(
    traceText(sent, "go"),
    `Joined: v
App.throwJoined(...)
\tApp.src:10
    One of the exceptions in Joined: A: v
    App.throwA(...)
    \tApp.src:11
    Caused by: Why: v
    App.throwWhy(...)
    \tApp.src:12`,
  );
});

trace("Java prints the package of the type, the class of the method and the file", () => {
  const at = (name: string, lineno: number) =>
    frame({ filename: "App.java", module: "com.example.App", function: name, lineno });
  const text = traceText(
    [
      exception({
        type: "NoSuchElementException",
        module: "java.util",
        value: "no card",
        frames: [at("readCard", 14)],
      }),
      exception({
        type: "App$PaymentException",
        module: "com.example",
        value: "refused",
        frames: [frame({ module: "jdk.internal.Direct", function: "invoke" }), at("main", 29), at("charge", 15)],
      }),
    ],
    "java",
  );
  assert.is(
    text,
    `com.example.App$PaymentException: refused
\tat com.example.App.charge(App.java:15)
\tat com.example.App.main(App.java:29)
\tat jdk.internal.Direct.invoke(Unknown Source)
Caused by: java.util.NoSuchElementException: no card
\tat com.example.App.readCard(App.java:14)`,
  );
});

trace("Go prints each function above its place", () => {
  const frames = [
    frame({ absPath: "/srv/main.go", module: "main", function: "main", lineno: 82 }),
    frame({ absPath: "/srv/main.go", module: "main", function: "(*Shop).Pay", lineno: 68 }),
  ];
  assert.is(
    traceText([exception({ type: "*errors.errorString", value: "unknown card", frames })], "go"),
    `*errors.errorString: unknown card
main.(*Shop).Pay(...)
\t/srv/main.go:68
main.main(...)
\t/srv/main.go:82`,
  );
});

trace("PHP prints the root cause first, and each call with the place that made it", () => {
  const at = (name: string, lineno: number) =>
    frame({ filename: "/app.php", absPath: "/srv/app.php", function: name, lineno });
  const text = traceText(
    [
      exception({
        type: "OutOfBoundsException",
        value: "no card",
        frames: [at("", 25), at("handled", 21), at("read_card", 8)],
      }),
      exception({ type: "PaymentError", value: "refused", frames: [at("", 25), at("handled", 9)] }),
    ],
    "php",
  );
  assert.is(
    text,
    `OutOfBoundsException: no card in /srv/app.php:8
Stack trace:
#0 /srv/app.php(21): read_card()
#1 /srv/app.php(25): handled()
#2 {main}

Next PaymentError: refused in /srv/app.php:9
Stack trace:
#0 /srv/app.php(25): handled()
#1 {main}`,
  );
});

trace("PHP has no place for a call from the inside", () => {
  const frames = [frame({ absPath: "/srv/app.php", function: "onShutdown", lineno: 3 })];
  assert.is(
    traceText([exception({ type: "Error", value: "x", frames })], "php"),
    "Error: x in /srv/app.php:3\nStack trace:\n#0 [internal function]: onShutdown()\n#1 {main}",
  );
});

trace("Ruby puts the error behind the place that raised it", () => {
  const at = (name: string, lineno: number) =>
    frame({ filename: "app.rb", absPath: "/srv/app.rb", function: name, lineno });
  const text = traceText(
    [
      exception({ type: "KeyError", value: "key not found", frames: [at("read_card", 19)] }),
      exception({ type: "PaymentError", value: "refused", frames: [at("", 59), at("rescue in charge", 25)] }),
    ],
    "ruby",
  );
  assert.is(
    text,
    `/srv/app.rb:25:in 'rescue in charge': refused (PaymentError)
\tfrom /srv/app.rb:59:in '<main>'
/srv/app.rb:19:in 'read_card': key not found (KeyError)`,
  );
});

for (const platform of ["rust", "native"]) {
  trace(`${platform} numbers the frames`, () => {
    const frames = [
      frame({ filename: "src/main.rs", function: "app::main", lineno: 4, colno: 5 }),
      frame({ filename: "src/pay.rs", function: "app::pay", lineno: 9 }),
    ];
    assert.is(
      traceText([exception({ type: "PaymentError", value: "refused", frames })], platform),
      `PaymentError: refused
   0: app::pay
             at src/pay.rs:9
   1: app::main
             at src/main.rs:4:5`,
    );
  });
}

for (const platform of ["python", "node", "java", "go", "php", "ruby", "rust", "csharp", "other"]) {
  trace(`${platform} keeps every frame, and frames that say nothing do no harm`, () => {
    const frames = Array.from({ length: 120 }, (_, index) => frame({ filename: `f${index}_`, lineno: 1 }));
    const text = traceText([exception({ type: "E", value: "v", frames })], platform);
    for (const { filename } of frames) assert.ok(text.includes(filename), filename);
    assert.not.match(traceText([exception({ frames: [frame()] })], platform), /undefined|NaN/);
  });
}

trace("a stack alone has no head", () => {
  const frames = [frame({ filename: "a.js", function: "f", lineno: 1 }), frame({ filename: "b.js", lineno: 2 })];
  assert.is(stackText(frames, "node"), "    at b.js:2\n    at f (a.js:1)");
  assert.is(stackText([], "node"), "");
});

trace("an exception without type and value is an Error", () => assert.is(traceText([exception()], "node"), "Error"));

trace.run();

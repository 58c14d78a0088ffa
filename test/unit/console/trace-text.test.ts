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
    at /srv/app.cjs:90:1
[cause]: TypeError: x is undefined
    at charge (/srv/app.cjs:12:43)`,
    );
  });
}

trace("JavaScript distinguishes the errors of an AggregateError from a cause", () => {
  const member = exception({ type: "Error", value: "a", mechanism: mechanism({ source: "errors[0]", parentId: 0 }) });
  const text = traceText([member, exception({ type: "AggregateError", value: "all" })], "node");
  assert.is(text, "AggregateError: all\n[errors]: Error: a");
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

for (const platform of ["python", "node", "java", "go", "php", "ruby", "rust", "other"]) {
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

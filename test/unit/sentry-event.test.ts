import { PayloadEncoding, type ErrorEvent } from "@faultline/proto";
import {
  type Arrival,
  type StoredPayload,
  type EventDetails,
  type JsonObject,
  type JsonValue,
  isTransaction,
  limits,
  readErrorEvent,
  readEvent,
  readEventId,
  readTime,
  titleOf,
} from "@faultline/plugin/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decodeContent } from "../../plugins/http-bridge/src/ingest/content-encoding.ts";
import { parseEnvelope } from "../../plugins/http-bridge/src/ingest/envelope.ts";
import { parseEventJson } from "../../plugins/http-bridge/src/ingest/event-json.ts";
import { readStoreBody } from "../../plugins/http-bridge/src/ingest/store-body.ts";
import { type Capture, readCaptures } from "../support/capture.ts";

const receivedAt = Date.UTC(2026, 10, 21, 12);
const hour = 3_600_000;
const day = 24 * hour;
const id = "0123456789abcdef0123456789abcdef";
const generated = "f".repeat(32);

const identity = suite("event id");

const ids: [claim: string, sent: JsonValue, envelope: string | undefined, found: string][] = [
  ["an id is kept", id, undefined, id],
  ["an id is lower-cased", id.toUpperCase(), undefined, id],
  ["a hyphenated id loses its hyphens", "01234567-89AB-cdef-0123-456789abcdef", undefined, id],
  ["the envelope's id wins", "a".repeat(32), id, id],
  ["the envelope's id fills in", null, id, id],
  ["an envelope's id that is none leaves the event's own", id, "not-a-uuid", id],
  ["no id at all gets a new one", null, undefined, generated],
  ["not-a-uuid gets a new one", "not-a-uuid", undefined, generated],
  ["the nil id gets a new one", "0".repeat(32), undefined, generated],
  ["hyphens in other places make no id", "0123-456789abcdef0123456789abcdef", undefined, generated],
  ["a number gets a new one", 42, undefined, generated],
];

for (const [claim, sent, envelopeEventId, found] of ids) {
  identity(claim, () => assert.is(head({ event_id: sent }, { envelopeEventId }).eventId, found));
}

identity("an id is read the same at every door", () => {
  assert.is(readEventId("01234567-89ab-cdef-0123-456789abcdef"), id);
  assert.is(readEventId(undefined), undefined);
});

const shapes = suite("exceptions");

const boom = { type: "Boom", value: "bang" };
const exceptionShapes: [claim: string, sent: JsonValue, found: string[]][] = [
  ["a list, as Go sends it", [{ type: "Root", value: "r" }, boom], ["Root: r", "Boom: bang"]],
  ["an object of values", { values: [boom] }, ["Boom: bang"]],
  ["a lone object", boom, ["Boom: bang"]],
  ["an empty object", {}, []],
  ["an empty list", [], []],
  ["null", null, []],
  ["values of null", { values: null }, []],
  ["text", "str", []],
  ["a list of null", [null], []],
  ["a list of all sorts", [null, "x", 1, [], boom], ["Boom: bang"]],
  ["neither type nor value", [{ type: null, value: null }], []],
  ["a value that is an object", [{ type: "T", value: { a: 1 } }], ['T: {"a":1}']],
  ["a value that is a number", [{ type: "T", value: 0 }], ["T: 0"]],
  ["a value that is a list", [{ type: "T", value: [1, "a", null] }], ['T: [1,"a",null]']],
  ["a type alone", [{ type: "T" }], ["T: "]],
  ["a value alone", [{ value: "v" }], [": v"]],
];

for (const [claim, sent, found] of exceptionShapes) {
  shapes(`${claim} gives ${found.length || "no"} exception(s), in head and details alike`, () => {
    for (const key of ["exception", "sentry.interfaces.Exception"]) {
      const both = [head({ [key]: sent }).exceptions, details({ [key]: sent }).exceptions];
      for (const exceptions of both) {
        assert.equal(
          exceptions.map(({ type, value }) => `${type}: ${value}`),
          found,
        );
      }
    }
  });
}

shapes("the last 50 exceptions are kept", () => {
  const many = Array.from({ length: 1000 }, (_, index) => ({ type: `E${index}` }));
  assert.is(head({ exception: many }).exceptions.length, 50);
  assert.is(head({ exception: many }).exceptions[0]?.type, "E950");
  assert.is(details({ exception: many }).exceptions.at(-1)?.type, "E999");
});

shapes("a mechanism is read as far as it is told", () => {
  const mechanism = {
    type: "onerror",
    handled: false,
    exception_id: 1,
    parent_id: 0,
    source: "cause",
    synthetic: null,
  };
  assert.equal(details({ exception: [{ ...boom, mechanism }] }).exceptions[0]?.mechanism, {
    $typeName: "faultline.v1.Mechanism",
    type: "onerror",
    handled: false,
    synthetic: false,
    exceptionId: 1,
    parentId: 0,
    source: "cause",
  });
  const odd = details({
    exception: [{ ...boom, mechanism: { handled: "no", exception_id: 1.5, parent_id: 2 ** 40 } }],
  });
  assert.equal(odd.exceptions[0]?.mechanism, {
    $typeName: "faultline.v1.Mechanism",
    type: "",
    synthetic: false,
    source: "",
  });
  assert.is(details({ exception: [{ ...boom, mechanism: "x" }] }).exceptions[0]?.mechanism, undefined);
});

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
  ["native", { function: "app::main", abs_path: "/root/.cargo/registry/src/x.rs" }, false],
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

const messages = suite("messages");

const messageShapes: [claim: string, event: JsonObject, formatted: string, template: string][] = [
  ["text", { message: "hi" }, "hi", ""],
  ["formatted alone, as in Java", { message: { formatted: "hi" } }, "hi", ""],
  ["a list of params", { message: { message: "a %s b %d", params: ["x", 2] } }, "a x b 2", "a %s b %d"],
  ["params by name", { logentry: { message: "a %(n)s", params: { n: "x" } } }, "a x", "a %(n)s"],
  ["params in braces", { logentry: { message: "a {} {}", params: ["x", null] } }, "a x null", "a {} {}"],
  ["numbered braces", { logentry: { message: "{1}{0}", params: ["x", "y"] } }, "yx", "{1}{0}"],
  ["named braces", { logentry: { message: "a {n}", params: { n: [1] } } }, "a [1]", "a {n}"],
  ["formatted beside params", { message: { message: "%s", params: ["x"], formatted: "X!" } }, "X!", "%s"],
  ["precision and percent", { message: { message: "%.2f%% %5d", params: [1.005, 3] } }, "1.00% 3", "%.2f%% %5d"],
  ["too few params", { message: { message: "%s %s", params: ["x"] } }, "%s %s", ""],
  ["an unknown conversion", { message: { message: "%z", params: ["x"] } }, "%z", ""],
  ["a literal 100 %", { message: { message: "100 % sure", params: ["x"] } }, "100 % sure", ""],
  ["a percent sign at the end", { message: { message: "100 %", params: ["x"] } }, "100 %", ""],
  ["braces of an unknown name", { message: { message: "{a} {b}", params: { a: 1 } } }, "{a} {b}", ""],
  ["a name every object has", { message: { message: "{toString}", params: {} } }, "{toString}", ""],
  ["params of text", { message: { message: "%s", params: "x" } }, "%s", ""],
  ["no params", { message: { message: "100%" } }, "100%", ""],
  ["false", { message: false }, "", ""],
  ["nothing", { message: "" }, "", ""],
  ["null", { message: null }, "", ""],
  ["an empty object", { message: {} }, "", ""],
  ["a number", { message: 42 }, "42", ""],
  ["a list", { message: ["a", 1] }, '["a",1]', ""],
  ["logentry before message", { logentry: { formatted: "l" }, message: "m" }, "l", ""],
  ["message fills in logentry", { logentry: { message: "%s!" }, message: "m!" }, "m!", "%s!"],
  ["an empty logentry leaves message", { logentry: "", message: "m" }, "m", ""],
  ["the old name", { "sentry.interfaces.Message": { message: "%s", params: [1] } }, "1", "%s"],
];

for (const [claim, event, formatted, template] of messageShapes) {
  messages(`a message may come as ${claim}`, () => {
    for (const { message, messageTemplate } of [head(event), details(event)]) {
      assert.equal([message, messageTemplate], [formatted, template]);
    }
  });
}

messages("a message is cut at 8,192 characters, and between whole characters", () => {
  const { message } = head({ message: `${"x".repeat(8188)}😀😀😀` });
  assert.is(message, `${"x".repeat(8188)}...`);
  assert.ok(message.isWellFormed());
});

messages("one large parameter used often stays small", () => {
  const message = { message: "%(a)s".repeat(1600), params: { a: "x".repeat(900_000) } };
  assert.is(head({ message }).message.length, 8192);
});

messages("what Node 11 sends beside captureMessage is the stack of a message", () => {
  const event = {
    message: "hi",
    platform: "node",
    exception: {
      values: [
        {
          value: "hi",
          mechanism: { synthetic: true },
          stacktrace: { frames: [{ function: "msg", module: "app", in_app: true }] },
        },
      ],
    },
  };
  assert.equal(head(event).exceptions, []);
  assert.is(head(event).frames[0]?.function, "msg");
  assert.is(details(event).title, "hi");
  assert.equal(details(event).exceptions, []);
  assert.is(details(event).threads[0]?.frames[0]?.function, "msg");
});

const titles = suite("title and culprit");

const titled: [claim: string, event: JsonObject, title: string][] = [
  ["an empty event has no label", {}, "<unlabeled event>"],
  ["an exception of nothing has no label", { exception: [{ type: null, value: null }] }, "<unlabeled event>"],
  ["an exception of nothing leaves the message", { exception: [{}], message: "m" }, "m"],
  ["type and value", { exception: [boom] }, "Boom: bang"],
  ["the exception that was caught last", { exception: [{ type: "Root" }, boom] }, "Boom: bang"],
  ["a value of many lines gives its first", { exception: [{ type: "T", value: "\r\n a\r\nb" }] }, "T: a"],
  ["U+2028 ends a line", { exception: [{ type: "T", value: "a\u2028b" }] }, "T: a"],
  ["no value leaves the type", { exception: [{ type: "T", value: "" }] }, "T"],
  ["no type is an Error", { exception: [{ value: "v" }] }, "Error: v"],
  ["a message's first line", { message: "\n\nfirst\nsecond" }, "first"],
  ["an exception before a message", { exception: [boom], message: "m" }, "Boom: bang"],
  ["an empty message beside an exception, as in Ruby", { exception: [boom], message: "" }, "Boom: bang"],
  ["the event's own title", { exception: [boom], title: "mine" }, "mine"],
  ["a synthetic exception is named by its function", synthetic([{ function: "f" }, { function: "<unknown>" }]), "f"],
  ["a synthetic exception without function gives its value", synthetic([]), "bang"],
  ["HTML is plain text", { message: "<script>alert(1)</script>" }, "<script>alert(1)</script>"],
];

for (const [claim, event, title] of titled) {
  titles(claim, () => {
    assert.is(details(event).title, title);
    assert.is(titleOf(head(event)), title);
  });
}

titles("a title has at most 256 characters, and the type at most 128 of them", () => {
  const long = "x".repeat(1000);
  const title = titleOf(head({ exception: [{ type: long, value: long }] }));
  assert.is(title.length, limits.text.title);
  assert.is(title.indexOf("..."), 125);
  assert.ok(title.endsWith("..."));
});

const frame = { module: "m", filename: "dir/f.x", function: "fn", in_app: true };
const culprits: [claim: string, event: JsonObject, culprit: string][] = [
  ["the transaction comes first", { transaction: "/a", ...withFrames([frame]) }, "/a"],
  ["culprit is an old name of it", { culprit: "old", ...withFrames([frame]) }, "old"],
  ["most platforms say module and function", { platform: "python", ...withFrames([frame]) }, "m in fn"],
  ["without module the file is named", withFrames([{ ...frame, module: null }]), "dir/f.x in fn"],
  ["JavaScript says function and module", { platform: "node", ...withFrames([frame]) }, "fn(m)"],
  ["native platforms say the function", { platform: "native", ...withFrames([frame]) }, "fn"],
  [
    "the newest frame of the application counts",
    withFrames([{ ...frame, function: "old" }, frame, { ...frame, function: "lib", in_app: false }]),
    "m in fn",
  ],
  ["without any the newest counts", withFrames([{ ...frame, in_app: false, function: "lib" }]), "m in lib"],
  [
    "the last exception that has frames counts, as in Go",
    { exception: [{ ...boom, stacktrace: [frame] }, boom] },
    "m in fn",
  ],
  ["a synthetic exception names none", synthetic([frame]), ""],
  ["a request's URL is better than nothing", { exception: [boom], request: { url: "http://h/p" } }, "http://h/p"],
  ["a message's stack names one", { message: "m", threads: [{ stacktrace: [frame] }] }, "m in fn"],
  ["nothing is fine", { message: "m" }, ""],
];

for (const [claim, event, culprit] of culprits) {
  titles(claim, () => {
    assert.is(head(event).culprit, culprit);
    assert.is(details(event).culprit, culprit);
  });
}

const times = suite("times");

const at = Date.UTC(2026, 10, 20, 22, 58, 36);
const timestamps: [sent: JsonValue, found: number][] = [
  [at / 1000, at],
  [at / 1000 + 0.25, at + 250],
  [String(at / 1000), at],
  [`${at / 1000}.5`, at + 500],
  [at + 7, at + 7],
  ["2026-11-20T22:58:36Z", at],
  ["2026-11-20T22:58:36", at],
  ["2026-11-20T22:58:36.5", at + 500],
  ["2026-11-20t22:58:36.123z", at + 123],
  ["2026-11-21T00:58:36+02:00", at],
  ["2026-11-20T20:28:36-0230", at],
  ["yesterday", receivedAt],
  ["", receivedAt],
  [null, receivedAt],
  [{}, receivedAt],
  [true, receivedAt],
  ["2026-13-20T22:58:36Z", receivedAt],
  [1e300, receivedAt],
  [-5, receivedAt],
  [0, receivedAt],
  ["9999-12-31T23:59:59Z", receivedAt + 60_000],
  [(receivedAt + hour) / 1000, receivedAt + 60_000],
  [(receivedAt - 200 * day) / 1000, receivedAt - 30 * day],
];

for (const [timestamp, found] of timestamps) {
  times(`a timestamp of ${JSON.stringify(timestamp)} is ${new Date(found).toISOString()}`, () => {
    assert.is(milliseconds(head({ timestamp }).occurredTime), found);
  });
}

times("microseconds survive, and nanoseconds are cut to them", () => {
  assert.is(head({ timestamp: "2026-11-20T22:58:36.622919625Z" }).occurredTime?.nanos, 622_920_000);
  assert.is(head({ timestamp: 1795216832.2650886 }).occurredTime?.nanos, 265_089_000);
  assert.is(head({ timestamp: "2026-11-20T22:58:36.9999999Z" }).occurredTime?.nanos, 0);
});

times("a sender's clock a day ahead is corrected, half an hour is not", () => {
  const told = receivedAt - 5000;
  const occurred = (ahead: number) =>
    milliseconds(head({ timestamp: (told + ahead) / 1000 }, { sentAt: receivedAt + ahead }).occurredTime);
  assert.is(occurred(day), told);
  assert.is(occurred(-400 * day), told);
  assert.is(occurred(-30 * 60_000), told - 30 * 60_000);
  assert.is(milliseconds(head({ timestamp: told / 1000 }, { sentAt: undefined }).occurredTime), told);
});

times("breadcrumbs move with their event", () => {
  const event = { timestamp: "2020-01-01T00:00:10Z", breadcrumbs: [{ timestamp: "2020-01-01T00:00:00Z" }] };
  const time = (occurredAt?: number) =>
    milliseconds(readEvent(JSON.stringify(event), { occurredAt }).breadcrumbs[0]?.time);
  assert.is(time(), Date.UTC(2020, 0, 1));
  assert.is(time(receivedAt), receivedAt - 10_000);
  assert.is(time(Date.UTC(2020, 0, 1, 0, 0, 10)), Date.UTC(2020, 0, 1));
});

times("the time of receipt is kept", () => {
  assert.is(milliseconds(head({}).receivedTime), receivedAt);
  assert.is(readTime("nonsense"), undefined);
});

const fields = suite("fields");

const levels: [sent: JsonValue, found: string][] = [
  ["fatal", "fatal"],
  ["WARN", "warning"],
  [" Info ", "info"],
  [40, "error"],
  ["10", "debug"],
  ["critical", "fatal"],
  ["log", "info"],
  [{}, "error"],
  ["", "error"],
  [null, "error"],
  ["constructor", "error"],
  [45, "error"],
];

for (const [level, found] of levels) {
  fields(`level ${JSON.stringify(level)} is ${found}`, () => {
    assert.is(head({ level }).level, found);
    assert.is(details({ level }).level, found);
  });
}

const platforms: [sent: JsonValue, found: string][] = [
  ["node", "node"],
  [5, "other"],
  [null, "other"],
  ["", "other"],
  ["x".repeat(100), `${"x".repeat(61)}...`],
];

for (const [platform, found] of platforms) {
  fields(`platform ${JSON.stringify(platform)} is ${found}`, () => assert.is(head({ platform }).platform, found));
}

const releases: [sent: JsonValue, found: string][] = [
  ["shop@1.2.3", "shop@1.2.3"],
  [" a/b ", "a/b"],
  [123, "123"],
  [" ", ""],
  [".", ""],
  ["..", ""],
  ["x\ny", ""],
  ["x\0y", "xy"],
  [null, ""],
  [{}, ""],
  ["x".repeat(300), `${"x".repeat(197)}...`],
];

for (const [release, found] of releases) {
  fields(`release ${JSON.stringify(release)} is ${found || "none"}`, () => {
    assert.is(head({ release }).release, found);
    assert.is(details({ release }).release, found);
  });
}

const environments: [event: JsonObject, found: string][] = [
  [{ environment: "staging" }, "staging"],
  [{ environment: "" }, ""],
  [{ environment: "None" }, "None"],
  [{ environment: "x".repeat(64) }, "x".repeat(64)],
  [{ environment: "x".repeat(200) }, ""],
  [{ environment: "a/b" }, ""],
  [{ environment: "a\nb" }, ""],
  [{ environment: 7 }, "7"],
  [{ environment: null, tags: { environment: "tagged" } }, "tagged"],
  [{ tags: [["environment", "tagged"]] }, "tagged"],
  [{ tags: [{ key: "environment", value: "tagged" }] }, "tagged"],
  [{ environment: "own", tags: { environment: "tagged" } }, "own"],
];

for (const [event, found] of environments) {
  fields(`environment of ${JSON.stringify(event).slice(0, 60)} is ${found || "none"}`, () => {
    assert.is(head(event).environment, found);
    assert.is(details(event).environment, found);
    assert.is(head(event).tags["environment"], undefined);
  });
}

const tagShapes: [claim: string, tags: JsonValue, found: Record<string, string>][] = [
  ["an object", { a: "1", b: 2, c: true, d: false }, { a: "1", b: "2", c: "true", d: "false" }],
  ["pairs", [["a", "1"], ["b", 2], null, "x", ["c"]], { a: "1", b: "2" }],
  [
    "entries",
    [
      { key: "a", value: "1" },
      { key: null, value: "x" },
    ],
    { a: "1" },
  ],
  ["null, empty and nested values", { a: null, b: "", c: " ", d: { x: 1 }, e: ["x"] }, {}],
  ["keys with spaces", { " my key ": "v" }, { "my-key": "v" }],
  ["keys of other characters", { ä: "v", "": "v", "a,b": "v", "a.b:c-d_e": "v" }, { "a.b:c-d_e": "v" }],
  ["long values", { a: "x".repeat(300) }, { a: `${"x".repeat(197)}...` }],
  ["long keys", { ["x".repeat(201)]: "v" }, {}],
  ["line breaks", { a: "x\r\ny\nz" }, { a: "x y z" }],
  ["NUL", { "k\0ey": "v\0alue" }, { key: "value" }],
  ["lone surrogates", { a: "\ud800" }, { a: "\ufffd" }],
  [
    "the first of equal keys",
    [
      ["a", "1"],
      ["a", "2"],
    ],
    { a: "1" },
  ],
  ["reserved names", { release: "x", dist: "x", user: "x", filename: "x", function: "x" }, {}],
  ["names every object has", { constructor: "x", toString: "y" }, { constructor: "x", toString: "y" }],
  ["text", "x", {}],
];

for (const [claim, tags, found] of tagShapes) {
  fields(`tags: ${claim}`, () => {
    assert.equal(entriesOf(head({ tags }).tags), entriesOf(found));
    assert.equal(entriesOf(details({ tags }).tags), entriesOf(found));
  });
}

fields("100 of 5,000 tags are kept", () => {
  const tags = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`t${index}`, "v"]));
  assert.is(Object.keys(head({ tags }).tags).length, 100);
});

fields("host and site can be searched for like tags", () => {
  assert.equal(head({ server_name: "web-7", site: "eu" }).tags, { server_name: "web-7", site: "eu" });
  assert.equal(head({ server_name: "web-7", tags: { server_name: "own" } }).tags, { server_name: "own" });
  assert.equal(details({ server_name: "web-7" }).tags, {});
  assert.is(details({ server_name: "web-7" }).serverName, "web-7");
});

const fingerprints: [sent: JsonValue, found: string[]][] = [
  [[], []],
  [null, []],
  [["{{ default }}"], []],
  [["{{default}}"], []],
  [
    ["{{default}}", "x"],
    ["{{default}}", "x"],
  ],
  ["x", ["x"]],
  [
    [1, true, null, {}, "", "a"],
    ["1", "true", "a"],
  ],
  [{}, []],
  [Array(200).fill("y".repeat(300)), Array(100).fill(`${"y".repeat(197)}...`)],
];

for (const [fingerprint, found] of fingerprints) {
  fields(`fingerprint ${JSON.stringify(fingerprint).slice(0, 60)}`, () => {
    assert.equal(head({ fingerprint }).fingerprint, found);
  });
}

fields("a checksum is a fingerprint", () => assert.equal(head({ checksum: "abc" }).fingerprint, ["abc"]));

fields("logger, server name and transaction are read, and dropped where they are no text", () => {
  const event = { logger: "root", server_name: "h", transaction: "/a" };
  assert.equal([head(event).logger, details(event).logger], ["root", "root"]);
  assert.equal([details(event).serverName, details(event).transaction], ["h", "/a"]);
  const odd = details({ logger: {}, server_name: [], transaction: null });
  assert.equal([odd.logger, odd.serverName, odd.transaction], ["", "", ""]);
});

fields("a transaction is known by its type", () => {
  assert.is(isTransaction({ type: "transaction" }), true);
  assert.is(isTransaction({ type: "event" }), false);
  assert.is(isTransaction({}), false);
});

const users = suite("users");

const userKeys: [claim: string, event: JsonObject, key: string][] = [
  ["none", {}, ""],
  ["null", { user: null }, ""],
  ["text", { user: "ann" }, ""],
  ["an empty object, as in Go", { user: {} }, ""],
  ["nulls, as in PHP", { user: { id: null, username: null, email: null, ip_address: null, segment: null } }, ""],
  ["a number", { user: { id: 42 } }, "id:42"],
  ["the same number as text", { user: { id: "42" } }, "id:42"],
  ["id before the others", { user: { id: "1", username: "u", email: "e@x", ip_address: "1.2.3.4" } }, "id:1"],
  ["username", { user: { id: "", username: "ann", email: "e@x" } }, "username:ann"],
  ["name", { user: { name: "Ann" } }, "username:Ann"],
  ["email", { user: { email: "e@x" } }, "email:e@x"],
  ["an IPv6 address", { user: { ip_address: "2001:db8::1" } }, "ip:2001:db8::1"],
  ["an address that is none", { user: { ip_address: "nope" } }, ""],
  ["Python's [Filtered]", { user: { ip_address: "[Filtered]" } }, ""],
  ["{{auto}}", { user: { ip_address: "{{auto}}" } }, "ip:203.0.113.9"],
  ["a browser that names none", { platform: "javascript" }, "ip:203.0.113.9"],
  ["a server that names none", { platform: "python" }, ""],
  ["the request's peer", { request: { env: { REMOTE_ADDR: "1.2.3.4" } } }, "ip:1.2.3.4"],
  ["the old name", { "sentry.interfaces.User": { id: "1" } }, "id:1"],
  ["a long id", { user: { id: "x".repeat(500) } }, `id:${"x".repeat(125)}...`],
];

for (const [claim, event, key] of userKeys) {
  users(`${claim} counts as ${key || "nobody"}`, () => {
    assert.is(head(event, { clientIp: "203.0.113.9" }).user, key);
  });
}

users("without the client's address {{auto}} is nobody", () => {
  assert.is(head({ user: { ip_address: "{{auto}}" } }).user, "");
});

users("what Java puts into data is shown like what others send beside the names", () => {
  const shown = { $typeName: "faultline.v1.EventUser", id: "1", username: "", email: "", ipAddress: "" };
  for (const user of [
    { id: 1, plan: "gold" },
    { id: 1, data: { plan: "gold" } },
    { id: 1, plan: "gold", segment: null, data: null },
  ]) {
    assert.equal(details({ user }).user, { ...shown, data: { plan: "gold" } });
  }
  assert.is(details({ user: {} }).user, undefined);
  assert.is(details({ user: { id: null, segment: null } }).user, undefined);
});

users("the address that was left to the receiver is shown from what was stored", () => {
  const payload = JSON.stringify({ user: { ip_address: "{{auto}}" } });
  assert.is(readEvent(payload).user, undefined);
  assert.is(readEvent(payload, { user: "ip:203.0.113.9" }).user?.ipAddress, "203.0.113.9");
  assert.is(readEvent(payload, { user: "id:7" }).user, undefined);
});

const shown = suite("details");

shown("the last 100 breadcrumbs are shown, and a bad one is dropped alone", () => {
  const crumbs: JsonValue[] = Array.from({ length: 10_000 }, (_, index) => ({ message: `m${index}` }));
  crumbs.push(null, "x", { ty: "http", category: "c", level: "WARN", timestamp: "bad", data: { a: 1 }, message: 7 });
  for (const breadcrumbs of [crumbs, { values: crumbs }]) {
    const read = details({ breadcrumbs }).breadcrumbs;
    assert.is(read.length, 100);
    assert.equal(read.at(-1), {
      $typeName: "faultline.v1.Breadcrumb",
      type: "http",
      category: "c",
      level: "warning",
      message: "7",
      data: { a: 1 },
    });
    assert.is(read[0]?.message, "m9901");
    assert.is(read[0]?.level, "info");
  }
});

shown("a request is read in all its shapes", () => {
  const shape = (request: JsonValue) => details({ request }).request;
  assert.equal(shape({ url: "http://h/p?a=1#f", method: "post", headers: { "x-id": ["1", "2"], HOST: "h" } }), {
    $typeName: "faultline.v1.HttpRequest",
    url: "http://h/p",
    method: "POST",
    queryString: "a=1",
    headers: { "X-Id": "1,2", Host: "h" },
    cookies: {},
    data: "",
  });
  assert.equal(shape({ headers: [["a-b", "1"], ["", "x"], "bad"] })?.headers, { "A-B": "1" });
  assert.equal(shape({ headers: "text" })?.headers, {});
  assert.equal(shape({ cookies: "a=1; b=2=3; c" })?.cookies, { a: "1", b: "2=3" });
  assert.equal(shape({ cookies: { a: 1 } })?.cookies, { a: "1" });
  assert.equal(shape({ cookies: [["a", "1"]] })?.cookies, { a: "1" });
  assert.is(shape({ query_string: "?a=1" })?.queryString, "a=1");
  assert.is(shape({ query_string: { a: "1 2" } })?.queryString, "a=1+2");
  assert.is(shape({ query_string: [["a", "1"]] })?.queryString, "a=1");
  assert.is(shape({ data: { a: 1 } })?.data, '{"a":1}');
  assert.is(shape({ data: "x".repeat(2_000_000) })?.data.length, 8192);
  assert.equal(shape({ env: { A: 1 } })?.env, { A: 1 });
  assert.is(shape("x"), undefined);
  assert.is(shape({}), undefined);
});

shown("contexts, extra and modules that are no objects are dropped", () => {
  for (const odd of [[1], "x", 5, null, {}]) {
    const read = details({ contexts: odd, extra: odd, modules: odd, sdk: odd });
    assert.equal([read.contexts, read.extra, read.modules, read.sdk], [undefined, undefined, {}, undefined]);
  }
  const read = details({
    contexts: { os: { name: "x" }, bad: "x" },
    extra: { a: [1, null] },
    modules: { "": "", b: 1 },
  });
  assert.equal(read.contexts, { os: { name: "x" } });
  assert.equal(read.extra, { a: [1, null] });
  assert.equal(read.modules, { b: "1" });
});

shown("free data is trimmed in depth and size", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(60)}1${"}".repeat(60)}`);
  assert.is(JSON.stringify(details({ extra: deep }).extra), `${'{"a":'.repeat(7)}"..."${"}".repeat(7)}`);
  const large = details({ extra: { a: "x".repeat(100_000), b: "y" } }).extra;
  assert.ok(String(large?.["a"]).length <= limits.bag.extra.size);
  assert.is(large?.["b"], "y");
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, "x".repeat(10_000)]));
  assert.ok(JSON.stringify(details({ extra: wide }).extra).length < limits.bag.extra.total * 1.1);
});

shown("a number JSON cannot write again becomes null", () => {
  assert.equal(readEvent('{"extra":{"a":1e999}}').extra, { a: null });
});

shown("the payload is shown as it was sent", () => {
  const payload = '{ "message":"a\\u0000b\\ud83d" }';
  assert.is(readEvent(Buffer.from(payload)).payloadJson, payload);
  assert.is(readEvent(payload).message, "ab\ufffd");
  assert.ok(readEvent('{"a":"\ud83d"}').payloadJson.isWellFormed());
});

shown("a payload that is no JSON object gives an event without content", () => {
  for (const payload of ["", "nope", "[]", "null"]) {
    assert.is(readEvent(payload).title, "<unlabeled event>");
    assert.is(readEvent(payload).payloadJson, payload);
  }
});

const robustness = suite("robustness");

const hostile: JsonValue[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  "",
  "x",
  "\0",
  "\ud800",
  "__proto__",
  [],
  [null],
  [[]],
  [{}],
  ["x"],
  [["a", "b"]],
  {},
  { values: null },
  { values: {} },
  { values: [null, 1, "x", [], {}] },
  { frames: {} },
  { message: {}, params: [] },
  JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}'),
  JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`),
];

const keys =
  "event_id timestamp level platform release environment tags user message logentry exception threads stacktrace " +
  "breadcrumbs request contexts extra modules fingerprint checksum sdk logger transaction culprit title server_name " +
  "site type sentry.interfaces.Exception sentry.interfaces.Stacktrace sentry.interfaces.Message " +
  "sentry.interfaces.Http sentry.interfaces.User sentry.interfaces.Breadcrumbs sentry.interfaces.Contexts";

const inner = "values frames stacktrace mechanism type value vars pre_context in_app params env data headers cookies";

for (const key of keys.split(" ")) {
  robustness(`whatever comes as ${key} drops the field, never the event`, () => {
    for (const value of hostile) {
      for (const event of [
        { [key]: value },
        ...inner.split(" ").map((name) => ({ [key]: [{ ...boom, [name]: value }] })),
      ]) {
        assert.is(head(event).projectId, 42);
        assert.ok(readEvent(stringify(event)).title);
        assert.ok(readEvent(stringify({ [key]: { values: [{ ...boom, stacktrace: { frames: [value] } }] } })).title);
      }
    }
    assert.is(Reflect.get({}, "polluted"), undefined);
  });
}

robustness("NUL is stripped and lone surrogates are replaced in every text of the head", () => {
  const dirty = "a\0\ud800b";
  const clean = "a\ufffdb";
  const event = {
    message: dirty,
    exception: [{ type: dirty, value: dirty, stacktrace: [{ function: dirty, module: dirty, filename: dirty }] }],
    level: dirty,
    platform: dirty,
    release: dirty,
    environment: dirty,
    logger: dirty,
    transaction: dirty,
    title: dirty,
    user: { id: dirty },
    fingerprint: [dirty],
    tags: { key: dirty },
  };
  const read = head(event);
  assert.equal(
    [read.message, read.platform, read.release, read.environment, read.logger, read.culprit, read.title, read.user],
    [clean, clean, clean, clean, clean, clean, clean, `id:${clean}`],
  );
  assert.equal([read.fingerprint, read.tags], [[clean], { key: clean }]);
  const [exception] = read.exceptions;
  assert.equal([exception?.type, exception?.value, exception?.frames[0]?.function], [clean, clean, clean]);
});

robustness("100,000 exceptions, tags, crumbs or threads hold up nothing", () => {
  const many = Array.from({ length: 100_000 }, () => ({ type: "T", stacktrace: { frames: [{ function: "f" }] } }));
  const start = performance.now();
  for (const key of ["exception", "threads", "breadcrumbs", "tags", "fingerprint"]) head({ [key]: many });
  assert.ok(performance.now() - start < 500);
});

const captured = suite("captures");

for (const capture of readCaptures()) {
  captured(`${capture.name} is read as its program meant it`, () => {
    const events = readCapture(capture);
    assert.equal(
      events.map((event) => event.head.eventId),
      capture.eventIds,
    );
    const meant = capture.expect.filter(({ kind }) => kind === "exception" || kind === "message");
    for (const [index, event] of events.entries()) assertMeaning(event, meant[index], capture);
  });
}

interface CapturedEvent {
  readonly head: ErrorEvent;
  readonly details: EventDetails;
}

function readCapture(capture: Capture): CapturedEvent[] {
  const encoding = capture.headers.find(([name]) => name.toLowerCase() === "content-encoding")?.[1];
  const body = decodeContent(capture.body, encoding, 2 ** 20);
  if (capture.target.includes("/store/")) return [readBoth(readStoreBody(body, 2 ** 20))];
  const { header, items } = parseEnvelope(body);
  return items.filter(({ type }) => type === "event").map(({ payload }) => readBoth(payload, header.eventId));
}

function readBoth(bytes: Buffer, envelopeEventId?: string): CapturedEvent {
  const { event, payload } = parseEventJson(bytes);
  return { head: head(event, { envelopeEventId, payload: plain(payload) }), details: readEvent(payload) };
}

function assertMeaning(event: CapturedEvent, meant: Capture["expect"][number] | undefined, capture: Capture): void {
  assert.ok(meant, "the program meant an event");
  const exceptions = meant.exceptions?.map(({ type, value }) => ({ type, value })) ?? [];
  const level = meant.level === "log" ? "info" : (meant.level ?? "error");
  const outermost = exceptions.at(-1);
  for (const reading of [event.head, event.details]) {
    assert.equal(
      reading.exceptions.map(({ type, value }) => ({ type, value })),
      exceptions,
    );
    assert.is(reading.level, level);
    if (meant.message !== undefined) assert.is(reading.message, meant.message);
    if (meant.release !== undefined) assert.is(reading.release, meant.release);
    if (meant.environment !== undefined) assert.is(reading.environment, meant.environment);
    for (const [key, value] of Object.entries(meant.tags ?? {})) assert.is(reading.tags[key], String(value));
  }
  assert.is(event.details.title, outermost ? `${outermost.type}: ${outermost.value}` : meant.message);
  assert.is(titleOf(event.head), event.details.title);
  if (meant.user) assertUser(event, meant.user, capture.hidesIpAddress);
  for (const [key, value] of Object.entries(meant.extra ?? {})) {
    // Node 7 itself writes "[Object]" for what lies deeper than three levels.
    if (!JSON.stringify(event.details.extra).includes("[Object]")) assert.equal(event.details.extra?.[key], value);
  }
}

function assertUser(event: CapturedEvent, meant: Readonly<Record<string, unknown>>, hidesIpAddress: boolean): void {
  const text = (key: string) => (key in meant ? String(meant[key]) : "");
  const ipAddress = hidesIpAddress ? "" : text("ip_address");
  const { user } = event.details;
  assert.equal(
    [user?.id ?? "", user?.username ?? "", user?.email ?? "", user?.ipAddress ?? ""],
    [text("id"), text("username"), text("email"), ipAddress],
  );
  const [kind, name] = [
    ["id", text("id")],
    ["username", text("username")],
    ["email", text("email")],
    ["ip", ipAddress],
  ].find(([, value]) => value !== "") ?? ["", ""];
  assert.is(event.head.user, name ? `${kind}:${name}` : "");
}

function plain(content: Uint8Array): StoredPayload {
  return { content, encoding: PayloadEncoding.UNSPECIFIED, offset: 0, length: 0 };
}

function head(event: JsonObject, more: Partial<Arrival> = {}): ErrorEvent {
  return readErrorEvent(event, {
    projectId: 42,
    payload: plain(new Uint8Array()),
    receivedAt,
    newEventId: () => generated,
    ...more,
  });
}

function details(event: JsonObject): EventDetails {
  return readEvent(JSON.stringify(event));
}

function withFrames(frames: JsonValue[]): JsonObject {
  return { exception: [{ ...boom, stacktrace: { frames } }] };
}

function synthetic(frames: JsonValue[]): JsonObject {
  return { exception: [{ ...boom, mechanism: { synthetic: true }, stacktrace: { frames } }] };
}

function milliseconds(time: ErrorEvent["occurredTime"]): number | undefined {
  return time && Number(time.seconds) * 1000 + time.nanos / 1e6;
}

/** Entries in order: equality of whole objects would compare their constructors, which are tags here. */
function entriesOf(record: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(record);
}

/** As JSON.stringify, which itself fails on nesting as deep as some of these. */
function stringify(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "{}";
  }
}

for (const { run } of [identity, shapes, stacks, messages, titles, times, fields, users, shown, robustness, captured])
  run();

import { create, toJson } from "@bufbuild/protobuf";
import type { JsonObject } from "@faultline/sentry-event";
import { EventSchema, EventSummarySchema } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readEvent, readEventSummaries } from "../../../plugins/external-backend/src/reading/index.ts";
import {
  contextOf,
  event2024,
  eventId,
  eventSummary,
  faultlineEvent,
  frame,
  message2021,
  newerId,
  olderId,
} from "../../support/external/sentry-answers.ts";

const events = suite("events");

function read(event: JsonObject) {
  const found = readEvent(event, contextOf()).event;
  return toJson(EventSchema, create(EventSchema, found)) as JsonObject;
}

events("an event of 24 is read whole, as if its SDK had sent it here", () => {
  const { payloadJson, ...event } = read(event2024());
  assert.equal(JSON.parse(String(payloadJson)), event2024());
  assert.equal(event, {
    eventId,
    errorId: "1001",
    projectId: 42,
    occurredTime: "2026-11-21T09:15:30.123Z",
    receivedTime: "2026-11-21T09:15:31Z",
    title: "CheckoutFailed: the cart is broken",
    culprit: "/checkout",
    level: "fatal",
    platform: "python",
    exceptions: [
      {
        type: "KeyError",
        value: "'total'",
        module: "builtins",
        mechanism: { type: "chained", handled: true, exceptionId: 1, parentId: 0, source: "__cause__" },
        frames: [{ ...call, function: "total" }],
      },
      {
        type: "CheckoutFailed",
        value: "the cart is broken",
        module: "app.errors",
        mechanism: { type: "django", handled: false, exceptionId: 0 },
        frames: [
          {
            filename: "django/core.py",
            absPath: "/srv/app/cart.py",
            function: "checkout",
            module: "django.core",
            lineno: 12,
          },
          call,
        ],
      },
    ],
    message: "cart 7 is broken",
    messageTemplate: "cart %s is broken",
    user: {
      id: "u-1",
      username: "ann",
      email: "ann@example.com",
      ipAddress: "203.0.113.9",
      data: { plan: "gold" },
    },
    tags: { handled: "no" },
    release: "web@1.2.0",
    environment: "production",
    serverName: "shop-1",
    logger: "shop",
    transaction: "/checkout",
    breadcrumbs: [
      {
        time: "2026-11-21T09:15:29Z",
        type: "default",
        category: "query",
        level: "info",
        message: 'SELECT "total" FROM "cart"',
      },
      {
        time: "2026-11-21T09:15:29.500Z",
        type: "http",
        category: "httplib",
        level: "warning",
        data: { url: "http://pay.example/", status_code: 500 },
      },
    ],
    request: {
      url: "https://shop.example/checkout",
      method: "POST",
      queryString: "step=2&lang=de",
      headers: { "Content-Type": "application/json", "User-Agent": "Mozilla/5.0" },
      cookies: { theme: "dark" },
      data: '{"cart":7}',
      env: { SERVER_NAME: "shop-1", REMOTE_ADDR: "203.0.113.9" },
    },
    sdk: { name: "sentry.python.django", version: "2.12.0" },
    contexts: {
      runtime: { name: "CPython", version: "3.12.3", type: "runtime" },
      organization: { id: "77", type: "default" },
      trace: { trace_id: "a".repeat(32), span_id: "b".repeat(16), type: "trace" },
    },
    extra: { "sys.argv": ["manage.py", "runserver"] },
    modules: { django: "5.1.1", "sentry-sdk": "2.12.0" },
    feedback: [
      {
        projectId: 42,
        eventId,
        name: "Ann",
        email: "ann@example.com",
        comments: "I only clicked once.",
        receivedTime: "2026-11-21T09:16:00Z",
      },
    ],
  });
});

const call = {
  filename: "app/cart.py",
  absPath: "/srv/app/cart.py",
  function: "checkout",
  module: "app.cart",
  lineno: 12,
  inApp: true,
  preContext: ["def checkout(cart):", "    total = 0"],
  contextLine: "    return charge(cart.total)",
  postContext: ["", "def other():"],
  vars: { cart: "<Cart 7>", items: ["1", "2"] },
};

events("what names an event stands beside it", () => {
  const { newerEventId, olderEventId, issueId, externalProjectId } = readEvent(event2024(), contextOf());
  assert.equal([newerEventId, olderEventId, issueId, externalProjectId], [newerId, olderId, "1001", "7"]);
  const alone = readEvent(message2021(), contextOf());
  assert.equal([alone.newerEventId, alone.olderEventId, alone.issueId], ["", "", "1002"]);
});

events("a message of 21.5 has no exception, and its release is in a tag", () => {
  const { payloadJson: _, ...event } = read(message2021());
  assert.equal(event, {
    eventId,
    errorId: "1002",
    projectId: 42,
    occurredTime: "2026-11-21T09:00:00Z",
    receivedTime: "2026-11-21T09:00:01Z",
    title: "Payment refused",
    level: "warning",
    platform: "go",
    message: "Payment refused",
    release: "shop@7",
    sdk: { name: "sentry.go", version: "0.10.0" },
  });
});

const parts: [name: string, fields: JsonObject, part: string, expected: unknown][] = [
  ["a query as text", request({ query: "a=1&b=2" }), "request", { queryString: "a=1&b=2" }],
  ["a query of no pairs", request({ query: [] }), "request", {}],
  ["a body as text", request({ data: "a=b" }), "request", { data: "a=b" }],
  ["headers that are no pairs", request({ headers: ["x", null, [], ["A", "b"]] }), "request", { headers: { A: "b" } }],
  [
    "an unknown context",
    { contexts: { app: { type: "app" }, x: "y", z: { type: "other", a: 1 } } },
    "contexts",
    { app: { type: "app" }, z: { type: "other", a: 1 } },
  ],
  ["no release", { release: null, tags: [] }, "release", undefined],
  ["a release that is only a version", { release: { version: "a@1" } }, "release", "a@1"],
  ["a release as text", { release: "a@1", tags: [] }, "release", undefined],
  ["a title that is a number", { title: 7 }, "title", "CheckoutFailed: the cart is broken"],
  ["no culprit", { culprit: null }, "culprit", "/checkout"],
  ["neither culprit nor transaction", { culprit: null, tags: [] }, "culprit", "app.cart in checkout"],
  ["a message beside no entry", { entries: [], message: "only here" }, "message", "only here"],
  [
    "a message beside an exception",
    { entries: [exceptions([{ type: "E", value: "v" }])], message: "E v" },
    "message",
    undefined,
  ],
  ["no user report", { userReport: null }, "feedback", undefined],
  ["an empty user report", { userReport: { comments: "  " } }, "feedback", undefined],
  ["a user report that is a list", { userReport: [{ comments: "x" }] }, "feedback", undefined],
  ["no user", { user: null, entries: [] }, "user", undefined],
  [
    "a user of nulls",
    { user: { id: null, email: null, username: null, ip_address: null, name: null, data: null }, entries: [] },
    "user",
    undefined,
  ],
  ["a user with only a name", { user: { id: null, name: "Ann" }, entries: [] }, "user", { username: "Ann" }],
  [
    "a stack without exception",
    { entries: [{ type: "stacktrace", data: { frames: [frame({ context: [], vars: null })] } }] },
    "threads",
    [{ current: true, frames: [bare()] }],
  ],
  [
    "threads",
    {
      entries: [
        {
          type: "threads",
          data: {
            values: [
              {
                id: 1,
                name: "main",
                current: true,
                crashed: true,
                stacktrace: null,
                rawStacktrace: { frames: [frame({ context: [], vars: null })] },
              },
            ],
          },
        },
      ],
    },
    "threads",
    [{ id: "1", name: "main", current: true, crashed: true, frames: [bare()] }],
  ],
  [
    "entries of unknown types",
    { entries: [{ type: "spans", data: [] }, { type: "debugmeta", data: { images: [] } }, null, 1] },
    "exceptions",
    undefined,
  ],
  [
    "two entries of a type",
    { entries: [exceptions([{ type: "A", value: "a" }]), exceptions([{ type: "B", value: "b" }])] },
    "exceptions",
    [{ type: "A", value: "a" }],
  ],
  [
    "an exception without a type",
    { entries: [exceptions([{ type: null, value: "v" }])] },
    "exceptions",
    [{ value: "v" }],
  ],
  [
    "values that are null",
    { entries: [exceptions([null, { type: "A", value: null }])] },
    "exceptions",
    [{ type: "A" }],
  ],
  [
    "tags that are no pairs",
    {
      tags: [
        null,
        1,
        [],
        ["a", "b"],
        { key: 1, value: "x" },
        { key: "a" },
        { key: "b", value: 7 },
        { key: "b", value: "second" },
      ],
    },
    "tags",
    { b: "7" },
  ],
  ["tags as an object", { tags: { a: "b" } }, "tags", undefined],
  ["the level of a sample", { tags: [{ key: "level", value: "sample" }] }, "level", "error"],
];

for (const [name, fields, part, expected] of parts) {
  events(`${name}: ${part}`, () => assert.equal(read(event2024(fields))[part], expected));
}

const frames: [name: string, fields: JsonObject, part: string, expected: unknown][] = [
  ["markup as column (GitLab issue 215970)", { colNo: "<img onerror>" }, "colno", undefined],
  ["digits as line", { lineNo: "12" }, "lineno", undefined],
  ["a line below 1", { lineNo: -1 }, "lineno", undefined],
  ["a line beyond 31 bits", { lineNo: 2 ** 31 }, "lineno", undefined],
  ["a function that is an object", { function: { a: 1 } }, "function", undefined],
  ["only a raw function", { function: null, rawFunction: "_ZN3foo" }, "function", "_ZN3foo"],
  ["only a path", { filename: null, absPath: "https://shop.example/a/b.js" }, "filename", "/a/b.js"],
  ["in app given as text", { inApp: "yes", platform: "go" }, "inApp", undefined],
  ["in app not given", { inApp: null, absPath: "/usr/lib/python3.12/x.py", platform: "python" }, "inApp", undefined],
  [
    "lines in any order",
    {
      context: [
        [14, "c"],
        [12, "b"],
        [11, "a"],
      ],
    },
    "preContext",
    ["a"],
  ],
  [
    "lines without the line",
    {
      context: [
        [10, "a"],
        [11, "b"],
      ],
    },
    "contextLine",
    undefined,
  ],
  [
    "lines that are null",
    {
      context: [
        [11, null],
        [12, "b"],
      ],
    },
    "preContext",
    [""],
  ],
  ["lines without numbers", { context: [["11", "a"], [null, "b"], "c", 4, [12, "d"]] }, "preContext", undefined],
  ["lines while the line is not known", { lineNo: null }, "contextLine", undefined],
  ["lines after, while the line is not known", { lineNo: null }, "postContext", undefined],
  ["lines as an object", { context: { 12: "a" } }, "contextLine", undefined],
  ["variables as a list", { vars: ["a", "b"] }, "vars", { 0: "a", 1: "b" }],
  ["variables as text", { vars: "a" }, "vars", undefined],
];

for (const [name, fields, part, expected] of frames) {
  events(`a frame with ${name}: ${part}`, () => {
    const stacktrace = { frames: [frame(fields)] };
    const [exception] = read(event2024({ entries: [exceptions([{ type: "E", value: "v", stacktrace }])] }))[
      "exceptions"
    ] as { frames: JsonObject[] }[];
    assert.equal(exception?.frames[0]?.[part], expected);
  });
}

events("what is too much is cut as it is of integrated events, and named", () => {
  const many = Array.from({ length: 300 }, (_, index) => frame({ function: `f${index}` }));
  const crumbs = Array.from({ length: 150 }, () => ({ timestamp: "2026-11-21T09:15:29Z", message: "m" }));
  const event = read(
    event2024({
      entries: [
        exceptions([{ type: "E", value: "v".repeat(9000), stacktrace: { frames: many } }]),
        { type: "breadcrumbs", data: { values: crumbs } },
      ],
      context: { cart: "c".repeat(20_000) },
      tags: Array.from({ length: 150 }, (_, index) => ({ key: `t${index}`, value: "x" })),
    }),
  );
  const [exception] = event["exceptions"] as { frames: JsonObject[]; value: string }[];
  assert.equal([exception?.frames.length, exception?.value.length], [250, 8192]);
  assert.is((event["breadcrumbs"] as unknown[]).length, 100);
  assert.is(Object.keys(event["tags"] as JsonObject).length, 100);
  const trimmed = (event["trimmed"] as { part: string }[]).map(({ part }) => part);
  for (const part of ["breadcrumbs", "tags", "extra.cart", "exceptions[0].frames", "exceptions[0].value"]) {
    assert.ok(trimmed.includes(part), `${part} of ${trimmed.join(", ")}`);
  }
});

const refused: [name: string, event: JsonObject, message: RegExp][] = [
  ["no event id", event2024({ eventID: null }), /missing keys.*eventID\.$/],
  ["an event id that is none", event2024({ eventID: "../../x" }), /missing keys.*eventID\.$/],
  ["no issue", event2024({ groupID: null }), /missing keys.*groupID\.$/],
  [
    "an issue that is no number",
    event2024({ groupID: "../1" }),
    /invalid value for field "groupID": it is not numeric$/,
  ],
  ["a project that is no number", event2024({ projectID: "x" }), /invalid value for field "projectID": it is not num/],
  ["no time", event2024({ dateCreated: null, dateReceived: 1 }), /missing keys.*dateCreated\.$/],
];

for (const [name, event, message] of refused) {
  events(`an event with ${name} is refused`, () => assert.throws(() => readEvent(event, contextOf()), message));
}

events("the JSON of an event is left out when it is long only by how we write it", () => {
  const numbers = (count: number) => event2024({ context: { list: Array.from({ length: count }, () => 1e20) } });
  assert.ok(String(read(numbers(1000))["payloadJson"]).length > 21_000);
  assert.is(read(numbers(110_000))["payloadJson"], undefined);
});

events("another Faultline reports what it cut, which time it bounded, and all that users wrote", () => {
  const event = read(faultlineEvent());
  assert.equal(event["timeBound"], { sentTime: "2026-01-03T10:00:00Z" });
  assert.equal(event["trimmed"], [{ part: "extra.cart", kept: 16_380, sent: 20_000, unit: "TRIM_UNIT_CHARACTERS" }]);
  assert.equal(
    (event["feedback"] as { comments: string }[]).map(({ comments }) => comments),
    ["I only clicked once.", "And again."],
  );
});

events("another Faultline may omit the time it bounded, which is otherwise read as distrustfully as all", () => {
  for (const [timeBound, found] of [
    [{}, {}],
    [{ sent: null }, {}],
    [{ sent: "yesterday" }, {}],
    [{ sent: { $gt: "" } }, {}],
    [{ sent: "9999-12-31T00:00:00.000Z" }, { sentTime: "9999-12-31T00:00:00Z" }],
    ["2026-01-03T10:00:00.000Z", undefined],
    [null, undefined],
  ] as const) {
    assert.equal(read(event2024({ faultline: { timeBound } }))["timeBound"], found);
  }
});

events("what a system says of an event's age is not bounded here", () => {
  const event = read(event2024({ dateCreated: "2020-01-01T00:00:00Z", dateReceived: "2026-11-21T09:15:31Z" }));
  assert.equal([event["occurredTime"], event["timeBound"]], ["2020-01-01T00:00:00Z", undefined]);
});

events("of two times one may be missing", () => {
  assert.is(read(event2024({ dateReceived: null }))["receivedTime"], "2026-11-21T09:15:30.123Z");
  assert.is(read(event2024({ dateCreated: null }))["occurredTime"], "2026-11-21T09:15:31Z");
});

events("an event in a list", () => {
  const summary = (fields: JsonObject) => {
    const [found] = readEventSummaries([eventSummary(fields)]);
    return toJson(EventSummarySchema, create(EventSummarySchema, found));
  };
  assert.equal(summary({}), {
    eventId,
    occurredTime: "2026-11-21T09:15:30.123Z",
    receivedTime: "2026-11-21T09:15:30.123Z",
    title: "CheckoutFailed: the cart is broken",
    user: "id:u-1",
    release: "web@1.2.0",
    environment: "production",
    level: "fatal",
  });
  assert.is(summary({ user: null }).user, "id:u-1");
  assert.is(summary({ user: { id: null, email: "ann@example.com" } }).user, "email:ann@example.com");
  assert.is(summary({ user: null, tags: [] }).user, undefined);
  assert.is(summary({ tags: null }).level, "error");
  assert.is(summary({ title: null }).title, "<unlabeled event>");
  assert.is(summary({ eventID: "A1B2C3D4-E5F6-0718-293A-4B5C6D7E8F90" }).eventId, eventId);
});

events("events of a list that cannot be read are left out; when none can, the answer is refused", () => {
  const bad = [null, 1, [], {}, eventSummary({ eventID: "x" }), eventSummary({ dateCreated: "x" })];
  assert.is(readEventSummaries([...bad, eventSummary()]).length, 1);
  assert.is(readEventSummaries([]).length, 0);
  assert.throws(() => readEventSummaries(bad), /missing keys/);
  assert.throws(() => readEventSummaries({}), /missing keys/);
});

function exceptions(values: JsonObject["values"][]): JsonObject {
  return { type: "exception", data: { values: values as never } };
}

function request(fields: JsonObject): JsonObject {
  return { entries: [{ type: "request", data: fields }] };
}

function bare() {
  const { preContext: _, contextLine: __, postContext: ___, vars: ____, ...rest } = call;
  return rest;
}

events.run();

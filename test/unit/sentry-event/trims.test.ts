import { type JsonObject, type JsonValue, limits } from "@faultline/sentry-event";
import { TrimUnit } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { boom, details, head, withFrames } from "../../support/sentry/sentry-event.ts";

const trims = suite("trims");

const long = "x".repeat(20_000);
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const byName = (count: number, value: JsonValue) => Object.fromEntries(many(count, (index) => [`k${index}`, value]));
const nested = (levels: number): JsonValue => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
const source = { context_line: "x", vars: { a: 1 } };

const stackOf = (frames: number) => ({ frames: many(frames, (n) => ({ function: `f${n}` })) });
/** Exceptions with so many frames each. */
const chain = (frames: number[]) => frames.map((count) => ({ type: "E", stacktrace: stackOf(count) }));

/** As `breadcrumbs: 100 of 150 entries`; free data as its part alone. */
function trimmed(event: JsonObject): string[] {
  return details(event).trimmed.map(({ part, kept, sent, unit }) => {
    if (unit === TrimUnit.UNSPECIFIED) return part;
    return `${part}: ${kept} of ${sent} ${unit === TrimUnit.ENTRIES ? "entries" : "characters"}`;
  });
}

const lists: [claim: string, event: JsonObject, found: string[]][] = [
  ["exceptions", { exception: many(60, () => boom) }, ["exceptions: 50 of 60 entries"]],
  ["an exception of nothing is no cut", { exception: [...many(50, () => boom), {}, {}] }, []],
  ["frames", withFrames(many(300, () => ({ function: "f" }))), ["exceptions[0].frames: 250 of 300 entries"]],
  ["frames that are none are no cut", withFrames([...many(250, () => ({ function: "f" })), null]), []],
  [
    "frames of a stack beside its exception",
    { exception: [boom], stacktrace: many(300, () => ({ function: "f" })) },
    ["exceptions[0].frames: 250 of 300 entries"],
  ],
  [
    "frames of a stack of no thread",
    { message: "m", stacktrace: many(300, () => ({ function: "f" })), threads: [{ id: 1 }] },
    ["threads[0].frames: 250 of 300 entries"],
  ],
  [
    "source lines and variables of frames",
    withFrames([...many(60, () => source), ...many(30, () => ({ function: "f", context_line: "", vars: {} }))]),
    ["exceptions[0].frames context: 50 of 60 entries"],
  ],
  [
    "frames of a chain of exceptions",
    { exception: chain(many(50, () => 240)) },
    many(50, (n) => `exceptions[${n}].frames: 20 of 240 entries`),
  ],
  [
    "of exceptions with long stacks what the short ones leave",
    { exception: chain([250, 10, 250, 300, 250, 5]) },
    [
      "exceptions[0].frames: 246 of 250 entries",
      "exceptions[2].frames: 246 of 250 entries",
      "exceptions[3].frames: 246 of 300 entries",
      "exceptions[4].frames: 246 of 250 entries",
    ],
  ],
  ["as many frames as an event may have", { exception: chain([250, 250, 250, 250]) }, []],
  [
    "frames of threads beside those of exceptions",
    { exception: chain([250, 250, 100]), threads: [200, 250, 30].map((count) => ({ stacktrace: stackOf(count) })) },
    ["threads[0].frames: 185 of 200 entries", "threads[1].frames: 185 of 250 entries"],
  ],
  [
    "all frames of threads beside exceptions that leave none",
    { exception: chain([250, 250, 250, 250]), threads: [{ stacktrace: stackOf(3) }, {}] },
    ["threads[0].frames: 0 of 3 entries"],
  ],
  ["no more than 50 frames with source", withFrames([...many(50, () => source), ...many(150, () => ({}))]), []],
  [
    "source lines of one frame",
    withFrames([{ pre_context: many(20, String), context_line: "x", post_context: many(15, String) }]),
    ["exceptions[0].frames[0].pre_context: 10 of 20 entries", "exceptions[0].frames[0].post_context: 10 of 15 entries"],
  ],
  ["threads", { threads: many(150, (id) => ({ id })) }, ["threads: 100 of 150 entries"]],
  ["breadcrumbs", { breadcrumbs: many(10_000, () => ({ message: "m" })) }, ["breadcrumbs: 100 of 10000 entries"]],
  ["breadcrumbs that are none are no cut", { breadcrumbs: [...many(100, () => ({})), null, "x"] }, []],
  ["tags", { tags: byName(5000, "v") }, ["tags: 100 of 5000 entries"]],
  [
    "tags that are left out, each by its name",
    { tags: { a: null, b: "", c: "v", release: "1", user: "x", environment: "y" }, environment: "own" },
    [
      "tags: 1 of 6 entries",
      ...["a", "b", "release", "user", "environment"].map((name) => `tags.${name}: 0 of 1 entries`),
    ],
  ],
  ["a tag that gives the environment is no cut", { tags: { environment: "staging" } }, []],
  ["a release that cannot be kept", { release: "a\nb" }, ["release: 0 of 3 characters"]],
  ["tags of pairs", { tags: many(101, (index) => [`k${index}`, "v"]) }, ["tags: 100 of 101 entries"]],
  ["equal tags are no cut", { tags: many(200, () => ["k", "v"]) }, []],
  [
    "a tag whose key is too long",
    { tags: { ["k".repeat(201)]: "v", a: "b" } },
    [`tags.${"k".repeat(197)}...: 200 of 201 characters`],
  ],
  ["fingerprint", { fingerprint: [...many(120, String), {}, ""] }, ["fingerprint: 100 of 120 entries"]],
  ["modules", { modules: byName(2000, "1.0.0") }, ["modules: 923 of 2000 entries", "modules.k922: 3 of 5 characters"]],
  [
    "headers",
    { request: { headers: byName(2000, "1.0.0") } },
    ["request.headers: 923 of 2000 entries", "request.headers.K922: 3 of 5 characters"],
  ],
  [
    "cookies",
    { request: { cookies: many(2000, (index) => `k${index}=1.0.0`).join("; ") } },
    ["request.cookies: 923 of 2000 entries", "request.cookies.k922: 3 of 5 characters"],
  ],
];

const texts: [claim: string, event: JsonObject, found: string[]][] = [
  ["message", { message: long }, ["message: 8192 of 20000 characters"]],
  ["message of params", { message: { message: long, params: ["x"] } }, ["message: 8192 of 20000 characters"]],
  [
    "message filled in",
    { message: { message: "%s ".repeat(10), params: many(10, () => long) } },
    ["message: 8192 of 10250 characters", ...many(10, (index) => `message.params.${index}: 1024 of 20000 characters`)],
  ],
  ["template", { message: { message: long, formatted: "short" } }, ["message_template: 8192 of 20000 characters"]],
  ["JSON as a message", { message: many(5000, () => 1) }, ["message"]],
  [
    "exception",
    { exception: [boom, { type: long, value: long, module: long }] },
    [
      "exceptions[1].type: 256 of 20000 characters",
      "exceptions[1].value: 8192 of 20000 characters",
      "exceptions[1].module: 256 of 20000 characters",
    ],
  ],
  [
    "frame",
    withFrames([{ function: long, filename: "f", abs_path: long, context_line: long }]),
    [
      "exceptions[0].frames[0].function: 256 of 20000 characters",
      "exceptions[0].frames[0].abs_path: 256 of 20000 characters",
      "exceptions[0].frames[0].context_line: 1024 of 20000 characters",
    ],
  ],
  [
    "names",
    { release: long, environment: long, server_name: long, logger: long, transaction: long, platform: long },
    [
      "platform: 64 of 20000 characters",
      "transaction: 200 of 20000 characters",
      "release: 200 of 20000 characters",
      "environment: 0 of 20000 characters",
      "server_name: 256 of 20000 characters",
      "logger: 64 of 20000 characters",
    ],
  ],
  ["the event's own title", { title: long }, ["title: 256 of 20000 characters"]],
  ["SDK", { sdk: { name: "s", version: long } }, ["sdk.version: 128 of 20000 characters"]],
  [
    "user",
    { user: { id: long, username: long, email: long } },
    [
      "user.id: 128 of 20000 characters",
      "user.username: 128 of 20000 characters",
      "user.email: 75 of 20000 characters",
    ],
  ],
  ["tag", { tags: { a: "b", c: long } }, ["tags.c: 200 of 20000 characters"]],
  ["fingerprint", { fingerprint: ["a", long] }, ["fingerprint[1]: 200 of 20000 characters"]],
  [
    "request",
    { request: { url: `http://h/${long}?${long}`, data: long, headers: { "x-id": long, host: "h" } } },
    [
      "request.headers: 1 of 2 entries",
      "request.url: 256 of 20009 characters",
      "request.query_string: 8192 of 20000 characters",
      "request.data: 8192 of 20000 characters",
      "request.headers.X-Id: 8188 of 20000 characters",
    ],
  ],
  ["breadcrumb", { breadcrumbs: [{}, { message: long }] }, ["breadcrumbs[1].message: 8192 of 20000 characters"]],
  ["a text of just the limit", { message: "x".repeat(8192), user: { id: "x".repeat(128) } }, []],
  ["NUL that is stripped is no cut", { message: "a\0b", tags: { a: "b\0" } }, []],
];

const freeData: [claim: string, event: JsonObject, found: string[]][] = [
  ["extra", { extra: { cart: many(5000, () => 1), a: 1 } }, ["extra.cart"]],
  ["a text of extra", { extra: { note: long } }, ["extra.note: 16380 of 20000 characters"]],
  [
    "extra as a whole",
    { extra: byName(20, "x".repeat(16_000)) },
    ["extra: 17 of 20 entries", "extra.k16: 6103 of 16000 characters"],
  ],
  ["depth", { extra: { deep: nested(20) } }, ["extra.deep"]],
  ["contexts", { contexts: { state: { all: many(5000, () => 1) } } }, ["contexts.state"]],
  ["variables", withFrames([{ vars: { rows: many(5000, () => 1) } }]), ["exceptions[0].frames[0].vars.rows"]],
  ["data of a breadcrumb", { breadcrumbs: [{ data: { a: many(5000, () => 1) } }] }, ["breadcrumbs[0].data.a"]],
  ["data of a user", { user: { id: 1, roles: many(5000, () => 1) } }, ["user.data.roles"]],
  ["environment of a request", { request: { env: { A: many(5000, () => 1) } } }, ["request.env.A"]],
  ["body of a request", { request: { data: { a: many(5000, () => 1) } } }, ["request.data"]],
  ["small data of all sorts", { extra: { a: [], b: {}, c: null, d: [[1]], e: "x" }, contexts: { os: {} } }, []],
];

for (const [claim, event, found] of [...lists, ...texts, ...freeData]) {
  trims(`reported: ${claim}`, () => {
    assert.equal(trimmed(event), found);
  });
}

trims("an event of which nothing is cut reports no cuts", () => {
  assert.equal(trimmed({ message: "m", ...withFrames([source]), tags: { a: "b" }, extra: { a: [1] } }), []);
});

trims("the sizes that an event reports are those it shows", () => {
  const event = details({ ...withFrames(many(300, () => source)), breadcrumbs: many(150, () => ({})), message: long });
  const kept = new Map(event.trimmed.map((trim) => [trim.part, trim.kept]));
  const frames = event.exceptions[0]?.frames ?? [];
  assert.is(kept.get("message"), event.message.length);
  assert.is(kept.get("breadcrumbs"), event.breadcrumbs.length);
  assert.is(kept.get("exceptions[0].frames"), frames.length);
  assert.is(kept.get("exceptions[0].frames context"), frames.filter((frame) => frame.contextLine !== "").length);
  assert.ok(event.message.endsWith("..."));
});

trims("a list that is cut ends with an entry ..., an object with a key ...", () => {
  const { extra } = details({ extra: { list: many(5000, () => 1), object: byName(5000, 1), both: [byName(5000, 1)] } });
  const list = extra?.["list"];
  assert.ok(Array.isArray(list));
  assert.equal([list.at(-2), list.at(-1)], [1, "..."]);
  assert.equal(Object.entries(extra?.["object"] ?? {}).at(-1), ["...", "..."]);
  assert.ok(JSON.stringify(extra?.["both"]).endsWith(`1,"...":"..."}]`));
  const wide = details({ extra: byName(50, "x".repeat(10_000)) }).extra ?? {};
  assert.equal(Object.entries(wide).at(-1), ["...", "..."]);
  assert.is(Object.keys(wide).length, 1 + (details({ extra: byName(50, "x".repeat(10_000)) }).trimmed[0]?.kept ?? 0));
});

trims("no mark goes among headers, cookies, modules and tags, where it would be a name", () => {
  const event = details({
    modules: byName(2000, "1"),
    tags: byName(200, "v"),
    request: { headers: byName(2000, "1") },
  });
  for (const record of [event.modules, event.tags, event.request?.headers ?? {}]) {
    assert.not.ok(Object.hasOwn(record, "..."));
  }
  const cut = event.trimmed.filter(({ unit }) => unit === TrimUnit.ENTRIES);
  assert.equal(
    cut.map(({ part }) => part),
    ["tags", "modules", "request.headers"],
  );
});

trims("an event reports at most 50 cuts, the outermost first and lists before texts", () => {
  const reported = trimmed({
    ...withFrames(many(300, () => ({ ...source, function: long }))),
    breadcrumbs: many(150, () => ({ message: long })),
    message: long,
  });
  assert.is(reported.length, limits.count.trims);
  assert.equal(reported.slice(0, 4), [
    "breadcrumbs: 100 of 150 entries",
    "message: 8192 of 20000 characters",
    "exceptions[0].frames: 250 of 300 entries",
    "exceptions[0].frames context: 50 of 250 entries",
  ]);
});

trims("the name of a part is short and clean, whatever the event calls it", () => {
  const [trim] = details({ extra: { ["k\0\ud800".repeat(1000)]: long } }).trimmed;
  assert.ok(trim);
  assert.is(trim.part.length, limits.text.trimmedPart);
  assert.ok(trim.part.isWellFormed() && !trim.part.includes("\0"));
});

trims("one header that is too long does not take the others with it", () => {
  const { request } = details({ request: { headers: { a: "1", cookie: "x".repeat(9000), z: "2" } } });
  assert.is(request?.headers["A"], "1");
  assert.ok(request?.headers["Cookie"]?.endsWith("..."));
});

trims("of the frames of many stacks each shows its newest", () => {
  const { exceptions } = details({ exception: chain(many(50, () => 240)) });
  for (const { frames } of exceptions) assert.equal([frames[0]?.function, frames.at(-1)?.function], ["f220", "f239"]);
});

trims("the thread that crashed is shown and counted, however many come before it", () => {
  const stacktrace = { frames: [{ function: "crash" }] };
  const event = { message: "m", threads: [...many(200, (id) => ({ id })), { id: "last", crashed: true, stacktrace }] };
  const { threads } = details(event);
  assert.is(threads.length, limits.count.threads);
  assert.is(threads.at(-1)?.id, "last");
  assert.is(head(event).frames[0]?.function, "crash");
});

trims.run();

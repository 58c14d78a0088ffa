import { readErrorEvent } from "@faultline/sentry-event";
import { PayloadEncoding } from "@faultline/proto";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { identityOf, ownEvent, type Failure } from "../../../backend/src/host/own-errors/own-event.ts";
import { repositoryRoot } from "../../support/service/server.ts";

const own = suite("own event");

const names = { eventId: "a".repeat(32), now: 1_700_000_000_000 };
const eventOf = (thrown: unknown, fields: Partial<Failure> = {}) =>
  ownEvent(
    { thrown, part: "core", during: "call failed", level: "error", ...fields },
    { version: "0.1.0", environment: "staging" },
    names,
  );

interface SentException {
  readonly type: string;
  readonly value: string;
  readonly stacktrace: { readonly frames: readonly { filename: string; function: string; in_app: boolean }[] };
}
/** The exceptions of an event, root cause first. */
const exceptionsOf = (thrown: unknown): SentException[] =>
  (eventOf(thrown)["exception"] as unknown as { values: SentException[] }).values;

/** An error with a stack of these lines. */
function withStack(...lines: string[]): Error {
  const error = new RangeError("out of range");
  error.stack = ["RangeError: out of range", ...lines.map((line) => `    at ${line}`)].join("\n");
  return error;
}

own("the event names release, environment, level and part, and no machine", () => {
  const event = eventOf(new Error("broken"), { part: "http-bridge", level: "fatal" });
  assert.is(event["release"], "0.1.0");
  assert.is(event["environment"], "staging");
  assert.is(event["level"], "fatal");
  assert.is(event["server_name"], "");
  assert.equal(event["tags"], { part: "http-bridge", during: "call failed" });
  assert.is(event["timestamp"], 1_700_000_000);
});

own("causes become a chain, root cause first, and a ring of causes has an end", () => {
  const root = new TypeError("root");
  const chain = exceptionsOf(new Error("outer", { cause: new Error("middle", { cause: root }) }));
  assert.equal(
    chain.map(({ type, value }) => `${type}: ${value}`),
    ["TypeError: root", "Error: middle", "Error: outer"],
  );
  const ring = new Error("ring");
  ring.cause = ring;
  assert.is(exceptionsOf(ring).length, 5);
});

own("frames are the outermost first, and their files lie relative to the installation", () => {
  const source = join(repositoryRoot, "backend/src/services/core.ts");
  const library = join(repositoryRoot, "node_modules/pino/lib/tools.js");
  const error = withStack(
    `inner (file://${source}:10:5)`,
    `async Core.outer (${library}:20:1)`,
    "new Thing (node:internal/things:3:3)",
    "file:///elsewhere/private/place.js:4:4",
    "Promise.all (index 0)",
  );
  assert.equal(
    exceptionsOf(error)[0]?.stacktrace.frames.map((frame) => [frame.filename, frame.function, frame.in_app]),
    [
      ["…/place.js", "", false],
      ["node:internal/things", "Thing", false],
      ["node_modules/pino/lib/tools.js", "Core.outer", false],
      ["backend/src/services/core.ts", "inner", true],
    ],
  );
});

own("a real error has frames, and no path of the machine", () => {
  const text = JSON.stringify(eventOf(new Error(`cannot open '${repositoryRoot}/data/faultline.db'`)));
  assert.match(text, "test/unit/own-errors/own-event.test.ts");
  assert.match(text, "faultline.db");
  assert.not.match(text, repositoryRoot);
});

own("lines of a message that look like frames are none", () => {
  const error = new Error("first\n    at forged (/etc/passwd:1:1)");
  assert.not.ok(exceptionsOf(error)[0]?.stacktrace.frames.some((frame) => frame.function === "forged"));
});

own("a thrown value that is no error is reported by its text, and an object by its kind alone", () => {
  assert.is(exceptionsOf("just words")[0]?.value, "just words");
  const text = JSON.stringify(eventOf({ password: "hunter22" }));
  assert.not.match(text, "hunter22");
  for (const odd of [undefined, null, 7, Symbol("x"), Object.create(null)]) assert.ok(eventOf(odd));
});

const secrets: [what: string, message: string, secret: string][] = [
  ["a personal access token", "token flp_abcDEF-123_456 is bad", "abcDEF-123_456"],
  ["a session token", "fls_0a1b2c3d4e5f", "0a1b2c3d4e5f"],
  ["an invitation", "GET /invite/fli_0a1b2c3d4e5f", "0a1b2c3d4e5f"],
  ["a password link", "flr_0a1b2c3d4e5f was used", "0a1b2c3d4e5f"],
  ["the key of a DSN", "cannot reach https://0123456789abcdef0123456789abcdef@h/1", "0123456789abcdef"],
  ["a short key of a DSN", "cannot reach http://abcd1234@h/1", "abcd1234"],
  ["a public key alone", "key 0123456789ABCDEF0123456789ABCDEF", "0123456789ABCDEF"],
  ["a public key with its prefix", "key flck_0123456789abcdef0123456789abcdef", "flck_"],
  ["a password", "login failed: password=hunter22, user=ann", "hunter22"],
  ["a password in JSON", '{"password": "hunter22 and more"}', "hunter22"],
  ["an authorization header", "authorization: Bearer abcdef.ghij-klm", "abcdef.ghij"],
  ["basic credentials", "sent Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"],
  ["a cookie", "cookie: session=abc123def", "abc123def"],
  ["a query", "GET https://h/api?sentry_key=abc123&q=private failed", "private"],
  ["an e-mail address", "UNIQUE failed for ann@example.com", "ann@example"],
  [
    "the values of a statement",
    "insert into `user` (`name`) values ('Ann Smith') - SQLITE_FULL: disk full",
    "Ann Smith",
  ],
  ["a text that was no JSON", `Unexpected token 'A', "Ann Smith pays" is not valid JSON`, "Ann Smith"],
  ["a long quoted text", `cannot read "${"private words ".repeat(10)}"`, "private words"],
  ["a path of the machine", "EACCES: open '/srv/ann/faultline/data/secrets.json'", "/srv/ann"],
];
for (const [what, message, secret] of secrets) {
  own(`${what} is not reported, wherever in the chain it stands`, () => {
    for (const thrown of [new Error(message), new Error("outer", { cause: new Error(message) }), message]) {
      const text = JSON.stringify(eventOf(thrown));
      assert.not.match(text, secret);
    }
  });
}

own("what helps is left: the database's own words, names of fields, status codes", () => {
  const valueOf = (message: string) => exceptionsOf(new Error(message))[0]?.value ?? "";
  assert.match(valueOf("insert into `user` values ('Ann') - SQLITE_FULL: disk full"), "SQLITE_FULL: disk full");
  const plain = "Cannot read properties of undefined (reading 'projectId')";
  assert.is(valueOf(plain), plain);
  assert.is(valueOf("the other system answered 503"), "the other system answered 503");
});

own("a message of a megabyte is cut, and reading it takes no time worth speaking of", () => {
  for (const text of ["a".repeat(1_000_000), "a@".repeat(500_000), "password=".repeat(100_000), "/a".repeat(500_000)]) {
    const [exception] = exceptionsOf(new Error(text));
    assert.ok((exception?.value.length ?? 0) <= 1024);
  }
});

own("the same failure has one identity, and another place or type another", () => {
  const thrown = (type: new (message: string) => Error, message: string, line: number) => {
    const error = new type(message);
    error.stack = `${error.name}: ${message}\n    at run (${join(repositoryRoot, "backend/src/services/core.ts")}:${line}:1)`;
    return error;
  };
  const one = identityOf(thrown(TypeError, "first", 1));
  assert.is(identityOf(thrown(TypeError, "second", 1)), one);
  assert.is.not(identityOf(thrown(TypeError, "first", 2)), one);
  assert.is.not(identityOf(thrown(RangeError, "first", 1)), one);
});

own("the product's own reader of events understands it", () => {
  const event = eventOf(new TypeError("outer", { cause: new Error("root") }));
  const read = readErrorEvent(event, {
    projectId: 1,
    payload: { content: new Uint8Array(), encoding: PayloadEncoding.UNSPECIFIED, offset: 0, length: 0 },
    receivedAt: names.now,
    newEventId: () => "never",
  });
  assert.is(read.eventId, names.eventId);
  assert.equal(
    read.exceptions.map(({ type }) => type),
    ["Error", "TypeError"],
  );
  assert.ok(read.exceptions.every(({ frames }) => frames.length > 0));
  assert.is(read.release, "0.1.0");
  assert.is(read.environment, "staging");
  const { "stack.filename": file, "stack.function": _function, runtime: _runtime, os: _os, ...tags } = read.tags;
  assert.equal(tags, { part: "core", during: "call failed" });
  assert.match(file ?? "", /\.ts$/);
});

own.run();

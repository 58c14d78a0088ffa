import { type JsonValue, readEvent } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { boom, head, stringify } from "../../support/sentry/sentry-event.ts";
import { threadMs } from "../../support/service/thread-time.ts";

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
  const place = { "stack.filename": clean, "stack.function": clean };
  assert.equal([read.fingerprint, read.tags], [[clean], { key: clean, transaction: clean, ...place }]);
  const [exception] = read.exceptions;
  assert.equal([exception?.type, exception?.value, exception?.frames[0]?.function], [clean, clean, clean]);
});

robustness("100,000 exceptions, tags, crumbs or threads hold up nothing", () => {
  const many = Array.from({ length: 100_000 }, () => ({ type: "T", stacktrace: { frames: [{ function: "f" }] } }));
  const ms = threadMs(() => {
    for (const key of ["exception", "threads", "breadcrumbs", "tags", "fingerprint"]) head({ [key]: many });
  });
  assert.ok(ms < 500, `${ms} ms`);
});

robustness.run();

import { type JsonValue, limits, readEvent } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { details } from "../../support/sentry/sentry-event.ts";

const shown = suite("details");

const consoleTexts: [claim: string, message: string, args: JsonValue, shown: string][] = [
  ["is filled in", "user %s has %d", ["user %s has %d", "ann", 7], "user ann has 7"],
  ["is filled in where the arguments follow", "user %s ann", ["user %s", "ann", { a: 1 }], 'user ann {"a":1}'],
  ["shows no styles", "%cred %s ...", ["%cred %s", "color: red", "x"], "red x"],
  ["keeps what has no argument", "100 %% of %s and %s", ["100 %% of %s and %s", "a"], "100 % of a and %s"],
  ["is filled in once", "user %s", ["user %s", "%s"], "user %s"],
  ["that is filled in already stays", "user ann", ["user %s", "ann"], "user ann"],
  ["without arguments stays", "user %s", null, "user %s"],
];

for (const [claim, message, args, text] of consoleTexts) {
  shown(`a breadcrumb of the console ${claim}`, () => {
    const crumb = { category: "console", message, data: { arguments: args } };
    assert.is(details({ breadcrumbs: [crumb] }).breadcrumbs[0]?.message, text);
    assert.is(details({ breadcrumbs: [{ ...crumb, category: "log" }] }).breadcrumbs[0]?.message, message);
  });
}

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
  assert.is(shape({ url: "http://h/p?a=1?b" })?.queryString, "a=1?b");
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
  assert.ok(String(large?.["a"]).length <= limits.trimmedJson.extra.size);
  assert.is(large?.["b"], "y");
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, "x".repeat(10_000)]));
  assert.ok(JSON.stringify(details({ extra: wide }).extra).length < limits.trimmedJson.extra.total * 1.1);
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

shown.run();

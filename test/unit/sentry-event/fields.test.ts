import { isTransaction, type JsonObject, type JsonValue } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { details, entriesOf, head } from "../../support/sentry/sentry-event.ts";

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
  [{ environment: "review/feature-login" }, "review/feature-login"],
  [{ environment: "a\nb" }, "a b"],
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
  ["null and empty values", { a: null, b: "", c: " " }, {}],
  ["objects and lists", { a: { x: 1 }, b: ["x"], c: {} }, { a: '{"x":1}', b: '["x"]', c: "{}" }],
  ["keys with spaces", { " my key ": "v" }, { "my-key": "v" }],
  [
    "keys of other characters",
    { ä: "v", "": "v", "a,b": "v", "a.b:c-d_e": "v", "a/b": "v", "a@b": "v", город: "v", "a[0]": "v" },
    { ä: "v", "a,b": "v", "a.b:c-d_e": "v", "a/b": "v", "a@b": "v", город: "v", "a(0)": "v" },
  ],
  ["keys of several lines", { "a\n\tb": "v" }, { "a--b": "v" }],
  ["keys that are numbers", [[7, "v"]], { "7": "v" }],
  [
    "addresses, without what may be secret",
    { url: "https://ann:pw@h/p?token=t#x", page: "see https://h/#/cart?token=t", note: "a?b" },
    { url: "https://h/p", page: "see https://h/#/cart", note: "a?b" },
  ],
  ["long values", { a: "x".repeat(300) }, { a: `${"x".repeat(197)}...` }],
  ["long keys", { ["x".repeat(201)]: "v" }, { [`${"x".repeat(197)}...`]: "v" }],
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

fields.run();

import { deflateSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { ask, onlyEvent, testCases, type Case, type Conversation } from "../../support/sentry/robustness.ts";

const event = '{"message":"written"}';
const stored = { message: "written" };
const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64");
const nested = (key: string, depth: number) => `{"${key}":${"[".repeat(depth)}${"]".repeat(depth)}}`;
const ofSize = (bytes: number) => `{"message":"written","unknown":"${"x".repeat(bytes - 34)}"}`;

/** Bytes that each become three when they are repaired, in all the places that are shown. */
const bag = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`k${index}`, "\xFF".repeat(16_384)]));
const notUtf8 = Buffer.from(
  JSON.stringify({ message: "written", extra: bag, contexts: { a: bag }, unknown: "\xFF".repeat(500_000) }),
  "latin1",
);

interface Body extends Omit<Case, "request"> {
  readonly body: string | Uint8Array;
  readonly contentType?: string;
}

/** Cases 61 to 71, 95, 98 and 99: the JSON of an event. */
const bodies: readonly Body[] = [
  {
    number: 61,
    claim: "base64 of zlib, as raven sends it, is read",
    body: base64(deflateSync(event)),
    contentType: "application/octet-stream",
    status: 200,
    stored,
  },
  { number: 62, claim: "base64 of JSON is read", body: base64(event), status: 200, stored },
  { number: 62, claim: "base64 of nothing known is refused", body: base64("garbage, that is"), status: 400 },
  ...["[]", "null", '"x"', "42", "true", "[{}]"].map((body) => ({
    number: 63,
    claim: `${body} is refused`,
    body,
    status: 400,
  })),
  {
    number: 64,
    claim: "NaN and Infinity, as Python writes them, are null",
    body: '{"message":"NaN, \\"Infinity","extra":{"a":NaN,"b":-Infinity,"c":[Infinity]}}',
    status: 200,
    stored: { message: 'NaN, "Infinity', extra: { a: isNull, b: isNull, c: [isNull] } },
  },
  { number: 65, claim: "a byte order mark is passed over", body: `\uFEFF${event}`, status: 200, stored },
  {
    number: 66,
    claim: "bytes that are not UTF-8 become U+FFFD",
    body: Buffer.from('{"message":"a\xFFb\xC3"}', "latin1"),
    status: 200,
    stored: { message: "a\uFFFDb\uFFFD" },
  },
  { number: 66, claim: "a megabyte of them can be shown", body: notUtf8, status: 200, stored },
  {
    number: 67,
    claim: "NUL is left out of texts and keys",
    body: '{"message":"a\\u0000b","tags":{"k\\u0000ey":"v\\u0000al"},"extra":{"e\\u0000":"\\u0000x"}}',
    status: 200,
    stored: { message: "ab", tags: { key: "val" }, extra: { e: "x" } },
  },
  {
    number: 68,
    claim: "a lone surrogate becomes U+FFFD",
    body: '{"message":"a\\ud800b","tags":{"k":"\\udc00"}}',
    status: 200,
    stored: { message: "a\uFFFDb", tags: { k: "\uFFFD" } },
  },
  {
    number: 69,
    claim: "64 levels are taken",
    body: nested("extra", 63),
    status: 200,
    stored: { title: "<unlabeled event>" },
  },
  ...["extra", "contexts", "x"].map((key) => ({
    number: 69,
    claim: `10,000 levels below ${key} are refused`,
    body: nested(key, 10_000),
    status: 400,
  })),
  {
    number: 70,
    claim: "the last of a key that comes twice wins",
    body: '{"message":"first","message":"last"}',
    status: 200,
    stored: { message: "last" },
  },
  {
    number: 71,
    claim: "__proto__ and its kin are data or nothing",
    body: '{"message":"written","__proto__":{"level":"fatal"},"tags":{"__proto__":"a","constructor":"b","toString":"c"},"extra":{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}},"contexts":{"__proto__":{"z":3}},"user":{"__proto__":{"id":"5"}}}',
    status: 200,
    stored: {
      ...stored,
      level: "error",
      tags: { constructor: "b", toString: "c" },
      extra: { constructor: { prototype: { y: 2 } } },
      user: undefined,
    },
  },
  { number: 95, claim: "an event of 1 MiB is taken", body: ofSize(1024 * 1024), status: 200, stored },
  { number: 95, claim: "an event of one byte more is refused", body: ofSize(1024 * 1024 + 1), status: 413 },
  { number: "A43", claim: "half a million levels are refused", body: nested("x", 500_000), status: 400 },
  {
    number: "A47",
    claim: "numbers beyond all bounds are defined",
    body: '{"message":"written","extra":{"huge":1e999,"zero":-0,"long":9007199254740993},"user":{"id":1e999},"timestamp":1e999}',
    status: 200,
    stored: { ...stored, extra: { long: 9007199254740992 } },
  },
];

const cases: readonly Case[] = bodies.map(({ body, contentType = "application/json", ...rest }) => ({
  ...rest,
  request: () => ({ headers: { "Content-Type": contentType }, body }),
}));

const conversations: readonly Conversation[] = [
  {
    number: 99,
    claim: "the secret of a DSN is neither stored nor logged",
    async hold({ server, client, project }) {
      const secret = "5ec2e75ec2e75ec2e75ec2e75ec2e700";
      const dsn = `http://${project.key}:${secret}@host/${project.id}`;
      const envelope = (payload: string) => ({
        door: "envelope" as const,
        body: `${JSON.stringify({ dsn })}\n{"type":"event"}\n${payload}`,
      });
      assert.is((await ask(server, project, envelope('{"message":')))?.status, 400);
      assert.is((await ask(server, project, envelope(event)))?.status, 200);
      const shown = await onlyEvent(client, project);
      assert.is(shown.payloadJson, event);
      assert.not.ok(server.output().includes(secret));
    },
  },
];

function isNull(value: unknown): boolean {
  return value === null;
}

testCases(cases, conversations);
test.run();

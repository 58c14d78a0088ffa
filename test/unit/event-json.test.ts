import { suite } from "uvu";
import * as assert from "uvu/assert";
import { deflateSync } from "node:zlib";
import { parseEventJson } from "../../plugins/http-bridge/src/ingest/body/event-json.ts";
import { countValues, minBytesToCount } from "../../plugins/http-bridge/src/ingest/body/json-shape.ts";
import { maxEventDepth, maxEventValues } from "../../plugins/http-bridge/src/ingest/limits.ts";
import { IngestRefusal } from "../../plugins/http-bridge/src/ingest/refusal.ts";
import { holdsEnvelope, readStoreBody } from "../../plugins/http-bridge/src/ingest/body/store-body.ts";
import { threadMs } from "../support/service/thread-time.ts";

const json = suite("event JSON");

json("an event is stored byte for byte as it was sent", () => {
  const sent = Buffer.from('{ "message" : "h\\u0069 \\ud83d", "n": 1.50 }');
  const { event, payload } = parseEventJson(sent);
  assert.is(event["n"], 1.5);
  assert.is(payload, sent);
});

json("a byte order mark is taken off", () => {
  const { event, payload } = parseEventJson(Buffer.from('\ufeff{"a":1}'));
  assert.equal(event, { a: 1 });
  assert.is(payload.toString(), '{"a":1}');
});

json("bytes that are not UTF-8 become U+FFFD, in the payload as well", () => {
  const { event, payload } = parseEventJson(Buffer.from('{"a":"\xff"}', "latin1"));
  assert.equal(event, { a: "\ufffd" });
  assert.is(payload.toString(), '{"a":"\ufffd"}');
});

json("bare NaN and Infinity become null, and stay in strings", () => {
  const sent = String.raw`{"a":NaN,"b":[Infinity,-Infinity],"c":"NaN \" NaN \\","d":NaN,"e":"\\\"Infinity"}`;
  const { event, payload } = parseEventJson(Buffer.from(sent));
  assert.equal(event, { a: null, b: [null, null], c: 'NaN " NaN \\', d: null, e: '\\"Infinity' });
  assert.equal(JSON.parse(payload.toString()), event);
});

json("of equal keys the last one counts", () => {
  assert.equal(parseEventJson(Buffer.from('{"a":1,"a":2}')).event, { a: 2 });
});

json("a key named __proto__ changes no object", () => {
  parseEventJson(Buffer.from('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'));
  assert.is(Reflect.get({}, "polluted"), undefined);
});

const refused: [claim: string, body: string, detail: RegExp][] = [
  ["a list is no event", "[]", /not a JSON object/],
  ["null is no event", "null", /not a JSON object/],
  ["text is no event", '"x"', /not a JSON object/],
  ["a number is no event", "42", /not a JSON object/],
  ["NaN is no event", "NaN", /not a JSON object/],
  ["nothing is no event", "", /not valid JSON/],
  ["half an object is no event", '{"a":', /not valid JSON/],
  ["NotANumber is not repaired", '{"a":NotANumber,"b":xNaN}', /not valid JSON/],
  ["a string without end is refused, with NaN in it too", '{"a":"NaN', /not valid JSON/],
];

for (const [claim, body, detail] of refused) {
  json(claim, () => {
    const error = refusalOf(() => parseEventJson(Buffer.from(body)));
    assert.is(error.status, 400);
    assert.match(error.detail, detail);
  });
}

json("64 levels are taken and 65 are not, in small events and in large ones", () => {
  for (const filler of ["", "[{".repeat(100_000)]) {
    const nested = (levels: number) =>
      `{"f":${JSON.stringify(filler)},"q":"\\"[","a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    assert.ok(parseEventJson(Buffer.from(nested(maxEventDepth))).event);
    const refusal = refusalOf(() => parseEventJson(Buffer.from(nested(maxEventDepth + 1))));
    assert.match(refusal.message, /more than 64 levels/);
    assert.is(refusal.outcome, "too_deep");
  }
});

/** An event of so many values: itself, its list, and what is in the list. */
const listOf = (entry: string, values: number) =>
  `{"a":[${Array(values - 2)
    .fill(entry)
    .join(",")}]}`;

for (const entry of ["{}", "[]", "0", "NaN", '"[{,"', '"\\\","']) {
  json(`50,000 values are taken and 50,001 are not: ${entry}`, () => {
    assert.ok(parseEventJson(Buffer.from(listOf(entry, maxEventValues))).event);
    const refusal = refusalOf(() => parseEventJson(Buffer.from(listOf(entry, maxEventValues + 1))));
    assert.is(refusal.status, 400);
    assert.match(refusal.message, /more than 50000 values/);
    assert.is(refusal.outcome, "too_many_values");
  });
}

for (const [text, values] of [
  ["1", 1],
  ["{}", 1],
  ["[[],{}]", 3],
  ['{"a":[1,{"b":[]}],"c":null}', 6],
  ['{"a,b":"[,{\\\\",\n"c":"\\"","d":2}', 4],
] as const) {
  json(`${text} has ${values} values`, () => assert.is(countValues(Buffer.from(text)), values));
}

json("JSON that is too small to be counted cannot have too many values", () => {
  const least = Buffer.byteLength(listOf("0", maxEventValues + 1));
  assert.ok(least >= minBytesToCount, `${least}`);
});

const mebibyte = 1024 * 1024;
const attacks: [claim: string, body: string][] = [
  ["1 MiB of opening brackets", "[".repeat(mebibyte)],
  ["half a million nested lists", `{"a":${"[".repeat(mebibyte / 2)}${"]".repeat(mebibyte / 2)}}`],
  ["nested objects", `${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}`],
  ["1 MiB of quotes behind backslashes", `{"a":NaN,"b":"${'\\"'.repeat(mebibyte / 2)}`],
  ["1 MiB of backslashes", `{"a":NaN,"b":"${"\\".repeat(mebibyte)}`],
  ["350,000 objects", `{"exception":{"values":[${"{},".repeat(349_000)}{}]}}`],
  ["260,000 NaN", `{"a":[${"NaN,".repeat(260_000)}NaN]}`],
  ["1 MiB of quotes", `{"a":NaN,${'"'.repeat(mebibyte)}`],
];

for (const [claim, body] of attacks) {
  json(`${claim} are refused without holding up the loop`, () => {
    const bytes = Buffer.from(body);
    const ms = threadMs(() => assert.is(refusalOf(() => parseEventJson(bytes)).status, 400));
    assert.ok(ms < 500, `${ms} ms`);
  });
}

const store = suite("store body");

const event = '{"message":"hi"}';
const base64 = Buffer.from(event).toString("base64");
const deflated = deflateSync(event).toString("base64");

const bodies: [claim: string, body: string][] = [
  ["plain JSON is taken as it is", event],
  ["white space and a byte order mark may come first", `\ufeff \r\n\t${event}`],
  ["base64 of JSON is decoded", base64],
  ["base64 of zlib, as raven-go sends it, is decoded", deflated],
  ["base64 may have line breaks", deflated.replaceAll(/(.{10})/g, "$1\r\n")],
  ["base64 needs no padding", deflated.replaceAll("=", "")],
  ["spaces stand for the plus signs a form lost", deflated.replaceAll("+", " ")],
];

for (const [claim, body] of bodies) {
  store(claim, () => assert.is(readStoreBody(Buffer.from(body), mebibyte).toString(), event));
}

for (const body of ["", " \n"]) {
  store(`an empty body is refused: ${JSON.stringify(body)}`, () => {
    assert.match(refusalOf(() => readStoreBody(Buffer.from(body), mebibyte)).detail, /empty/);
  });
}

for (const body of ["[]", "null", '"x"', "42", "no base64 !", "aGVsbG8=", base64.slice(4)]) {
  store(`what is neither JSON nor base64 of it is refused: ${body}`, () => {
    assert.is(refusalOf(() => readStoreBody(Buffer.from(body), mebibyte)).status, 400);
  });
}

store("base64 of zlib beyond the limit is too large", () => {
  const bomb = Buffer.from(deflateSync(Buffer.alloc(mebibyte + 1)).toString("base64"));
  assert.is(refusalOf(() => readStoreBody(bomb, mebibyte)).status, 413);
});

store("an envelope at the store door is known by its type and its shape together", () => {
  const envelope = Buffer.from(`{}\n{"type":"event"}\n${event}`);
  const type = "application/x-sentry-envelope; charset=utf-8";
  assert.is(holdsEnvelope(envelope, type), true);
  assert.is(holdsEnvelope(envelope, "application/json"), false);
  assert.is(holdsEnvelope(envelope, undefined), false);
  assert.is(holdsEnvelope(Buffer.from(event), type), false);
  assert.is(holdsEnvelope(Buffer.from(`${event}\r\n\n`), type), false);
  assert.is(holdsEnvelope(Buffer.from('{\n"message":"hi"\n}'), type), false);
});

function refusalOf(run: () => unknown): IngestRefusal {
  try {
    run();
  } catch (error) {
    assert.instance(error, IngestRefusal);
    return error as IngestRefusal;
  }
  return assert.unreachable("it was not refused") as never;
}

json.run();
store.run();

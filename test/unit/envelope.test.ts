import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  EnvelopeReader,
  parseEnvelope,
  type Envelope,
  type EnvelopeItem,
} from "../../plugins/http-bridge/src/ingest/body/envelope.ts";
import { maxEnvelopeItems, maxHeaderBytes, maxItemBytes } from "../../plugins/http-bridge/src/ingest/limits.ts";
import { IngestRefusal } from "../../plugins/http-bridge/src/ingest/refusal.ts";

const framing = suite("envelope framing");

const event = '{"message":"hi"}';
const id = "0123456789abcdef0123456789abcdef";
const hyphenated = "01234567-89AB-CDEF-0123-456789ABCDEF";

/** Claim, body, and its items as `type:payload`, or `type(size)` where the payload is not kept. */
const accepted: [claim: string, body: string, items: string[]][] = [
  ["an envelope of a header alone has no items", "{}", []],
  ["a line end behind a lone header changes nothing", "{}\n", []],
  ["the last payload needs no line end", `{}\n{"type":"event"}\n${event}`, [`event:${event}`]],
  ["a line end behind the last payload is no item", `{}\n{"type":"event"}\n${event}\n`, [`event:${event}`]],
  ["three blank lines at the end are no items", `{}\n{"type":"event"}\n${event}\n\n\n\n`, [`event:${event}`]],
  [
    "blank lines at the end may follow a payload with a length",
    `{}\n{"type":"event","length":${event.length}}\n${event}\n\n\n`,
    [`event:${event}`],
  ],
  [
    "a blank line may follow a payload without a length",
    `{}\n{"type":"session"}\n{}\n\n{"type":"event"}\n${event}`,
    ["session:{}", `event:${event}`],
  ],
  [
    "a payload with a length may hold line ends and what looks like a header",
    `{}\n{"type":"attachment","length":23}\na\n{"type":"event"}\nb\r\nc\n{"type":"event"}\n${event}`,
    ["attachment(23)", `event:${event}`],
  ],
  [
    "a length counts bytes, not characters",
    '{}\n{"type":"event","length":12}\n{"a":"äé"}\n{"type":"session"}\n{}',
    ['event:{"a":"äé"}', "session:{}"],
  ],
  ["an item of length 0 is empty", '{}\n{"type":"a","length":0}\n\n{"type":"b","length":0}\n', ["a(0)", "b(0)"]],
  ["an item header at the end is an empty item", '{}\n{"type":"attachment"}', ["attachment(0)"]],
  ["an item header of length 0 at the end is an empty item", '{}\n{"type":"attachment","length":0}', ["attachment(0)"]],
  ["a length may be text", `{}\n{"type":"event","length":"${event.length}"}\n${event}`, [`event:${event}`]],
  ["a length of null is none", `{}\n{"type":"event","length":null}\n${event}`, [`event:${event}`]],
  [
    "an unknown item without length does not hide the event behind it",
    `{}\n{"type":"foo"}\nwhat ever\n{"type":"event"}\n${event}`,
    ["foo(9)", `event:${event}`],
  ],
  [
    "an unknown item with length does not hide the event behind it",
    `{}\n{"type":"foo","length":3}\n\n\n\n\n{"type":"event"}\n${event}`,
    ["foo(3)", `event:${event}`],
  ],
  [
    "an item without a type does not hide the event behind it",
    `{}\n{"x":1}\nwhat\n{"type":7}\never\n{"type":"event"}\n${event}`,
    ["(4)", "(4)", `event:${event}`],
  ],
  [
    "lines may end with CRLF where no length is given",
    `{}\r\n{"type":"event"}\r\n${event}\r\n\r\n`,
    [`event:${event}\r`],
  ],
  [
    "U+2028 ends no line",
    '{}\n{"type":"event"}\n{"message":"a\u2028b"}\n{"type":"session"}\n{}',
    ['event:{"message":"a\u2028b"}', "session:{}"],
  ],
  ["two events are two items", `{}\n{"type":"event"}\n${event}\n{"type":"event"}\n{}`, [`event:${event}`, "event:{}"]],
  [
    `${maxEnvelopeItems} items are taken`,
    `{}\n${'{"type":"a"}\n\n'.repeat(maxEnvelopeItems)}`,
    Array(maxEnvelopeItems).fill("a(0)"),
  ],
];

for (const [claim, body, items] of accepted) {
  framing(claim, () => {
    for (const pieces of cuts(Buffer.from(body))) assert.equal(read(pieces).items.map(described), items);
  });
}

const refused: [claim: string, body: string, cause: RegExp][] = [
  ["an empty body is refused", "", /empty/],
  ["a blank line before the header is refused", `\n{}\n`, /envelope header/],
  ["an envelope header that is no JSON is refused", "{nope\n", /envelope header/],
  ["an envelope header that is a list is refused", "[]\n", /envelope header/],
  ["an envelope header that is text is refused", '"x"\n', /envelope header/],
  [
    "an item header that is no JSON refuses the items before it as well",
    `{}\n{"type":"event"}\n${event}\nnope\n{}`,
    /header of item 2/,
  ],
  ["an item header that is a list is refused", "{}\n[]\n{}", /header of item 1/],
  ["a length that is one too small is refused", `{}\n{"type":"event","length":15}\n${event}\n`, /longer/],
  ["a length that is too large is refused", `{}\n{"type":"event","length":99}\n${event}\n`, /ends before/],
  ["a length at the end of the body is refused", '{}\n{"type":"event","length":1}', /ends before/],
  ["a negative length is refused", `{}\n{"type":"event","length":-1}\n${event}`, /number of bytes/],
  ["half a byte is refused", `{}\n{"type":"event","length":1.5}\n${event}`, /number of bytes/],
  ["a length of 1e400 is refused", `{}\n{"type":"event","length":1e400}\n${event}`, /number of bytes/],
  [
    "a blank line behind a payload with a length is refused",
    `{}\n{"type":"a","length":0}\n\n\n{"type":"event"}\n${event}`,
    /blank line/,
  ],
  ["a blank line behind the envelope header is refused", `{}\n\n{"type":"event"}\n${event}`, /blank line/],
  [
    `more than ${maxEnvelopeItems} items are refused`,
    `{}\n${'{"type":"a"}\n\n'.repeat(maxEnvelopeItems + 1)}`,
    /more than/,
  ],
  ["a header of 17 KiB is refused", `{"a":"${"x".repeat(maxHeaderBytes)}"}\n`, /longer than/],
  ["an item header of 17 KiB is refused", `{}\n{"a":"${"x".repeat(maxHeaderBytes)}"}\n`, /longer than/],
];

for (const [claim, body, cause] of refused) {
  framing(claim, () => {
    const whole = refusalOf(() => parseEnvelope(Buffer.from(body)));
    assert.is(whole.status, 400);
    assert.is(whole.detail, "The envelope is malformed.");
    assert.match(whole.causes.join(), cause);
    for (const pieces of cuts(Buffer.from(body))) assert.is(refusalOf(() => read(pieces)).message, whole.message);
  });
}

framing("a payload is a view into the body when that is whole", () => {
  const body = Buffer.from(`{}\n{"type":"event"}\n${event}`);
  const [item] = parseEnvelope(body).items;
  assert.is(item?.payload?.buffer, body.buffer);
});

for (const [type, max] of Object.entries(maxItemBytes)) {
  framing(`a payload of type ${type} is kept up to ${max} bytes, in however many pieces, and behind it goes on`, () => {
    for (const [size, isKept] of [
      [max, true],
      [max + 1, false],
    ] as const)
      for (const length of [size, null]) {
        const header = JSON.stringify({ type, length });
        const body = Buffer.from(`{}\n${header}\n${"x".repeat(size)}\n{"type":"event"}\n{}`);
        for (const pieces of [[body], inPieces(body, 10_000)]) {
          const [item, behind] = read(pieces).items;
          assert.is(item?.size, size);
          assert.is(item?.payload?.length, isKept ? size : undefined);
          assert.is(behind?.size, 2);
        }
      }
  });
}

framing("what the items of a type leave is for the next of it, so that 200 of them take no more than one", () => {
  const report = (size: number) => `{"type":"client_report"}\n${"x".repeat(size)}\n`;
  const max = maxItemBytes.client_report;
  const body = `{}\n${report(max - 1)}${report(2)}{"type":"event"}\n{}\n${report(1)}${report(1)}`;
  assert.equal(
    read([Buffer.from(body)]).items.map(({ size, payload }) => payload?.length === size),
    [true, false, true, true, false],
  );
});

framing("a name every object has is no type that is kept", () => {
  for (const type of ["constructor", "__proto__", "toString"]) {
    assert.is(read([Buffer.from(`{}\n{"type":"${type}"}\n{}`)]).items[0]?.payload, undefined);
  }
});

framing("the header's event id is normalised, and none when it is none", () => {
  for (const sent of [id, id.toUpperCase(), hyphenated]) {
    assert.is(parseEnvelope(Buffer.from(`{"event_id":"${sent}"}`)).header.eventId, id);
  }
  for (const sent of ['"not-a-uuid"', "null", "7", `"${"0".repeat(32)}"`, `"${id}0"`]) {
    assert.is(parseEnvelope(Buffer.from(`{"event_id":${sent}}`)).header.eventId, undefined);
  }
});

framing("sent_at is read, and ignored when it is no time", () => {
  const sentAt = (json: string) => parseEnvelope(Buffer.from(`{"sent_at":${json}}`)).header.sentAt;
  assert.is(sentAt('"2026-11-20T23:21:08.045Z"'), Date.UTC(2026, 10, 20, 23, 21, 8, 45));
  assert.is(sentAt('"yesterday"'), undefined);
  assert.is(sentAt("{}"), undefined);
});

framing("the header's dsn is handed on as text only", () => {
  assert.is(parseEnvelope(Buffer.from('{"dsn":"https://k@h/1"}')).header.dsn, "https://k@h/1");
  assert.is(parseEnvelope(Buffer.from('{"dsn":42}')).header.dsn, undefined);
});

framing("a header key named __proto__ changes no object", () => {
  const { items } = parseEnvelope(Buffer.from('{"__proto__":{"eventId":"x"}}\n{"__proto__":{"type":"event"}}\n{}'));
  assert.is(items[0]?.type, "");
  assert.is(Reflect.get({}, "type"), undefined);
});

/** The body as one piece, as single bytes, and cut in two at each place. */
function* cuts(body: Buffer): Generator<Buffer[]> {
  yield [body];
  yield inPieces(body, 1);
  for (let place = 0; place <= body.length; place++) yield [body.subarray(0, place), body.subarray(place)];
}

function inPieces(body: Buffer, size: number): Buffer[] {
  const count = Math.ceil(body.length / size);
  return Array.from({ length: count }, (_, index) => body.subarray(index * size, (index + 1) * size));
}

function read(pieces: readonly Buffer[]): Envelope {
  const reader = new EnvelopeReader();
  for (const piece of pieces) reader.push(piece);
  return reader.end();
}

function described({ type, size, payload }: EnvelopeItem): string {
  return payload ? `${type}:${payload.toString()}` : `${type}(${size})`;
}

function refusalOf(run: () => unknown): IngestRefusal {
  try {
    run();
  } catch (error) {
    assert.instance(error, IngestRefusal);
    return error as IngestRefusal;
  }
  return assert.unreachable("it was not refused") as never;
}

framing.run();

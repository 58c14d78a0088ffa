import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_HEADER_BYTES, MAX_ITEMS, parseEnvelope } from "../../plugins/http-bridge/src/ingest/body/envelope.ts";
import { IngestRefusal } from "../../plugins/http-bridge/src/ingest/refusal.ts";

const framing = suite("envelope framing");

const event = '{"message":"hi"}';
const id = "0123456789abcdef0123456789abcdef";
const hyphenated = "01234567-89AB-CDEF-0123-456789ABCDEF";

/** Claim, body, and its items as `type:payload`. */
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
    ['attachment:a\n{"type":"event"}\nb\r\nc', `event:${event}`],
  ],
  [
    "a length counts bytes, not characters",
    '{}\n{"type":"event","length":12}\n{"a":"äé"}\n{"type":"session"}\n{}',
    ['event:{"a":"äé"}', "session:{}"],
  ],
  ["an item of length 0 is empty", '{}\n{"type":"a","length":0}\n\n{"type":"b","length":0}\n', ["a:", "b:"]],
  ["an item header at the end is an empty item", '{}\n{"type":"attachment"}', ["attachment:"]],
  ["an item header of length 0 at the end is an empty item", '{}\n{"type":"attachment","length":0}', ["attachment:"]],
  ["a length may be text", `{}\n{"type":"event","length":"${event.length}"}\n${event}`, [`event:${event}`]],
  ["a length of null is none", `{}\n{"type":"event","length":null}\n${event}`, [`event:${event}`]],
  [
    "an unknown item without length does not hide the event behind it",
    `{}\n{"type":"foo"}\nwhat ever\n{"type":"event"}\n${event}`,
    ["foo:what ever", `event:${event}`],
  ],
  [
    "an unknown item with length does not hide the event behind it",
    `{}\n{"type":"foo","length":3}\n\n\n\n\n{"type":"event"}\n${event}`,
    ["foo:\n\n\n", `event:${event}`],
  ],
  [
    "an item without a type does not hide the event behind it",
    `{}\n{"x":1}\nwhat\n{"type":7}\never\n{"type":"event"}\n${event}`,
    [":what", ":ever", `event:${event}`],
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
  [`${MAX_ITEMS} items are taken`, `{}\n${'{"type":"a"}\n\n'.repeat(MAX_ITEMS)}`, Array(MAX_ITEMS).fill("a:")],
];

for (const [claim, body, items] of accepted) {
  framing(claim, () => {
    const parsed = parseEnvelope(Buffer.from(body));
    assert.equal(
      parsed.items.map((item) => `${item.type}:${item.payload.toString()}`),
      items,
    );
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
  [`more than ${MAX_ITEMS} items are refused`, `{}\n${'{"type":"a"}\n\n'.repeat(MAX_ITEMS + 1)}`, /more than/],
  ["a header of 17 KiB is refused", `{"a":"${"x".repeat(MAX_HEADER_BYTES)}"}\n`, /longer than/],
  ["an item header of 17 KiB is refused", `{}\n{"a":"${"x".repeat(MAX_HEADER_BYTES)}"}\n`, /longer than/],
];

for (const [claim, body, cause] of refused) {
  framing(claim, () => {
    const error = refusalOf(() => parseEnvelope(Buffer.from(body)));
    assert.is(error.status, 400);
    assert.is(error.detail, "The envelope is malformed.");
    assert.match(error.causes.join(), cause);
  });
}

framing("a payload is a view into the body", () => {
  const body = Buffer.from(`{}\n{"type":"event"}\n${event}`);
  const [item] = parseEnvelope(body).items;
  assert.is(item?.payload.buffer, body.buffer);
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

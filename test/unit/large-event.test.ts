import { randomBytes } from "node:crypto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { gzipSync } from "node:zlib";
import { filteredFields, readRequestUrl, readServerName, readUserAgent } from "@faultline/sentry-event";
import { maxBytesUnderWay } from "@faultline/plugin";
import { MemoryReservation } from "../../plugins/http-bridge/src/ingest/body/memory-budget.ts";
import type { Body } from "../../plugins/http-bridge/src/ingest/body/stored-payload.ts";
import { isReadEvent, readEventItem } from "../../plugins/http-bridge/src/ingest/items/event.ts";
import { isLargeEvent, readLargeEvent } from "../../plugins/http-bridge/src/ingest/items/large-event.ts";
import { maxEventBytes } from "../../plugins/http-bridge/src/ingest/limits.ts";
import { nodeEvent, randomFrom } from "../bench/node-event.ts";
import { id } from "../support/sentry/sentry-event.ts";

const arrival = { projectId: 1, keyId: 2, receivedAt: Date.UTC(2026, 10, 21), clientIp: "203.0.113.7" };

const from = (original?: Body, projectId = 1) => {
  const charged: number[] = [];
  return { original, charged, sender: { projectId, charge: ({ ms = 0 }) => void charged.push(ms) } };
};

const random = randomFrom(1);
const node = (bytes: number) =>
  Buffer.from(JSON.stringify({ event_id: id, ...nodeEvent({ bytes, group: 1, random }) }));
const event = (rest: string) => Buffer.from(`{"event_id":"${id}",${rest}}`);
const list = (entry: (index: number) => string, bytes: number) => {
  const entries: string[] = [];
  for (let length = 100, index = 0; ; index++) {
    length += entry(index).length + 1;
    if (length > bytes) return event(`"extra":{"list":[${entries.join()}]}`);
    entries.push(entry(index));
  }
};
const zipped = (json: Buffer): Body => ({ sent: gzipSync(json), decoded: json, isGzip: true });

const taken: [claim: string, json: Buffer][] = [
  ["of a usual SDK", node(200_000)],
  ["of 30,000 empty objects", list(() => "{}", 90_000)],
  ["with a byte order mark", Buffer.from(`\ufeff${node(120_000).toString()}`)],
  ["with NaN", list(() => "NaN", 90_000)],
  [
    "with bytes that are not UTF-8",
    Buffer.concat([event('"message":"').subarray(0, -1), Buffer.from([0xff, 0x22, 0x7d])]),
  ],
  ["that is feedback", event('"type":"feedback","contexts":{"feedback":{"message":"It broke."}}')],
  ["that is a transaction", event('"type":"transaction","spans":[]')],
];

for (const [claim, json] of taken) {
  test(`an event ${claim} is read in the thread as on the event loop, plain and from gzip`, async () => {
    for (const original of [undefined, zipped(json)]) {
      const read = await readLargeEvent(original?.decoded ?? json, arrival, from(original));
      const here = readEventItem(original?.decoded ?? json, arrival, original);
      if (isReadEvent(here)) assert.equal(read, { event: here.event, sent: filteredFields(here.sent) });
      else assert.equal(read, here);
    }
  });
}

const refused: [claim: string, json: Buffer][] = [
  ["that is no JSON", event('"message":')],
  ["that is no object", Buffer.from("[]")],
  ["of too many values", list(() => "0", 110_000)],
  ["of too many levels", event(`"extra":${"[".repeat(100)}${"]".repeat(100)}`)],
  ["of more than 1 MiB", Buffer.alloc(maxEventBytes + 1, " ")],
];

for (const [claim, json] of refused) {
  test(`an event ${claim} is refused by the thread as by the event loop`, async () => {
    let here: unknown;
    try {
      readEventItem(json, arrival);
    } catch (error) {
      here = error;
    }
    const refusal: unknown = await readLargeEvent(json, arrival, from()).catch((error: unknown) => error);
    assert.instance(refusal, Error);
    assert.equal({ ...(refusal as Error) }, { ...(here as Error) });
    assert.is(String(refusal), String(here));
  });
}

test("a sender pays for the time of the thread", async () => {
  const { charged, ...paid } = from();
  const json = list(() => "{}", 90_000);
  // Some kernels count a thread's time in ticks of 4 ms, so that one event of a few milliseconds may cost nothing.
  const events = await reads(
    20,
    () => readLargeEvent(json, arrival, paid),
    () => charged.some((ms) => ms > 0),
  );
  assert.is(charged.length, events);
  assert.ok(
    charged.some((ms) => ms > 0),
    `${charged.join()} ms`,
  );
});

/** Reads up to `most` times, until it is enough; resolves to how often. */
async function reads(most: number, read: () => Promise<unknown>, isEnough: () => boolean): Promise<number> {
  for (let count = 0; count < most; count += 1) {
    if (count > 0 && isEnough()) return count;
    await read();
  }
  return most;
}

test("an event of another project is read after one of the flood, and not after all", async () => {
  const read: number[] = [];
  const json = list(() => "{}", 20_000);
  const projects = [...Array<number>(20).fill(1), 2];
  await Promise.all(
    projects.map((project) => readLargeEvent(json, arrival, from(undefined, project)).then(() => read.push(project))),
  );
  assert.ok(read.indexOf(2) <= 2, read.join());
});

test("events that hold more than all bodies may take together are refused with 503, and the others are read", async () => {
  const json = list(() => "{}", 20_000);
  using others = new MemoryReservation();
  others.hold(maxBytesUnderWay - 1.5 * json.length);
  const [first, second] = await Promise.allSettled([
    readLargeEvent(json, arrival, from()),
    readLargeEvent(json, arrival, from()),
  ]);
  assert.is(first.status, "fulfilled");
  assert.is(second.status === "rejected" && (second.reason as { status: number }).status, 503);
});

const fields: Record<string, unknown>[] = [
  {},
  { server_name: "localhost", request: { url: "http://a.example/", headers: [["user-agent", "Googlebot"]] } },
  { server_name: 7, "sentry.interfaces.Http": { url: "http://localhost/", headers: { "USER-AGENT": ["a", "b"] } } },
  { request: { headers: { "User-Agent": null } } },
];

test("filters find in the fields kept for them what they find in the event", () => {
  for (const sent of fields) {
    const json = JSON.parse(JSON.stringify(sent)) as Parameters<typeof filteredFields>[0];
    for (const read of [readServerName, readRequestUrl, readUserAgent])
      assert.is(read(filteredFields(json)), read(json), `${read.name} of ${JSON.stringify(sent)}`);
  }
});

for (const bytes of [5_000, 16_500, 25_000, 64_000, 90_000]) {
  test(`an event of ${bytes} bytes of a usual SDK is read on the event loop`, () => {
    for (let n = 0; n < 20; n++) assert.not(isLargeEvent(node(bytes)));
  });
}

const dense: [claim: string, entry: (index: number) => string][] = [
  ["empty objects", () => "{}"],
  ["numbers", () => "0"],
  ["objects of a key each", (index) => `{"${index}":1}`],
  ["lists behind white space", () => "[]   "],
];

for (const [claim, entry] of dense) {
  test(`60 kB of ${claim} are read in the thread`, () => {
    for (let n = 0; n < 20; n++) assert.ok(isLargeEvent(list(entry, 60_000)));
  });
}

test("60 kB of keys are read in the thread", () => {
  const keys = Array.from({ length: 6_600 }, (_, index) => `"${index}":1`).join();
  for (let n = 0; n < 20; n++) assert.ok(isLargeEvent(event(`"extra":{${keys}}`)));
});

test("100 kB are read in the thread, and 60 kB of text are not", () => {
  assert.ok(isLargeEvent(event(`"message":"${"x".repeat(100_000)}"`)));
  assert.not(isLargeEvent(event(`"message":"${randomBytes(30_000).toString("hex")}"`)));
});

test.run();

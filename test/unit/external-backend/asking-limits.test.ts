import { ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { LastSeen, Breaker, addressOf } from "../../../plugins/external-backend/src/calling/upstream.ts";
import { parsed, AnswerMemory } from "../../../plugins/external-backend/src/calling/send.ts";
import { refusal } from "../../support/assert/refusal.ts";
import { Upstreams } from "../../../plugins/external-backend/src/index.ts";

const mebi = 2 ** 20;
const listOf = <T>(length: number, item: () => T) => Array.from({ length }, item);

const addresses: [apiUrl: string, path: string[], expected: string][] = [
  ["https://sentry.example", ["projects", "acme", "web"], "https://sentry.example/api/0/projects/acme/web/"],
  ["https://sentry.example/", ["projects"], "https://sentry.example/api/0/projects/"],
  ["https://sentry.example//base//", [], "https://sentry.example/base/api/0/"],
  ["http://h:9000/a", ["projects", "a/b", "../x"], "http://h:9000/a/api/0/projects/a%2Fb/..%2Fx/"],
  ["http://h", ["projects", "a?b#c d", "ü"], "http://h/api/0/projects/a%3Fb%23c%20d/%C3%BC/"],
  ["http://h", ["x\ud800"], "http://h/api/0/x%EF%BF%BD/"],
];
for (const [apiUrl, path, expected] of addresses) {
  test(`below ${apiUrl}, [${path.join(" ").toWellFormed()}] is ${expected}`, () => {
    assert.is(addressOf(apiUrl, path), expected);
  });
}

test("parameters are encoded, repeated for lists, and left out when undefined", () => {
  const query = { query: "is:resolved a&b=c", id: ["1", "2"], cursor: undefined, limit: 5 };
  assert.is(addressOf("http://h", ["x"], query), "http://h/api/0/x/?query=is%3Aresolved+a%26b%3Dc&id=1&id=2&limit=5");
});

for (const part of ["", ".", ".."]) {
  test(`a path with the part "${part}" is refused, because it would lead elsewhere`, () => {
    const { reason } = refusal(() => addressOf("http://h", ["projects", "acme", part]));
    assert.is(reason, ErrorReason.EXTERNAL_SETTINGS_INCOMPLETE);
  });
}

const bodies: [what: string, body: string, outcome: "read" | "footprint" | "notJson"][] = [
  ["a list", "[1,2]", "read"],
  ["a text of a mebibyte", JSON.stringify("x".repeat(mebi - 2)), "read"],
  [
    "a day of hours for 100 issues",
    JSON.stringify(listOf(100, () => listOf(24, () => [1_700_000_000, 12_345]))),
    "read",
  ],
  ["brackets inside a text", JSON.stringify("[{".repeat(1_000)), "read"],
  ["escaped quotes and brackets in a text", JSON.stringify('\\"[[[\\'.repeat(300)), "read"],
  ["a nest of 100 lists", "[".repeat(100) + "]".repeat(100), "read"],
  ["a nest of 101 lists", "[".repeat(101) + "]".repeat(101), "footprint"],
  ["a nest of 500,000 lists", "[".repeat(500_000) + "]".repeat(500_000), "footprint"],
  ["300,000 empty lists", `[${"[],".repeat(300_000)}[]]`, "footprint"],
  ["260,000 empty texts", `[${'"",'.repeat(260_000)}""]`, "footprint"],
  ["a text without an end", `["${"[".repeat(1_000)}`, "notJson"],
  ["a text that ends in a backslash", '["\\', "notJson"],
  ["nothing", "", "notJson"],
  ["HTML", "<!doctype html>", "notJson"],
];
for (const [what, body, outcome] of bodies) {
  test(`an answer with ${what} is ${outcome === "read" ? "read" : "refused"}`, () => {
    if (outcome === "read") return assert.equal(parsed(Buffer.from(body)), JSON.parse(body));
    const { reason, message } = refusal(() => parsed(Buffer.from(body)));
    assert.is(reason, ErrorReason.EXTERNAL_ANSWER_INVALID);
    assert.is(
      message,
      outcome === "notJson" ? "Unexpected Error" : "Sentry API response memory footprint is too big. Limit is 5 MB.",
    );
  });
}

test("the breaker opens at the fifth failure in a row, not at the fifth failure", () => {
  const breaker = new Breaker();
  for (let n = 0; n < 4; n++) breaker.failed(0);
  breaker.succeeded();
  for (let n = 0; n < 4; n++) breaker.failed(0);
  assert.is(breaker.waitMs(0), 0);
  breaker.failed(0);
  assert.is(breaker.waitMs(0), 10_000);
  assert.is(breaker.waitMs(9_999), 1);
  assert.is(breaker.waitMs(10_000), 0);
});

test("failures of calls that were on their way when it opened do not make the pause longer", () => {
  const breaker = new Breaker();
  for (let n = 0; n < 20; n++) breaker.failed(0);
  assert.is(breaker.waitMs(0), 10_000);
});

test("one trial is let through, and its end, whatever it was, lets the next", () => {
  const breaker = new Breaker();
  assert.not(breaker.begin());
  for (let n = 0; n < 5; n++) breaker.failed(0);
  assert.ok(breaker.begin());
  assert.ok(breaker.waitMs(10_000) > 0);
  breaker.trialEnded();
  assert.is(breaker.waitMs(10_000), 0);
  breaker.begin();
  breaker.failed(10_000);
  breaker.trialEnded();
  assert.is(breaker.waitMs(10_000), 20_000);
});

test("the memory of a project holds two mebibytes and drops the oldest first", () => {
  const memory = new AnswerMemory();
  const answer = (readAt: number) => ({ body: Buffer.alloc(300_000), headers: {}, readAt });
  for (let n = 0; n < 1_000; n++) memory.set(`http://h/${n}`, answer(n));
  assert.ok(memory.bytes <= 2 * mebi && memory.bytes > 1.5 * mebi, `${memory.bytes} bytes`);
  assert.ok(memory.get("http://h/999", 999));
  assert.is(memory.get("http://h/900", 999), undefined);
  for (let n = 0; n < 1_000; n++) memory.set("http://h/999", answer(n));
  assert.ok(memory.bytes > 1.5 * mebi, "an answer in the place of another drops nothing else");
  memory.clear();
  assert.is(memory.bytes, 0);
});

test("small answers count too, so that their number is bounded", () => {
  const memory = new AnswerMemory();
  for (let n = 0; n < 10_000; n++) memory.set(`http://h/${n}`, { body: Buffer.alloc(2), headers: {}, readAt: n });
  const kept = Array.from({ length: 10_000 }, (_, n) => memory.get(`http://h/${n}`, 10_000)).filter(Boolean);
  assert.ok(kept.length <= 2_048, `${kept.length} answers`);
});

test("the cache of all projects holds 32 mebibytes, and the projects asked for last keep theirs", async () => {
  const body = Buffer.from(JSON.stringify("x".repeat(900_000)));
  const clock = { now: () => 0 };
  const upstreams = new Upstreams({
    outbound: { request: async () => ({ status: 200, headers: {}, body, isPublic: true }) },
    clock,
    log: { info() {}, warn() {}, error() {} },
  });
  const link = { apiUrl: "http://h", token: "t", project: { id: "1", slug: "p", organizationSlug: "o" }, revision: 1 };
  const asker = { link, signal: new AbortController().signal };
  for (let projectId = 1; projectId <= 25; projectId++) {
    for (const path of [["a"], ["b"], ["c"]]) await upstreams.of(projectId, link).ask(asker, { path });
  }
  const bytes = Array.from({ length: 25 }, (_, n) => upstreams.of(n + 1, link).bytes);
  const total = bytes.reduce((sum, some) => sum + some, 0);
  assert.ok(total <= 32 * mebi && total > 24 * mebi, `${total} bytes`);
  assert.ok(bytes.every((some) => some <= 2 * mebi));
  assert.is(bytes[0], 0);
  assert.ok((bytes[24] ?? 0) > mebi);
});

test("the settled time is the newest known one before the running hour", () => {
  const hour = 3_600_000;
  const lastSeen = new LastSeen();
  assert.is(lastSeen.settled("1", 10 * hour + 5, undefined, 10 * hour + 10), undefined);
  assert.is(lastSeen.settled("1", 10 * hour + 9, 9 * hour, 10 * hour + 10), 9 * hour);
  assert.is(lastSeen.settled("1", 11 * hour + 1, 10 * hour, 11 * hour + 2), 10 * hour + 9);
  assert.is(lastSeen.settled("1", 11 * hour + 50, 10 * hour, 11 * hour + 51), 10 * hour + 9);
  assert.is(lastSeen.settled("1", 13 * hour, undefined, 14 * hour), 13 * hour);
  assert.is(lastSeen.settled("2", 14 * hour, undefined, 14 * hour), undefined);
});

test.run();

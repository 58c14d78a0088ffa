import { suite } from "uvu";
import * as assert from "uvu/assert";
import { threadMs } from "../../../support/service/thread-time.ts";
import { parametrise } from "../../../../plugins/integrated-backend/src/grouping/version-1/grouping.ts";

const parts = suite("parametrise");

const messages: [message: string, parametrised: string][] = [
  ["", ""],
  ["nothing varies here", "nothing varies here"],
  ["mail to ann.smith+x@mail.example.com failed", "mail to <email> failed"],
  ["GET https://h.example:8080/a/1?b=2#c failed", "GET <url> failed"],
  ["cannot open file:///tmp/a.txt", "cannot open <url>"],
  ["no route to 10.0.0.255", "no route to <ip>"],
  ["no route to 2001:db8:0:1:2:3:4:5", "no route to <ip>"],
  ["order 7c9e6679-7425-40de-944b-e07fc1f90ae7 is gone", "order <uuid> is gone"],
  [`commit ${"a1".repeat(20)} is missing`, "commit <sha1> is missing"],
  [`etag ${"a1".repeat(16)} differs`, "etag <md5> differs"],
  ["late since 2024-02-29", "late since <date>"],
  ["late since 2024-02-29T23:59:59.123Z", "late since <date>"],
  ["late since 2024-02-29 23:59:59,123+02:00", "late since <date>"],
  ["late since Thu, 29 Feb 2024 23:59:59 GMT", "late since <date>"],
  ["late since Thu Feb 29 2024 23:59:59 GMT+0100", "late since <date>"],
  ["at 9:05:01.5 sharp", "at <time> sharp"],
  ["took 12ms, then 1.5s", "took <duration>, then <duration>"],
  ["at address 0x7fFF12ab", "at address <hex>"],
  ["build deadbeef1 and DEADBEEF1", "build <hex> and <hex>"],
  ["the facade decade stays", "the facade decade stays"],
  ["ratio -0.25 of 1.0", "ratio <float> of <float>"],
  ["user 42 of -1", "user <int> of <int>"],
  ["user42 and utf8 stay", "user42 and utf8 stay"],
  [`key="a b" other='c'`, `key<quoted> other<quoted>`],
  ["dry_run=true force=False", "dry_run<bool> force<bool>"],
];

for (const [message, parametrised] of messages) {
  parts(`"${message}" becomes "${parametrised}"`, () => assert.is(parametrise(message), parametrised));
}

parts("only the first two lines that say something count", () => {
  assert.is(parametrise("\n  first 1 \r\n\n second 2\nthird"), "first <int>\nsecond <int>");
  assert.is(parametrise("first 1\nsecond\nthird"), parametrise("first 2\nsecond\nother"));
});

parts("only the first 1,024 characters count", () => {
  const start = "word ".repeat(210);
  assert.is(parametrise(`${start}one`), parametrise(`${start}two`));
});

parts("what is parametrised stays as it is", () => {
  for (const [, parametrised] of messages) assert.is(parametrise(parametrised), parametrised);
});

parts.run();

const attacks = suite("parametrise under attack");

const seeds = [
  "a",
  "a.",
  "a@",
  "a@a.",
  "a-",
  "http://",
  "1",
  "1.",
  "1:",
  "a1:",
  "f",
  "f1",
  "F",
  "0x",
  "-",
  "-1",
  "1234-12-12T",
  "12:12:12.",
  "Mon, 1 Jan ",
  "Monday ",
  "Mon Jan 1:",
  '="',
  "='",
  "=t",
  "=true",
  " ",
  "\n",
  "\r\n",
];
const endings = ["", "!", "@", "g", "\u0000"];
const attackBytes = 8 * 1024;

for (const seed of seeds) {
  attacks(`8 kB of ${JSON.stringify(seed)} are done with in no time`, () => {
    for (const ending of endings) {
      const message = seed.repeat(Math.ceil(attackBytes / seed.length)) + ending;
      const ms = threadMs(() => parametrise(message));
      assert.ok(ms < 50, `${ms} ms with ${JSON.stringify(ending)} at the end`); // measured: at most 0.5 ms
    }
  });
  attacks(`the first 1,024 characters ending in the middle of ${JSON.stringify(seed)} are done with in no time`, () => {
    for (const ending of endings) {
      const message = seed.repeat(Math.ceil(1023 / seed.length)).slice(0, 1024 - ending.length) + ending;
      assert.ok(threadMs(() => parametrise(message)) < 50, JSON.stringify(ending));
    }
  });
}

attacks.run();

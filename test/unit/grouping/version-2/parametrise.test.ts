import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parametrise } from "../../../../plugins/sentry-event/src/grouping/parametrise.ts";
import { threadMs } from "../../../support/service/thread-time.ts";

const lists = suite("messages of one error");

interface Entry {
  readonly name: string;
  readonly errors: number;
  readonly messages: readonly string[];
}

const entries = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../fixtures/grouping/messages.json"), "utf8"),
) as readonly Entry[];

for (const { name, errors, messages } of entries)
  lists(`${name}: ${errors}`, () => assert.is(new Set(messages.map(parametrise)).size, errors));

lists.run();

const parts = suite("parametrise");

/** Split, because another test looks for the names of machines in files. */
const home = "/home";

/** Messages that are the same but for what varies, and what is left of them. */
const alike: [parametrised: string, ...messages: string[]][] = [
  ["", ""],
  ["nothing varies here", "nothing varies here"],
  ["mail to <email> failed", "mail to ann.smith+x@mail.example.com failed", "mail to bob@b.org failed"],
  [
    "GET <url> failed",
    "GET https://h.example:8080/a/1?b=2#c failed",
    "GET redis://10.0.0.1:6379/3 failed",
    "GET s3://b/k failed",
  ],
  ["cannot open <url>", "cannot open file:///tmp/a.txt", "cannot open amqp+ssl://q"],
  [
    "no route to <ip>",
    "no route to 10.0.0.255",
    "no route to ::1",
    "no route to fe80::1%eth0",
    "no route to 10.0.0.1:80",
  ],
  [
    "no route to <ip>",
    "no route to 2001:db8:0:1:2:3:4:5",
    "no route to [2001:db8::1]:443",
    "no route to ::ffff:10.0.0.1",
  ],
  ["in <ip> now", "in 10.0.0.0/8 now", "in 2001:db8::/32 now"],
  ["at <host>", "at db-1.internal:5432", "at cache.shop.svc.cluster.local", "at localhost:3000", "at api.example.com"],
  ["at <host>", "at redis-7:6379", "at a.b.example.io", "at ip-10-0-0-1.ec2.internal"],
  [
    "order <uuid> is gone",
    "order 7c9e6679-7425-40de-944b-e07fc1f90ae7 is gone",
    "order 00000000-0000-4000-8000-00000000000A is gone",
  ],
  [
    "commit <hex> is missing",
    `commit ${"a1".repeat(20)} is missing`,
    "commit bc4d03f8 is missing",
    "commit 9dfd856 is missing",
  ],
  ["etag <hex> differs", `etag ${"a1".repeat(16)} differs`, `etag ${"0F".repeat(32)} differs`],
  [
    "late since <date>",
    "late since 2024-02-29",
    "late since 2024-02-29T23:59:59.123Z",
    "late since 2024-02-29 23:59:59,123+02:00",
  ],
  [
    "late since <date>",
    "late since 2024-02-29T23:59:59.123456789 +0100 CET",
    "late since 2024.02.29",
    "late since 29.02.2024",
  ],
  ["late since <date>", "late since 02/29/2024 11:59 PM", "late since 29-02-2024", "late since 2024/2/9"],
  [
    "late since <date>",
    "late since Thu, 29 Feb 2024 23:59:59 GMT",
    "late since Thursday, 29-Feb-24 23:59:59 UTC",
    "late since 29 Feb 24 23:59 CET",
  ],
  [
    "late since <date>",
    "late since Thu Feb 29 2024 23:59:59 GMT+0100",
    "late since Thu Feb 29 23:59:59 2024",
    "late since Thu Feb 29 23:59:59 MST 2024",
  ],
  [
    "late since <date>",
    "late since Thu Feb 29 23:59:59 -0700 2024",
    "late since Feb 29, 2024 3:04 PM",
    "late since February 9, 2024",
  ],
  ["late since <date>", "late since Feb  9 23:59:59.000", "late since 20240229T235959Z", "late since 20240229T2359"],
  ["late since <date>", "late since datetime.date(2024, 2, 29)", "late since Timestamp('2024-02-29 00:00:00')"],
  ["at <time> sharp", "at 9:05:01.5 sharp", "at 23:59:59 sharp", "at 3:04PM sharp", "at 9 am sharp"],
  [
    "took <duration>",
    "took 12ms",
    "took 1.5s",
    "took 1m30.5s",
    "took 2h45m",
    "took 7d",
    "took 3 seconds",
    "took 1 minute",
  ],
  ["took <iso>", "took PT1H30M", "took P1DT2.5S"],
  ["at address <hex>", "at address 0x7fFF12ab", "at address 0x0"],
  ["build <hex> and <hex>", "build deadbeef1 and DEADBEEF1", "build 9af8 and 1BC2"],
  ["the facade decade stays", "the facade decade stays"],
  ["ratio <float> of <float>", "ratio -0.25 of 1.0", "ratio 1e-7 of 2.25e10"],
  ["user <int> of <int>", "user 42 of -1", "user 1,234,567 of +5", "user 7 of 0"],
  ["used <percent> of <size>", "used 91% of 10 MB", "used 7.5 % of 1.5GiB", "used 100% of 12 bytes"],
  ["node <version> is old", "node 18.20.4 is old", "node v26.12.1 is old", "node 1.0.0-rc.1 is old"],
  ["worker-<int> and key user_<int>", "worker-12 and key user_7", "worker-7 and key user_12"],
  ["user<int> is gone", "user42 is gone", "user1234 is gone"],
  ["utf8, sha256, base64, ipv6, step2 and log4j stay", "utf8, sha256, base64, ipv6, step2 and log4j stay"],
  ["invoice <id>", "invoice k9Mtd2gDcgG", "invoice 01ARZ3NDEKTSV4RRFFQ69G5FAV", "invoice ch_3MtwBwLkdIwHu7ix28a3tqPa"],
  ["invoice <id>", "invoice cjld2cjxh0000qzrmn831i7rn", "invoice V1StGXR8_Z5jdHi6B-myT"],
  [
    "token <jwt> is bad",
    "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def-ghi is bad",
    "token eyJ0eXAiOiJKV1QifQ.eyJzdWIiOiIyIn0.x is bad",
  ],
  [
    "trace <trace>",
    "trace 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "trace 1-67891233-abcdef012345678912345678",
  ],
  ["pod cart-<pod> died", "pod cart-7d9f8b6c5d-x2k4q died", "pod cart-5b8c7d9f6a-a1b2c died"],
  ["no file /home/<user>/a.txt", `no file ${home}/ann/a.txt`, `no file ${home}/bob/a.txt`],
  ["no file C:\\Users/<user>\\a.txt", "no file C:\\Users\\ann\\a.txt", "no file C:\\Users\\bob\\a.txt"],
  ["no file /tmp/<temporary>", "no file /tmp/tmpab12cd", "no file /tmp/x7.txt"],
  ["no file /data/<int>/a.txt", "no file /data/17/a.txt", "no file /data/9931/a.txt"],
  ["nic <mac> is down", "nic 00:1A:2B:3C:4D:5E is down", "nic aa-bb-cc-dd-ee-01 is down"],
  ["lock Cart@<hex> is held", "lock Cart@6b3f1e9 is held", "lock Cart@5c0a77d is held"],
  ["ids (<int>)", "ids (1, 2, 3)", "ids (4,5)", "ids (17)"],
  ["key=<quoted> other=<quoted>", `key="a b" other='c'`],
  ["dry_run=<bool> force=<bool>", "dry_run=true force=False", "dry_run=False force=True"],
  ["first <int>\nsecond <int>", "\n  first 1 \r\n\n second 2\nthird"],
];

for (const [parametrised, ...messages] of alike)
  for (const message of messages)
    parts(`"${message}" becomes "${parametrised}"`, () => assert.is(parametrise(message), parametrised));

/** Messages that must be told from one another. */
const unlike: readonly (readonly string[])[] = [
  ["Fee::add() called", "Bee::buzz() called", "Dead::bead() called"],
  ["disk is full", "disk is slow"],
  ["no such key: name", "no such key: price"],
  ["cannot read properties of undefined (reading 'price')", "cannot read properties of undefined (reading 'name')"],
  ["com.acme.Cart is null", "com.acme.Order is null", "shop.cart.total is null"],
  ["module a.js failed", "module b.js failed"],
  ["phase1 failed", "phase2 failed"],
  ["HTTP2 failed", "OAuth2Client failed", "Base64Encoder failed", "UserV2Handler failed"],
  ["no method getTotalPrice", "no method setTotalPrice"],
  ["I am Monday", "I am Tuesday"],
];

for (const messages of unlike)
  parts(`${messages.join(" | ")} stay ${messages.length}`, () =>
    assert.is(new Set(messages.map(parametrise)).size, messages.length),
  );

parts("only the first 1,024 characters count", () => {
  const start = "word ".repeat(210);
  assert.is(parametrise(`${start}one`), parametrise(`${start}two`));
});

parts("what is parametrised stays as it is", () => {
  for (const [parametrised] of alike) assert.is(parametrise(parametrised), parametrised);
});

parts.run();

const attacks = suite("parametrise under attack");

const seeds = [
  ..."a|a.|a@|a@a.|a-|http://|1|1.|1:|a1:|f|f1|F|0x|-|-1|1234-12-12T|12:12:12.|Mon, 1 Jan |Monday |Mon Jan 1:|=\"|='|=t".split(
    "|",
  ),
  ..."=true| |\n|\r\n|Jan |Jan 1 |1 Jan |a.com.|::|f::|1::|a1|A1a|a1a1|eyJaaaaaaaa.|/tmp/|/home/|P1D|1h|1 |1,|1,111|<int>,|<int>, |_1|1_|a_1|[::|GMT|(a |%|datetime.datetime(|user|user1".split(
    "|",
  ),
];
const endings = ["", "!", "@", "g", "\u0000"];
const attackBytes = 8 * 1024;

for (const seed of seeds) {
  attacks(`8 kB of ${JSON.stringify(seed)} are done with in no time`, () => {
    for (const ending of endings) {
      for (const length of [attackBytes, 1024 - ending.length]) {
        const message = seed.repeat(Math.ceil(length / seed.length)).slice(0, length) + ending;
        const ms = threadMs(() => parametrise(message));
        assert.ok(ms < 50, `${ms} ms with ${JSON.stringify(ending)} at the end`);
      }
    }
  });
}

attacks.run();

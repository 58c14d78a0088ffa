import { test } from "uvu";
import * as assert from "uvu/assert";
import { unclearTexts } from "../../support/external/refused-urls.ts";
import { readTarget, type Target } from "../../../backend/src/host/outbound/connect.ts";

const target = (fields: Partial<Target>): Target => ({
  isTls: false,
  host: "h.test",
  port: 80,
  authority: "h.test",
  path: "/",
  ...fields,
});

const read: [url: string, expected: Target][] = [
  ["http://h.test", target({})],
  ["HTTP://H.Test", target({})],
  ["http://h.test.", target({})],
  ["https://h.test/", target({ isTls: true, port: 443 })],
  ["https://h.test:443/a", target({ isTls: true, port: 443, path: "/a" })],
  ["http://h.test:9000/a/b?c=d%20e", target({ port: 9000, authority: "h.test:9000", path: "/a/b?c=d%20e" })],
  ["http://h.test.:9000", target({ port: 9000, authority: "h.test:9000" })],
  ["http://h.test/it's(1)!*~%2F", target({ path: "/it's(1)!*~%2F" })],
  ["http://h.test/?q=it's", target({ path: "/?q=it%27s" })],
  ["http://127.1/", target({ host: "127.0.0.1", authority: "127.0.0.1" })],
  ["http://2130706433", target({ host: "127.0.0.1", authority: "127.0.0.1" })],
  ["http://127.0.0.1.:9000", target({ host: "127.0.0.1", authority: "127.0.0.1:9000", port: 9000 })],
  ["https://[2A00::0001]:9000", target({ isTls: true, host: "2a00::1", port: 9000, authority: "[2a00::1]:9000" })],
  ["http://[::ffff:127.0.0.1]", target({ host: "::ffff:7f00:1", authority: "[::ffff:7f00:1]" })],
  ["http://h.test:0", target({ port: 0, authority: "h.test:0" })],
  ["http://xn--bcher-kva.test", target({ host: "xn--bcher-kva.test", authority: "xn--bcher-kva.test" })],
];
for (const [url, expected] of read) test(`${url} is read`, () => assert.equal(readTarget(url), expected));

/** Requests have queries and paths; a setting has neither. */
const fineInRequests = /\?x=1$|\/;x$|\/\/a$/;
for (const text of unclearTexts.filter((one) => !fineInRequests.test(one))) {
  test(`${JSON.stringify(text.slice(0, 60))} is not read`, () => assert.is(readTarget(text), undefined));
}

test("a URL of 2,048 characters is read, a longer one is not", () => {
  const url = `http://h.test/${"a".repeat(2048 - 14)}`;
  assert.is(readTarget(url)?.path.length, 2048 - 13);
  assert.is(readTarget(`${url}a`), undefined);
});

test("a name of 253 characters is read, a longer one or one with a part of 64 is not", () => {
  const name = `${"a".repeat(61)}.`.repeat(4).slice(0, -1) + ".test1"; // 253
  assert.is(name.length, 253);
  assert.is(readTarget(`http://${name}`)?.host, name);
  assert.is(readTarget(`http://a${name}`), undefined);
  assert.is(readTarget(`http://${"a".repeat(64)}.test`), undefined);
});

test.run();

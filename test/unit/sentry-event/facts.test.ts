import { readEventFacts } from "@faultline/sentry-event";
import { test } from "uvu";
import * as assert from "uvu/assert";

/** The facts by which the events of an error are compared. */

type Event = Parameters<typeof readEventFacts>[0];

const agent = (userAgent: string): Event => ({ request: { headers: { "User-Agent": userAgent } } });
const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";

const table: [name: string, event: Event, derived: Record<string, string>][] = [
  [
    "Chrome",
    agent(`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/131.0 Safari/537.36`),
    { browser: "Chrome", os: "Linux" },
  ],
  [
    "Edge",
    agent(`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/131.0 Safari/537.36 Edg/131.0`),
    { browser: "Edge", os: "Windows" },
  ],
  [
    "Opera",
    agent(`Mozilla/5.0 (Macintosh) ${webkit} Chrome/131.0 Safari/537.36 OPR/115.0`),
    { browser: "Opera", os: "macOS" },
  ],
  [
    "Firefox",
    agent("Mozilla/5.0 (Windows NT 10.0; rv:131.0) Gecko/20100101 Firefox/131.0"),
    { browser: "Firefox", os: "Windows" },
  ],
  [
    "Safari",
    agent(`Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${webkit} Version/18.1 Safari/604.1`),
    { browser: "Safari", os: "iOS" },
  ],
  ["a program", agent("curl/8.5.0"), {}],
  [
    "a context before the User-Agent",
    { ...agent("Mozilla/5.0 (Linux) Firefox/131.0"), contexts: { browser: { name: "Brave" }, os: { name: "Debian" } } },
    { browser: "Brave", os: "Debian" },
  ],
  ["a tag before a context", { tags: { os: "own" }, contexts: { os: { name: "Linux" } } }, {}],
  [
    "a page without its query",
    { request: { url: "https://shop.example/a?token=1#b" } },
    { url: "https://shop.example/a" },
  ],
  ["a handled exception", { exception: { values: [{ mechanism: { handled: true } }] } }, { handled: "yes" }],
  [
    "the exception that was caught last",
    { exception: { values: [{ mechanism: { handled: true } }, { mechanism: { handled: false } }] } },
    { handled: "no" },
  ],
  [
    "a runtime and a device",
    { contexts: { runtime: { name: "node", version: "26.1.0" }, device: { family: "iPad" } } },
    { runtime: "node 26.1.0", device: "iPad" },
  ],
  ["fields of other types", { request: [], contexts: "x", exception: 7, transaction: {} }, {}],
];

for (const [name, event, derived] of table) {
  test(`derived of ${name}`, () => assert.equal(readEventFacts(event).derived, derived));
}

test("host and site are tags, and names are the names of the user", () => {
  const { tags, user } = readEventFacts({
    server_name: "web-1",
    site: "eu",
    tags: { a: "1" },
    user: { id: 7, name: "Ann" },
  });
  assert.equal(tags, { a: "1", server_name: "web-1", site: "eu" });
  assert.equal(user, { id: "7", username: "Ann", email: "", ipAddress: "" });
});

test.run();

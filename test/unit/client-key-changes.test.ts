import { create } from "@bufbuild/protobuf";
import { ServiceError } from "@faultline/plugin";
import { UpdateClientKeyRequestSchema, type UpdateClientKeyRequest } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { originsOf, type ClientKeyRow } from "../../backend/src/services/tables/client-key.ts";
import { applyChanges, allowsOrigin, readOrigins } from "../../backend/src/services/client-keys/client-keys.ts";

const test = suite("changes of a client key");

const allowed = ["https://example.com", "https://*.example.com", "http://localhost:3000", "https://*.example.org:8443"];

for (const [sent, isAllowed] of [
  ["https://example.com", true],
  ["https://EXAMPLE.com:443", true],
  ["https://example.com/path?of=a#referer", true],
  ["http://example.com", false],
  ["https://example.com:8443", false],
  ["https://a.example.com", true],
  ["https://a.b.example.com", true],
  ["https://evilexample.com", false],
  ["https://example.com.evil.net", false],
  ["https://.example.com", false],
  ["https://user@evil.net/.example.com", false],
  ["http://localhost:3000", true],
  ["http://localhost", false],
  ["https://a.example.org:8443", true],
  ["https://example.org:8443", false],
  ["https://a.example.org", false],
  ["null", false],
  ["", false],
  ["app://example.com", false],
  [undefined, true],
] as const) {
  test(`a page of ${sent} ${isAllowed ? "may" : "may not"} send`, () => {
    assert.is(allowsOrigin(allowed, sent), isAllowed);
    assert.is(allowsOrigin([], sent), true);
  });
}

test("origins are stored as browsers write them, each once", () => {
  const origins = readOrigins([" https://Example.com/ ", "https://example.com:443", "https://*.BÜCHER.example:8443"]);
  assert.equal(origins, ["https://example.com", "https://*.xn--bcher-kva.example:8443"]);
  assert.equal(originsOf({ allowedOrigins: origins.join(" ") }), origins);
  assert.equal(originsOf({ allowedOrigins: "" }), []);
});

/** A key's row as far as it can be changed. */
const row = (fields: Partial<ClientKeyRow> = {}) =>
  ({ active: true, eventsPerMinute: 0, eventsPerDay: 0, allowedOrigins: "", ...fields }) as ClientKeyRow;

type Fields = Partial<Omit<UpdateClientKeyRequest, "$typeName" | "allowedOrigins">> & { origins?: string[] };
const request = ({ origins, ...fields }: Fields) =>
  create(UpdateClientKeyRequestSchema, { ...fields, ...(origins && { allowedOrigins: { origins } }) });

for (const [claim, stored, fields, field, sentence] of [
  ["too many events a minute", {}, { eventsPerMinute: 1_000_001 }, "events_per_minute", /1 to 1,000,000 events/],
  ["too many events a day", {}, { eventsPerDay: 100_000_001 }, "events_per_day", /1 to 100,000,000 events/],
  [
    "a minute above the day",
    {},
    { eventsPerMinute: 11, eventsPerDay: 10 },
    "events_per_minute",
    /\(11\) is above .*\(10\)/,
  ],
  [
    "a minute above the stored day",
    { eventsPerDay: 10 },
    { eventsPerMinute: 11 },
    "events_per_minute",
    /Lower the first/,
  ],
  [
    "a day below the stored minute",
    { eventsPerMinute: 11 },
    { eventsPerDay: 10 },
    "events_per_day",
    /raise the second/,
  ],
  [
    "no scheme",
    {},
    { origins: ["example.com"] },
    "allowed_origins",
    /"example.com" is not an origin: write only the scheme and the host/,
  ],
  ["a path", {}, { origins: ["https://example.com/app"] }, "allowed_origins", /is not an origin/],
  ["another scheme", {}, { origins: ["ftp://example.com"] }, "allowed_origins", /is not an origin/],
  ["a star in the middle", {}, { origins: ["https://a.*.com"] }, "allowed_origins", /is not an origin/],
  ["a star alone", {}, { origins: ["*"] }, "allowed_origins", /is not an origin/],
  ["a user", {}, { origins: ["https://me@example.com"] }, "allowed_origins", /is not an origin/],
  ["a bad port", {}, { origins: ["https://example.com:99999"] }, "allowed_origins", /is not an origin/],
  ["nothing", {}, { origins: [""] }, "allowed_origins", /An empty line is not an origin/],
  [
    "21 origins",
    {},
    { origins: Array.from({ length: 21 }, (_, n) => `https://${n}.example`) },
    "allowed_origins",
    /at most 20/,
  ],
] as const satisfies [string, Partial<ClientKeyRow>, Fields, string, RegExp][]) {
  test(`${claim} is refused in a sentence, and nothing is changed`, () => {
    const before = row(stored);
    const changed = row(stored);
    try {
      applyChanges(changed, request({ active: false, ...fields }));
      assert.unreachable("it was not refused");
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      assert.is(error.field, field);
      assert.match(error.message, sentence);
    }
    assert.equal(changed, before);
  });
}

test("omitted fields keep their values, and 0 removes a limit", () => {
  const changed = row({ eventsPerMinute: 5, eventsPerDay: 50, allowedOrigins: "https://example.com" });
  applyChanges(changed, request({ eventsPerDay: 0 }));
  assert.equal(changed, row({ eventsPerMinute: 5, allowedOrigins: "https://example.com" }));
  applyChanges(changed, request({ active: false, origins: [] }));
  assert.equal(changed, row({ active: false, eventsPerMinute: 5 }));
});

test.run();

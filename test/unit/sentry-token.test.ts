import { suite } from "uvu";
import * as assert from "uvu/assert";
import { plainSpelling, sentrySpelling, publicOrigin } from "../../backend/src/services/access/sentry-token.ts";
import { newToken } from "../../backend/src/services/access/tokens.ts";

const spelling = suite("tokens as Sentry's tools spell them");

const claims = { origin: "https://errors.example.com", organization: "acme", now: 1_700_000_000_500 };

spelling("a token of ours has the spelling that sentry-cli takes, and is read back from it", () => {
  for (let n = 0; n < 200; n++) {
    const token = newToken("accessToken");
    const spelled = sentrySpelling(token, claims) ?? "";
    const [prefix, payload = "", secret = "", ...others] = spelled.split("_");
    assert.equal([prefix, others], ["sntrys", []]);
    assert.equal(JSON.parse(Buffer.from(payload, "base64").toString()), {
      iat: 1_700_000_000.5,
      url: claims.origin,
      region_url: claims.origin,
      org: "acme",
    });
    assert.is(payload.length % 4, 0, "padded");
    const bytes = Buffer.from(secret, "base64");
    assert.equal([secret.length, bytes.length], [43, 32]);
    assert.is(bytes.toString("base64").replace("=", ""), secret, "no bits are left over");
    assert.is(plainSpelling(spelled), token);
  }
});

const token = `flp_${"0".repeat(36)}2gwjvH`;

for (const [what, other] of [
  ["one that an operator chose", "flp_test-token-of-the-administrator"],
  ["one of an older form", `flp_${"a".repeat(40)}`],
  ["a session's", `fls_${"a".repeat(42)}`],
] as const) {
  spelling(`${what} has no such spelling`, () => assert.is(sentrySpelling(other, claims), undefined));
}

spelling("none is longer than a token may be", () => {
  assert.is(sentrySpelling(token, { ...claims, organization: "a".repeat(800) }), undefined);
});

const spelled = sentrySpelling(token, claims) ?? "";
for (const [what, sent] of [
  ["a plain token", token],
  ["a secret that is too short", spelled.replace(/.A$/, "A")],
  ["a secret with another end", spelled.replace(/A$/, "E")],
  ["a third underscore", `${spelled}_`],
  ["no claims", `sntrys__${"0".repeat(42)}A`],
  ["claims that are no base64", `sntrys_{}_${"0".repeat(42)}A`],
  ["one of Sentry", `sntrys_e30=_${"+".repeat(43)}`],
  ["a megabyte", "sntrys_".padEnd(1_000_000, "x")],
  ["nothing", ""],
] as const) {
  spelling(`${what} stays as it is`, () => assert.is(plainSpelling(sent), sent));
}

for (const [baseUrl, host, origin] of [
  ["https://errors.example.com:443/", "0.0.0.0", "https://errors.example.com"],
  [undefined, "127.0.0.1", "http://127.0.0.1:8080"],
  [undefined, "0.0.0.0", undefined],
  [undefined, "::", undefined],
] as const) {
  spelling(`the origin of ${host} with the base URL ${baseUrl} is ${origin}`, () =>
    assert.is(publicOrigin({ baseUrl, http: { host } }, baseUrl ?? "http://127.0.0.1:8080"), origin),
  );
}

spelling.run();

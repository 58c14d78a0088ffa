import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hasWrongChecksum, isSessionToken, newToken } from "../../backend/src/services/access/tokens.ts";

const tokens = suite("tokens");

const kinds = [
  ["session", "fls_"],
  ["accessToken", "flp_"],
  ["invitation", "fli_"],
  ["passwordReset", "flr_"],
] as const;

for (const [kind, prefix] of kinds) {
  tokens(`a new ${kind} token begins with ${prefix} and has a right checksum`, () => {
    const token = newToken(kind);
    assert.match(token, new RegExp(`^${prefix}[0-9A-Za-z]{42}$`));
    assert.not(hasWrongChecksum(token));
    assert.is(isSessionToken(token), kind === "session");
  });
}

tokens("no two tokens are alike", () => {
  assert.is(new Set(Array.from({ length: 1000 }, () => newToken("session"))).size, 1000);
});

tokens("a token with any one character changed has a wrong checksum", () => {
  const token = newToken("accessToken");
  for (let place = 4; place < token.length; place++) {
    const other = token[place] === "x" ? "y" : "x";
    assert.ok(hasWrongChecksum(token.slice(0, place) + other + token.slice(place + 1)), `place ${place}`);
  }
});

// CRC32 and base62 of Python's zlib: what a scanner computes on its own must agree.
const right = [`flp_${"0".repeat(36)}2gwjvH`, "fls_abcdefghijklmnopqrstuvwxyz01234567890gASSL"];
for (const token of right) tokens(`the checksum of ${token} is right`, () => assert.not(hasWrongChecksum(token)));

const withoutChecksum = [
  ["an older token", `flp_${"a".repeat(40)}`],
  ["a token that an operator chose", "flp_test-token-of-the-administrator"],
  ["a client key", "0".repeat(32)],
  ["nothing", ""],
  ["a megabyte", "x".repeat(1_000_000)],
] as const;

for (const [what, token] of withoutChecksum) {
  tokens(`${what} has no checksum that could be wrong`, () => assert.not(hasWrongChecksum(token)));
}

tokens.run();

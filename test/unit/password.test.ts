import { availableParallelism } from "node:os";
import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hashPassword, newPassword, verifyPassword } from "../../backend/src/services/accounts/password.ts";
import { refusal } from "../support/assert/refusal.ts";

const password = suite("password");

const lengths: [password: string, what: string, isAllowed: boolean][] = [
  ["", "no password", false],
  ["x".repeat(11), "11 bytes", false],
  ["x".repeat(12), "12 bytes", true],
  ["ä".repeat(6), "6 letters of 2 bytes", true],
  ["x".repeat(1024), "1,024 bytes", true],
  ["x".repeat(1025), "1,025 bytes", false],
  ["ä".repeat(513), "513 letters of 2 bytes", false],
];

for (const [text, what, isAllowed] of lengths) {
  password(`${what} ${isAllowed ? "may" : "may not"} be set as a password`, () => {
    if (isAllowed) {
      assert.is(newPassword(text), text);
      return;
    }
    const { reason, field } = refusal(() => newPassword(text, "new_password"));
    assert.equal([reason, field], [ErrorReason.INVALID_FIELD, "new_password"]);
  });
}

password("a hash is made by its own password alone, and no two are alike", async () => {
  const hash = await hashPassword("correct horse battery");
  assert.ok(await verifyPassword("correct horse battery", hash));
  assert.not(await verifyPassword("correct horse batterY", hash));
  assert.not(await verifyPassword("", hash));
  assert.is.not(hash, await hashPassword("correct horse battery"));
});

password(
  "nothing is right without a hash, and a password too long for any is wrong even where it was hashed",
  async () => {
    const long = "x".repeat(1025);
    assert.not(await verifyPassword("", undefined));
    assert.not(await verifyPassword("", ""));
    assert.not(await verifyPassword(long, await hashPassword(long)));
    assert.not(await verifyPassword("x".repeat(1_000_000), await hashPassword("")));
  },
);

password(
  "of 100 hashes at once one is made on two cores and two on more, 50 wait, and the others are refused",
  async () => {
    const all = await Promise.allSettled(Array.from({ length: 100 }, () => verifyPassword("flood", undefined)));
    const refused = all.filter((one) => one.status === "rejected").map(({ reason }) => reason as unknown);
    assert.is(refused.length, availableParallelism() > 2 ? 48 : 49);
    for (const one of refused) {
      assert.instance(one, ServiceError);
      assert.is((one as ServiceError).reason, ErrorReason.TOO_MANY_ATTEMPTS);
    }
    assert.not(await verifyPassword("later", undefined));
  },
);

password.run();

// quiet: sign-ins must arrive faster than passwords are hashed
import { ErrorReason } from "@faultline/proto";
import type { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { movableFaultline, newUser } from "../../support/service/movable-faultline.ts";

const { client } = await movableFaultline();
const { accounts } = client;

test("of 100 sign-ins of different people at once some are refused, and then everybody signs in again", async () => {
  const attempts = Array.from({ length: 100 }, (_, n) =>
    accounts.signIn({ username: `crowd-${n}`, password: "guess" }).then(
      () => ErrorReason.UNSPECIFIED,
      ({ reason }: CallError) => reason,
    ),
  );
  const reasons = new Set(await Promise.all(attempts));
  const expected = [ErrorReason.WRONG_CREDENTIALS, ErrorReason.TOO_MANY_ATTEMPTS];
  assert.equal([...reasons].toSorted(), expected.toSorted());
  const { session } = await newUser(client);
  assert.ok(await accounts.getCurrentUser({}, session));
});

test.run();

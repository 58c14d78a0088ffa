// quiet: sign-ins must arrive faster than passwords are hashed
import { ErrorReason } from "@faultline/proto";
import type { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { movableFaultline, newUser } from "../../support/service/movable-faultline.ts";

const { client } = await movableFaultline();
const { accounts } = client;

test("of 100 simultaneous sign-ins of different people some are refused, and then everybody signs in again", async () => {
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

/** The reasons of simultaneous guesses at unknown names from the /64s of one /48. */
function guesses(count: number, of = "nobody"): Promise<ErrorReason[]> {
  const attempts = Array.from({ length: count }, (_, n) =>
    accounts
      .signIn({ username: `${of}-${n}`, password: "guess", clientAddress: `2001:db8:7:${n.toString(16)}::1` })
      .then(
        () => ErrorReason.UNSPECIFIED,
        ({ reason }: CallError) => reason,
      ),
  );
  return Promise.all(attempts);
}

const how: [what: string, from: (deviceToken: string) => { deviceToken?: string; clientAddress: string }][] = [
  ["on a known device", (deviceToken) => ({ deviceToken, clientAddress: "2001:db8:7:ffff::9" })],
  ["in a network where they signed in before", () => ({ clientAddress: "192.0.2.9" })],
  ["on another network", () => ({ clientAddress: "198.51.100.9" })],
];
for (const [what, from] of how) {
  test(`people sign in ${what} while a /48 guesses at names`, async () => {
    const { username, password } = await newUser(client);
    const { deviceToken } = await accounts.signIn({ username, password, clientAddress: "192.0.2.9" });
    const guessing = guesses(200, what);
    for (let n = 0; n < 3; n++) assert.ok(await accounts.signIn({ username, password, ...from(deviceToken) }));
    const reasons = await guessing;
    assert.ok(reasons.includes(ErrorReason.TOO_MANY_ATTEMPTS), "some guesses were refused");
  });
}

test("12 simultaneous sign-ins of one person, each on a separate device, let another person go first", async () => {
  const [busy, other] = [await newUser(client), await newUser(client)];
  const devices: string[] = [];
  for (let n = 0; n < 12; n++) devices.push((await accounts.signIn(signInOf(busy))).deviceToken);
  const { deviceToken } = await accounts.signIn(signInOf(other));
  const order: string[] = [];
  const signIn = (name: string, attempt: Parameters<typeof accounts.signIn>[0]) =>
    accounts.signIn(attempt).then(
      () => order.push(name),
      () => order.push("refused"),
    );
  const all = devices.map((device) => signIn("busy", { ...signInOf(busy), deviceToken: device }));
  all.push(signIn("other", { ...signInOf(other), deviceToken }));
  await Promise.all(all);
  const done = order.filter((name) => name !== "refused");
  assert.ok(done.indexOf("other") >= 0 && done.indexOf("other") <= 2, order.join());
});

const signInOf = ({ username, password }: { username: string; password: string }) => ({ username, password });

test("a sign-in that is refused because too many wait does not count for the device", async () => {
  const { username, password } = await newUser(client);
  const { deviceToken } = await accounts.signIn({ username, password });
  const attempt = { username, password: "guess", deviceToken };
  await Promise.allSettled(Array.from({ length: 10 }, () => accounts.signIn(attempt))); // 6 are checked
  assert.ok(await accounts.signIn({ username, password, deviceToken }));
});

test.run();

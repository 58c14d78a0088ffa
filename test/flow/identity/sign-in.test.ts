import { ErrorReason } from "@faultline/proto";
import type { CallError } from "@faultline/proto/grpc";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { StartRefusal } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { movableFaultline, newUser } from "../../support/service/movable-faultline.ts";
import { rejects } from "../../support/assert/rejects.ts";

const { client, clock } = await movableFaultline();
const { accounts, users } = client;

test.before.each(() => {
  clock.at += 60_000; // attempts of the test before are forgiven
});

const contentOf = ({ reason, message, field }: CallError) => [reason, message, field];

test("a person signs in by user name or e-mail address, without regard to case", async () => {
  const { username, password } = await newUser(client, { email: "Ada@example.com" });
  for (const name of [username, username.toUpperCase(), "Ada@example.com", "aDA@EXAMPLE.COM"]) {
    const { user } = await accounts.signIn({ username: name, password });
    assert.equal([user?.username, user?.email], [username, "Ada@example.com"]);
    assert.is(timestampMs(user?.lastSignInTime ?? (assert.unreachable() as never)), clock.at);
  }
});

test("nobody signs in with an empty name or as one of the many without an e-mail address", async () => {
  for (const username of ["", "@"]) {
    await rejects(accounts.signIn({ username, password: "whatever it is" }), "UNAUTHENTICATED");
  }
});

test("unknown names, wrong passwords, blocked users and users without a password get the same refusal", async () => {
  const { userId, username, password } = await newUser(client);
  await users.updateUser({ userId, isBlocked: true }, client.auth);
  await users.createUser({ username: "no-password" }, client.auth);
  const attempts = [
    { username: "nobody", password: "guess" },
    { username: "nobody@example.com", password: "guess" },
    { username: "root", password: "guess" },
    { username: "root", password: "x".repeat(1_025) },
    { username: "root", password: "" },
    { username, password },
    { username: "no-password", password: "" },
  ];
  const refusals = await Promise.all(attempts.map((attempt) => rejects(accounts.signIn(attempt), "UNAUTHENTICATED")));
  assert.equal(
    refusals.map(contentOf),
    attempts.map(() => [ErrorReason.WRONG_CREDENTIALS, "Wrong user name or password.", ""]),
  );
});

test("after ten guesses from one network a name waits there for a minute, for the right password too, and is free then", async () => {
  const { username, password } = await newUser(client);
  for (let n = 0; n < 10; n++) await rejects(accounts.signIn({ username, password: "guess" }), "UNAUTHENTICATED");
  const refusal = await rejects(accounts.signIn({ username, password }), "RESOURCE_EXHAUSTED");
  assert.is(refusal.reason, ErrorReason.TOO_MANY_ATTEMPTS);
  clock.at += 60_000;
  assert.ok(await accounts.signIn({ username, password }));
});

test("ten guesses at a name from ten networks keep the right password from an eleventh out of nothing", async () => {
  const { username, password } = await newUser(client);
  for (let n = 0; n < 10; n++) {
    await rejects(accounts.signIn({ username, password: "guess", clientAddress: `192.0.2.${n}` }), "UNAUTHENTICATED");
  }
  assert.ok(await accounts.signIn({ username, password, clientAddress: "198.51.100.1" }));
});

test("a device token has at most 64 bytes, and any other text changes nothing", async () => {
  const { username, password } = await newUser(client);
  const { deviceToken } = await accounts.signIn({ username, password });
  assert.ok(Buffer.byteLength(deviceToken) <= 64, deviceToken);
  for (const wrong of ["", "fld_", "x".repeat(10_000), deviceToken.toUpperCase(), `${deviceToken}0`, "fld_zzzzz__"]) {
    assert.ok(await accounts.signIn({ username, password, deviceToken: wrong }));
  }
});

test("one network that guesses at many names waits, and others do not", async () => {
  const guess = (n: number, clientAddress: string) =>
    accounts.signIn({ username: `guessed-${n}`, password: "guess", clientAddress });
  const { username, password } = await newUser(client);
  for (let n = 0; n < 50; n++) await rejects(guess(n, "2001:db8::1"), "UNAUTHENTICATED");
  const refusal = await rejects(
    accounts.signIn({ username, password, clientAddress: "2001:db8::2" }),
    "RESOURCE_EXHAUSTED",
  );
  assert.is(refusal.reason, ErrorReason.TOO_MANY_ATTEMPTS);
  assert.ok(await accounts.signIn({ username, password, clientAddress: "2001:db8:0:1::1" }));
  assert.ok(await accounts.signIn({ username, password }));
});

test("people change their own name and e-mail address, and what another has is refused", async () => {
  const [ann, bob] = [await newUser(client, { email: "ann@example.com" }), await newUser(client)];
  const { user } = await accounts.updateProfile({ name: " Bob B. ", email: "bob@example.com" }, bob.session);
  assert.equal([user?.name, user?.email], ["Bob B.", "bob@example.com"]);
  const taken = await rejects(accounts.updateProfile({ email: "ANN@example.com" }, bob.session), "ALREADY_EXISTS");
  assert.equal([taken.reason, taken.field], [ErrorReason.USERNAME_TAKEN, "email"]);
  for (const email of ["bob", "@", "a b@example.com", "a@b@c", "a@\u0000", `${"x".repeat(250)}@example.com`]) {
    assert.is(
      (await rejects(accounts.updateProfile({ email }, bob.session), "INVALID_ARGUMENT")).field,
      "email",
      email,
    );
  }
  for (const name of ["", "  ", "x".repeat(256), "two\nlines"]) {
    assert.is((await rejects(accounts.updateProfile({ name }, bob.session), "INVALID_ARGUMENT")).field, "name", name);
  }
  assert.is((await accounts.updateProfile({ email: "" }, ann.session)).user?.email, "");
  assert.is((await accounts.updateProfile({ email: "Ann@example.com" }, bob.session)).user?.name, "Bob B.");
});

test("a user asks for at most ten e-mail addresses within an hour, taken ones among them; saving the own one costs none", async () => {
  await newUser(client, { email: "victim@example.com" });
  const { session } = await newUser(client);
  const ask = (email: string) => accounts.updateProfile({ email }, session);
  for (let n = 0; n < 5; n++) {
    await rejects(ask("victim@example.com"), "ALREADY_EXISTS");
    await ask(`own-${n}@example.com`);
    await ask(`own-${n}@example.com`);
  }
  for (const email of ["victim@example.com", "nobody@example.com"]) {
    const refusal = await rejects(ask(email), "RESOURCE_EXHAUSTED");
    assert.equal([refusal.reason, refusal.retryAfterSeconds], [ErrorReason.TOO_MANY_ATTEMPTS, 3_600]);
  }
  assert.ok(await accounts.updateProfile({ name: "Still changes", email: "own-4@example.com" }, session));
  clock.at += 3_600_000;
  assert.ok(await ask("next@example.com"));
});

test("the first administrator's password follows the rule of all passwords, at the start that uses it", async () => {
  const dataDir = tempDir();
  for (const rootPassword of ["x".repeat(11), "x".repeat(1025)]) {
    const refusal = await startFaultline({ ...testConfig(dataDir), rootPassword }, Date).then(
      (started) => started.stop(),
      (thrown: unknown) => thrown,
    );
    assert.instance(refusal, StartRefusal);
    assert.match(String(refusal), /FAULTLINE_ROOT_PASSWORD cannot be used\. Use a password of 12 to 1,024 bytes/);
    assert.not.match(String(refusal), "xxx");
  }
});

test.run();

// quiet: a thousand sign-ins at once
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sessionCookie, signInByForm } from "../../support/console/console.ts";
import { runningServer } from "../../support/service/flow.ts";
import { createProject } from "../../support/core/project.ts";
import { sendStore } from "../../support/sentry/send.ts";

const { server } = await runningServer({ env: { FAULTLINE_TRUSTED_PROXIES: "127.0.0.1" } });

const flood = 1_000;

/** Attempts of different people from different addresses, so that no count of attempts stops them. */
const attempt = async (n: number) => {
  const address = { "X-Forwarded-For": `198.18.${n >> 8}.${n & 255}` };
  return (await signInByForm(server, { username: `crowd-${n}`, password: "guess" }, address)).status;
};

test("A74: of 1,000 simultaneous sign-ins each is answered, many are refused, and an event among them is stored", async () => {
  const project = await createProject(server);
  const attempts = Array.from({ length: flood }, (_, n) => attempt(n));
  const stored = sendStore(server, project, { message: "meanwhile" });
  const [statuses] = await Promise.all([Promise.all(attempts), stored]);
  assert.is((await stored).status, 200);
  const count = (status: number) => statuses.filter((found) => found === status).length;
  // On a machine that is busy with other things a few wait for longer than a call may take.
  assert.is(count(401) + count(429) + count(503), flood, "each gets an answer in words");
  assert.ok(count(401) > 0, "some were checked");
  assert.ok(count(429) > flood / 4, `${count(429)} were not held`);
  assert.not.match(server.output(), /"level":("error"|[56]0)/);
  assert.ok(sessionCookie(await signInByForm(server)));
});

test("A74: a password of 7 kB is answered like any other wrong one, without being hashed, and a longer form is refused unread", async () => {
  assert.is((await signInByForm(server, { password: "x".repeat(7_000) })).status, 401);
  assert.is((await signInByForm(server, { password: "x".repeat(400_000) })).status, 413);
  assert.ok(sessionCookie(await signInByForm(server)));
});

test.run();

/** A mail server without STARTTLS gets nothing unless the administrator said so; the reason is shown. */
import { MailState } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { MailConfig } from "../../backend/src/mail-config.ts";
import { mailLogin, mailServer } from "../support/notifications/mail-server.ts";
import { movableFaultline } from "../support/service/movable-faultline.ts";

const clear = await mailServer({ offersStarttls: false, isTrusted: false });
const untrusted = await mailServer({ isTrusted: false });

async function serviceWith(more: Partial<MailConfig>) {
  const { client } = await movableFaultline({
    baseUrl: "https://errors.example.com",
    mail: {
      host: "localhost",
      port: clear.port,
      encryption: "starttls",
      login: mailLogin,
      sender: { name: "Faultline", address: "faultline@example.com" },
      ...more,
    },
    logLevel: "silent",
  });
  await client.users.updateUser({ userId: 1, email: "root@example.com" }, client.auth);
  return {
    test: () => client.notificationMail.sendTestMail({}, client.auth),
    state: async () => (await client.notificationMail.getMail({}, client.auth)).mail,
  };
}

const strict = await serviceWith({});
const inTheClear = await serviceWith({ encryption: "none" });
const elsewhere = await serviceWith({ port: untrusted.port });

test("if STARTTLS is required but not offered, nothing is sent, not even the password, and the reason is given", async () => {
  const { accepted, answer } = await strict.test();
  assert.is(accepted, false);
  assert.match(answer, "STARTTLS");
  assert.is(clear.received.length, 0);
  assert.is(clear.logins(), 0);
  const state = await strict.state();
  assert.is(state?.state, MailState.FAILING);
  assert.match(state?.failure ?? "", "STARTTLS");
});

test("with encryption=none a mail is sent unencrypted", async () => {
  assert.ok((await inTheClear.test()).accepted);
  assert.equal(
    clear.received.map(({ isEncrypted, recipients }) => [isEncrypted, recipients]),
    [[false, ["root@example.com"]]],
  );
});

test("a certificate of an authority that is not known is refused with that reason, before the password is sent", async () => {
  const { accepted, answer } = await elsewhere.test();
  assert.is(accepted, false);
  assert.match(answer, /certificate is not valid/);
  assert.is(untrusted.logins(), 0);
});

test.run();

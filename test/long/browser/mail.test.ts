// process: it trusts the certificate of its mail server
import { Role } from "@faultline/proto";
import type { Page } from "playwright-core";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../../support/console/browser.ts";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { http } from "../../support/http/http.ts";
import { mailLogin, mailServer } from "../../support/notifications/mail-server.ts";
import { reported } from "../../support/run/reported.ts";
import { startTcpProxy, type TcpProxy } from "../../support/http/tcp-proxy.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rootPassword, startServer, type Server } from "../../support/service/server.ts";

/** The pages about mail, and the links in mails as people and their programs open them. */

let smtp: Awaited<ReturnType<typeof mailServer>>;
let server: Server;
/** A proxy in front of the service. Mails name its address, which must be known before the service starts. */
let front: TcpProxy;
let client: GrpcClient;
let browser: TestBrowser;
let page: Page;
let project: Project;

const password = "a long enough passphrase";

async function developer(username: string, email: string) {
  const { user } = await client.users.createUser({ username, password, email }, client.auth);
  const member = { projectId: project.id, userId: user?.userId ?? 0, role: Role.DEVELOPER };
  await client.members.addMember(member, client.auth);
  return username;
}

const sessionOf = async (username: string, secret = password) =>
  (await client.accounts.signIn({ username, password: secret })).sessionToken;

/** The link in the latest mail to an address, once there is one. */
async function linkIn(address: string, name: string): Promise<string> {
  const found = await until(`a mail to ${address} with the link`, () =>
    smtp
      .to(address)
      .flatMap(({ mail }) => new RegExp(`http://\\S+/-/${name}/\\S+`).exec(mail.text ?? "")?.[0] ?? [])
      .at(-1),
  );
  return new URL(found).pathname;
}

test.before(
  reported(async () => {
    smtp = await mailServer();
    front = await startTcpProxy(() => Number(new URL(server.url).port));
    const url = `http://127.0.0.1:${front.port}`;
    const { user, password: secret } = mailLogin;
    server = await startServer({
      env: {
        FAULTLINE_BASE_URL: url,
        FAULTLINE_SMTP_URL: `smtp://${user}:${secret}@localhost:${smtp.port}`,
        FAULTLINE_MAIL_FROM: "Faultline <faultline@example.com>",
      },
    });
    client = grpcClient(server);
    project = await createProject(server, { name: "Shop", path: "acme/shop" });
    browser = await openBrowser({ url });
    page = browser.page;
    await browser.signIn(await sessionOf("root", rootPassword));
  }),
);
test.after(async () => {
  client.close();
  await browser.close();
  await server.stop();
  await front.stop();
});

test("an administrator sees on the health page whether mail works, and sends a test to their own address", async () => {
  await page.goto("/admin/health");
  await page.getByRole("button", { name: "Send yourself a test e-mail" }).press("Enter");
  await page.getByText("Your account has no confirmed e-mail address.").waitFor();
  await page.goto("/-/profile/account");
  await page.getByLabel("E-mail").fill("root@example.com");
  await page.getByRole("button", { name: "Save changes" }).press("Enter");
  await page.getByText("E-mails about errors in your projects go to root@example.com.").waitFor();
  await page.goto("/admin/health");
  await page.getByRole("button", { name: "Send yourself a test e-mail" }).press("Enter");
  await page.getByText("The mail server accepted the test e-mail to root@example.com: 250").waitFor();
  await page.getByText(`localhost:${smtp.port}`).waitFor();
  await browser.photograph("mail-health");
  assert.is(smtp.to("root@example.com").length, 1);
});

test("a person confirms an address by the link that is sent there, and then sends a test", async () => {
  await browser.signIn(await sessionOf(await developer("ann", "")));
  await page.goto("/-/profile/account");
  await page.getByText("Enter an e-mail address above").waitFor();
  await page.getByLabel("E-mail").fill("ann@example.com");
  await page.getByRole("button", { name: "Save changes" }).press("Enter");
  await page.getByText("ann@example.com is not confirmed").waitFor();
  await browser.photograph("mail-account");
  await page.getByRole("button", { name: "Send link" }).press("Enter");
  await page.getByText("The mail server accepted the e-mail to ann@example.com.").waitFor();
  const link = await linkIn("ann@example.com", "confirm_email");
  const opened = await browser.anotherPage();
  await opened.goto(link);
  await opened.getByText("Is ann@example.com the address of ann?").waitFor();
  await browser.photograph("mail-confirm", opened);
  await opened.getByRole("button", { name: "Confirm address" }).press("Enter");
  await opened.getByRole("heading", { name: "Your address is confirmed" }).waitFor();
  await opened.context().close();
  await page.reload();
  await page.getByRole("button", { name: "Send test e-mail" }).press("Enter");
  await page.getByText("The mail server accepted the e-mail to ann@example.com: 250").waitFor();
});

test("programs that open the link end nothing; the click of a mail program does, and so does the button, without scripts too", async () => {
  for (const name of ["bob", "cid"]) await developer(name, `${name}@example.com`);
  await sendEvent(server, project, { event_id: newEventId(), message: "the payment failed" });
  const [ofBob, ofCid] = [
    await linkIn("bob@example.com", "unsubscribe"),
    await linkIn("cid@example.com", "unsubscribe"),
  ];
  for (let scan = 0; scan < 3; scan++) assert.is((await http(server.url + ofBob)).status, 200);
  const isSubscribed = async (link: string) =>
    (await client.notificationMail.getMailSubscription({ token: link.split("/").at(-1) ?? "" })).subscribed;
  assert.ok(await isSubscribed(ofBob));

  const oneClick = {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
  };
  const forged = await http(`${server.url}${ofBob.slice(0, -1)}`, oneClick);
  assert.is(forged.status, 404);
  assert.ok(await isSubscribed(ofBob));
  for (let click = 0; click < 2; click++) {
    const { status, text } = await http(server.url + ofBob, oneClick);
    assert.equal([status, text], [200, "You will get no more e-mails about errors in acme/shop.\n"]);
  }
  assert.not.ok(await isSubscribed(ofBob));

  const reader = await browser.pageWithoutScripts();
  await reader.goto(ofCid);
  await reader.getByText("You will get no more e-mails about errors in acme/shop.").waitFor();
  await browser.photograph("mail-unsubscribe", reader);
  await reader.getByRole("button", { name: "Unsubscribe" }).press("Enter");
  await reader.getByRole("heading", { name: "You are unsubscribed" }).waitFor();
  assert.not.ok(await isSubscribed(ofCid));
});

test("no other page takes a form that came from elsewhere", async () => {
  const other = await http(`${server.url}/-/confirm_email/1.1.unknown`, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "a=b",
  });
  assert.is(other.status, 403);
});

test("the deliveries of the project name the persons that mails went to", async () => {
  await browser.signIn(await sessionOf("root", rootPassword));
  await page.goto("/acme/shop/-/settings/notifications");
  await page.getByText("Mail to bob").waitFor();
});

test.run();

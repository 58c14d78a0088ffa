// limit: 240 s
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NotificationTrigger } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../../support/core/grpc.ts";
import { mailLogin, mailServer } from "../../support/notifications/mail-server.ts";
import { notifiedProject } from "../../support/notifications/notified-project.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { repositoryRoot, startServer } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";

const unit = join(repositoryRoot, "deploy/systemd/faultline.service");
const underUnit = join(repositoryRoot, "test/support/deploy/under-unit.py");

/** Why the restrictions of a unit cannot be applied here; undefined if they can. */
function missing(): string | undefined {
  if (process.platform !== "linux") return "seccomp is part of Linux";
  const tried = spawnSync("python3", [underUnit, unit, process.execPath, "-e", ""], { encoding: "utf8" });
  return tried.status === 0 ? undefined : `python3, systemd-analyze and libseccomp are needed: ${tried.stderr.trim()}`;
}

const reason = missing();
if (reason !== undefined) console.log(`Left out: ${reason}`);
const ifPossible = reason === undefined ? test : test.skip;

/** The unit of releases before, which allows no socket that lists the addresses of the machine. */
function unitWithoutNetlink(): string {
  const path = join(tempDir(), "faultline.service");
  writeFileSync(path, readFileSync(unit, "utf8").replace(/(?<=^RestrictAddressFamilies=.*) AF_NETLINK/m, ""));
  return path;
}

for (const [claim, restrictions] of [
  ["under the restrictions of the shipped unit", () => unit],
  ["under those of a unit that does not allow AF_NETLINK", unitWithoutNetlink],
] as const)
  ifPossible(`${claim} events are stored, and a webhook and a mail arrive`, async () => {
    const smtp = await mailServer({ isTrusted: false });
    const hook = await receiver();
    const server = await startServer({
      prelude: `exec python3 ${underUnit} ${restrictions()} "$0" "$@"`,
      env: {
        FAULTLINE_BASE_URL: "https://errors.example.com",
        FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8",
        FAULTLINE_OUTBOUND_PORTS: `${hook.port}`,
        FAULTLINE_SMTP_URL: `smtp://${mailLogin.user}:${mailLogin.password}@localhost:${smtp.port}`,
        FAULTLINE_MAIL_FROM: "Faultline <faultline@example.com>",
        NODE_EXTRA_CA_CERTS: smtp.certFile,
      },
    });
    const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
    assert.match(status, /^Seccomp:\s+2$/m, "filtered");
    assert.match(status, /^CapEff:\s+0+$/m, "without capabilities");
    const client = grpcClient(server);
    const project = await notifiedProject(
      { client, url: server.url },
      {
        channels: [{ kind: "webhook", fields: { url: hook.url } }],
        rules: [{ triggers: [NotificationTrigger.CREATED], channels: [0] }],
      },
    );
    const { status: answer } = await sendEvent(server, project, { event_id: newEventId(), message: "payment failed" });
    assert.is(answer, 200);
    await until("the webhook", () => hook.received.some(({ body }) => body.includes("payment failed")), {
      deadlineMs: 30_000,
    });
    await client.users.updateUser({ userId: 1, email: "root@example.com" }, client.auth);
    const sent = await client.notificationMail.sendTestMail({}, client.auth);
    assert.ok(sent.accepted, sent.answer);
    assert.is(smtp.to("root@example.com").length, 1);
    client.close();
    assert.is(await server.stop(), 0);
  });

ifPossible("systemd reads every line of the unit", () => {
  const path = join(tempDir(), "faultline.service"); // with a program that is there
  writeFileSync(path, readFileSync(unit, "utf8").replace(/(?<=^ExecStart=)\S+/m, process.execPath));
  execFileSync("systemd-analyze", ["verify", "--man=no", "--recursive-errors=no", path], { stdio: "pipe" });
});

test.run();

// limit: 240 s
/** The secrets of channels: in clear nowhere, encrypted again with a new key of the installation, and checked in a backup. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { NotificationDeliveryState as State, NotificationTrigger } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { execSql, rowsOf } from "../../support/database/other-process.ts";
import { allDeliveries, notifiedProject } from "../../support/notifications/notified-project.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { rest } from "../../support/rest/rest.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { runningServer } from "../../support/service/flow.ts";
import { bundle, repositoryRoot } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";

const other = await receiver();
const { server, client } = await runningServer({
  env: {
    FAULTLINE_LOG_LEVEL: "trace",
    FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8",
    FAULTLINE_OUTBOUND_PORTS: String(other.port),
  },
});

const secrets = new Set<string>();
const secret = (value: string): string => {
  secrets.add(value);
  return value;
};
const answers: string[] = [];
const text = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part)) ?? "";
async function noted<T>(answer: Promise<T>): Promise<T | Error> {
  const given = await answer.catch((error: Error) => error);
  answers.push(given instanceof Error ? `${given.stack} ${text(given)}` : text(given));
  return given;
}

const hook = `${other.url}/${secret("canary-of-a-webhook-address")}`;
const sentTo = [0, 1, 2, 3];
const project = await notifiedProject(
  { client, url: server.url },
  {
    channels: [
      {
        kind: "webhook",
        fields: { url: hook, headers: `Authorization: Bearer ${secret("canary-of-a-header-value")}` },
      },
      { kind: "slack", fields: { url: `${other.url}/${secret("canary-of-a-slack-address")}` } },
      { kind: "gotify", fields: { url: other.url, token: secret("canary-of-a-gotify-token") } },
      { kind: "ntfy", fields: { url: other.url, topic: "errors", token: secret("canary-of-an-ntfy-token") } },
      // Nothing is sent to servers that do not exist here.
      { kind: "telegram", fields: { token: secret("123456789:canary-of-a-telegram-token-0001"), chat_id: "-1001" } },
      { kind: "pagerduty", fields: { routing_key: secret("cafe0123cafe0123cafe0123cafe0123") } },
    ],
    rules: [{ triggers: [NotificationTrigger.CREATED], channels: sentTo }],
  },
);
const projectId = project.id;
const [webhookId = 0] = project.channelIds;

test("secrets are used: a message with them reaches each channel, and comes back in an answer that fails", async () => {
  const rotated = await client.notificationChannels.updateNotificationChannel(
    { projectId, channelId: webhookId, rotateSigningSecret: true },
    client.auth,
  );
  secret(rotated.signingSecret.replace("whsec_", ""));
  other.answers(({ path, headers, body }) => ({ status: 500, body: `cannot take ${path} ${text(headers)} ${body}` }));
  await sendEvent(server, project, { event_id: newEventId(), message: "who knows" });
  await until("each was tried", async () => {
    const deliveries = await allDeliveries(client, projectId);
    return deliveries.length === sentTo.length && deliveries.every(({ attempts }) => attempts.length > 0);
  });
  other.answers({ status: 200 });
  await until("each has it", async () => {
    const deliveries = await allDeliveries(client, projectId);
    return deliveries.every(({ state }) => state === State.SENT);
  });
  const used = other.received.map((request) => text(request)).join();
  for (const one of ["webhook-address", "header-value", "slack-address", "gotify-token", "ntfy-token"]) {
    assert.match(used, one);
  }
});

test("no answer, line of the log, act of the audit log, row, file or backup contains a secret in plain text", async () => {
  const { notificationChannels, notificationDeliveries, notificationRules, audit } = client;
  await noted(notificationChannels.listNotificationChannels({ projectId }, client.auth));
  await noted(notificationRules.listNotificationRules({ projectId }, client.auth));
  await noted(notificationDeliveries.listNotificationDeliveries({ projectId, pageSize: 100 }, client.auth));
  await noted(notificationDeliveries.listNotificationSuppressions({ projectId }, client.auth));
  for (const channelId of project.channelIds.slice(0, 4)) {
    await noted(notificationChannels.testNotificationChannel({ projectId, channelId }, client.auth));
  }
  for (const url of [`${hook}\u0000`, `ftp://${hook}`, "x".repeat(3_000)]) {
    await noted(
      notificationChannels.updateNotificationChannel({ projectId, channelId: webhookId, fields: { url } }, client.auth),
    );
  }
  await noted(audit.listAuditEvents({ pageSize: 100 }, client.auth));
  for (const list of ["channels", "rules", "deliveries", "suppressions"] as const) {
    answers.push((await rest(server, `GET /projects/${projectId}/error_tracking/notification_${list}`)).text);
  }
  assert.ok(answers.length >= 16 && secrets.size >= 7);
  const backup = join(tempDir(), "backup");
  await faultline("backup", backup);
  const places: Readonly<Record<string, string>> = {
    answers: answers.join("\n"),
    log: server.output(),
    tables: text(await tables()),
    ...files(server.dataDir),
    ...files(backup),
  };
  assert.match(places["log"] ?? "", /Faultline is ready/);
  for (const [place, held] of Object.entries(places)) {
    for (const one of secrets) assert.not(held.includes(one), `${place} holds ${one}`);
  }
});

test("a rotation of the installation's key encrypts the channels again, and they still send", async () => {
  const configs = async () =>
    (await rowsOf(server.dataDir, "select config from notifier_channel")).map(({ config }) => String(config));
  assert.ok((await configs()).every((config) => config.startsWith("v1.1.")));
  await until("all is encrypted with the new key", async () => {
    return (await client.instance.rotateEncryptionKey({}, client.auth)).waitingCount === 0;
  });
  assert.ok((await configs()).every((config) => config.startsWith("v1.2.")));
  const tested = await client.notificationChannels.testNotificationChannel(
    { projectId, channelId: webhookId },
    client.auth,
  );
  assert.is(tested.accepted, true);
  assert.match(other.received.at(-1)?.headers["authorization"] ?? "", "canary-of-a-header-value");
});

test("a backup with a channel that its keys cannot open is found out", async () => {
  const whole = join(tempDir(), "backup");
  await faultline("backup", whole);
  await faultline("verify", whole);
  // The settings of one channel with the id of another belong to no channel.
  await execSql(
    server.dataDir,
    `update notifier_channel set config = (select config from notifier_channel where id = ${webhookId})
     where id = ${project.channelIds[1]}`,
  );
  const damaged = join(tempDir(), "backup");
  const made = await faultline("backup", damaged)
    .then(() => faultline("verify", damaged))
    .catch((error: Error) => error.message);
  assert.match(made, /1 values of notifier_channel\.config cannot be decrypted/);
});

function faultline(...args: string[]): Promise<string> {
  const env = { FAULTLINE_DATA_DIR: server.dataDir };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [bundle, ...args], { cwd: repositoryRoot, env }, (error, out, said) =>
      error ? reject(new Error(`${out}${said}`)) : resolve(out),
    );
  });
}

async function tables() {
  const all = await rowsOf(
    server.dataDir,
    "select name from sqlite_master where type = 'table' and name like 'notifier%'",
  );
  assert.ok(all.length >= 9);
  return Promise.all(all.map(({ name }) => rowsOf(server.dataDir, `select * from ${String(name)}`)));
}

/** The files of a directory as text, by their names. */
function files(directory: string): Record<string, string> {
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) => join(directory, name));
  return Object.fromEntries(
    paths.filter((path) => statSync(path).isFile()).map((path) => [path, readFileSync(path, "latin1")]),
  );
}

test.run();

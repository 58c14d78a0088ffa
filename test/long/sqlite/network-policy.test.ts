// limit: 240 s
import { readFileSync } from "node:fs";
import { NotificationTrigger, services } from "@faultline/proto";
import { connect } from "@faultline/proto/grpc";
import { credentials } from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { chartPolicy } from "../../support/deploy/network-policy.ts";
import { pod, podPorts, whyNoPods } from "../../support/deploy/pod.ts";
import type { ChartValues } from "../../support/deploy/rendered-chart.ts";
import { nameServer } from "../../support/external/name-server.ts";
import { mailLogin, mailServer } from "../../support/notifications/mail-server.ts";
import { notifiedProject } from "../../support/notifications/notified-project.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { selfSigned } from "../../support/service/certificates.ts";
import { rootToken, startServer } from "../../support/service/server.ts";

/** The chart's network policy, applied to a service that runs. */

const reason = whyNoPods();
if (reason !== undefined) console.log(`Left out: ${reason}`);
const ifPossible = reason === undefined ? test : test.skip;

const everywhere = "0.0.0.0";
/** Public addresses, which nothing here leaves for. */
const zone: Readonly<Record<string, string>> = { "hooks.example.com": "20.1.1.1", "mail.example.com": "20.1.1.2" };

/** The service's own settings, wider than the policy that some tests apply. */
const settings = { FAULTLINE_OUTBOUND_NETWORKS: "10.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: "8443" };

const destinations = {
  public: "http://hooks.example.com",
  internal: "http://10.1.2.3",
  otherPort: "http://hooks.example.com:8443",
};

async function runningPod() {
  const names = await nameServer((name, type) => {
    const address = type === "A" ? zone[name] : undefined;
    return address === undefined ? undefined : { records: [["A", address]] };
  }, everywhere);
  const smtp = await mailServer({ isTrusted: false, name: "mail.example.com", host: everywhere });
  const hook = await receiver(everywhere);
  const tls = selfSigned();
  const { address, prelude, apply } = pod({
    tcp: { 80: hook.port, 8443: hook.port, 587: smtp.port },
    names: Number(names.address.split(":")[1]),
  });
  const server = await startServer({
    prelude,
    env: {
      FAULTLINE_HTTP_HOST: everywhere,
      FAULTLINE_HTTP_PORT: `${podPorts.http}`,
      FAULTLINE_GRPC_ADDRESS: `${everywhere}:${podPorts.grpc}`,
      FAULTLINE_GRPC_TLS_CERT: tls.certFile,
      FAULTLINE_GRPC_TLS_KEY: tls.keyFile,
      FAULTLINE_BASE_URL: "https://errors.example.com",
      FAULTLINE_SMTP_URL: `smtp://${mailLogin.user}:${mailLogin.password}@mail.example.com:587`,
      FAULTLINE_MAIL_FROM: "Faultline <faultline@example.com>",
      NODE_EXTRA_CA_CERTS: smtp.certFile,
      ...settings,
    },
  });
  const url = `http://${address}:${podPorts.http}`;
  const connection = connect(`${address}:${podPorts.grpc}`, credentials.createSsl(readFileSync(tls.certFile)), {
    "grpc.ssl_target_name_override": "localhost",
  });
  const client = { ...connection.services(services), auth: { token: rootToken }, close: connection.close };
  test.after(async () => {
    connection.close();
    names.close();
    await server.stop();
  });
  return {
    url,
    client,
    hook,
    smtp,
    /** Applies the policy of the chart with these values, also to existing connections. */
    apply(values: ChartValues) {
      apply(chartPolicy(values), server.pid);
      smtp.endConnections();
      hook.drop();
    },
  };
}

const running = reason === undefined ? await runningPod() : undefined;

/** The arrivals: webhooks by their destination, and a mail. */
async function arrivals() {
  assert.ok(running);
  const { client, hook, smtp } = running;
  const testMails = () => smtp.received.filter(({ mail }) => mail.subject?.includes("Test e-mail")).length;
  const { id: projectId, channelIds } = await notifiedProject(running, {
    channels: Object.entries(destinations).map(([name, url]) => ({
      kind: "webhook",
      fields: { url: `${url}/${name}` },
    })),
    rules: [],
  });
  const before = { hooks: hook.received.length, mails: testMails() };
  for (const channelId of channelIds)
    await client.notificationChannels.testNotificationChannel({ projectId, channelId }, client.auth);
  await client.notificationMail.sendTestMail({}, client.auth);
  return {
    webhooks: hook.received.slice(before.hooks).map(({ path }) => path.slice(1)),
    mails: testMails() - before.mails,
  };
}

ifPossible("under the chart's network policy an event becomes a webhook and a mail", async () => {
  assert.ok(running);
  const { url, client, hook, smtp, apply } = running;
  await client.users.updateUser({ userId: 1, email: "root@example.com" }, client.auth);
  apply({});
  const project = await notifiedProject(running, {
    channels: [{ kind: "webhook", fields: { url: destinations.public } }],
    rules: [{ triggers: [NotificationTrigger.CREATED], channels: [0] }],
  });
  const { status } = await sendEvent({ url }, project, { event_id: newEventId(), message: "payment failed" });
  assert.is(status, 200);
  await until("the webhook", () => hook.received.some(({ body }) => body.includes("payment failed")));
  await until("the mail", () => smtp.to("root@example.com").some(({ raw }) => raw.includes("payment failed")));
});

for (const [claim, values, expected] of [
  [
    "lets no webhook to an internal address or another port out, whatever the service itself allows",
    {},
    { webhooks: ["public"], mails: 1 },
  ],
  [
    "lets out webhooks to the networks and ports of the service's settings",
    Object.fromEntries(Object.entries(settings).map(([name, value]) => [`environment.${name}`, value])),
    { webhooks: ["public", "internal", "otherPort"], mails: 1 },
  ],
  [
    "without the port of the mail server lets no mail out",
    { "networkPolicy.mailPorts": "{2525}" },
    { webhooks: ["public"], mails: 0 },
  ],
  [
    "without the port of the webhook lets no webhook out",
    { "networkPolicy.outboundPorts": "{9000}" },
    { webhooks: [], mails: 1 },
  ],
] as const)
  ifPossible(`the chart's network policy ${claim}`, async () => {
    running?.apply(values);
    assert.equal(await arrivals(), expected);
  });

test.run();

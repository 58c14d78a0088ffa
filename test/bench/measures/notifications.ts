import { NotificationTrigger, Role } from "@faultline/proto";
import { grpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { mailLogin, mailServer } from "../../support/notifications/mail-server.ts";
import { notifiedProject } from "../../support/notifications/notified-project.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { startServer, type Server } from "../../support/service/server.ts";
import type { Bench, Row } from "../bench.ts";
import { residentMiB } from "../process-memory.ts";
import { inTurn } from "../rounds.ts";
import { asStarted, doorOf } from "../service.ts";
import { ms, whole } from "../text.ts";

/** As many as a project may have. */
const channelCount = 20;
const goalRatio = 0.97;
const goalMiB = 30;
const quietReceivers = 5;

/** A port at which nobody listens. */
const closedPort = 1;

/** A service with a project whose new errors reach `quietReceivers`. */
interface Quiet {
  readonly server: Server;
  readonly project: Project;
  readonly what: string;
  readonly goalMs: number;
  readonly got: () => number;
}

/** What notifications cost ingestion while their receivers fail, and how soon a message is there when all is quiet. */
export async function* notifications(bench: Bench): AsyncGenerator<Row> {
  yield* failingReceivers(bench);
  yield await quietWebhooks(bench);
  yield await quietMails(bench);
}

/** Beside a service without rules, one receiver at a time: with more services on the same cores each disturbs the others. */
async function* failingReceivers(bench: Bench): AsyncGenerator<Row> {
  const hanging = await receiver();
  hanging.answers("hang");
  const failing = await receiver();
  failing.answers({ status: 500, body: "no" });
  const ports = { hanging: hanging.port, refusing: closedPort, failing: failing.port };
  for (const [name, port] of Object.entries(ports)) {
    bench.progress(`events/s with ${channelCount} channels whose receiver is ${name}`);
    const off = await start(0, "");
    const on = await start(port, `http://127.0.0.1:${port}/hook`);
    const results = await inTurn(bench, { off: off.door, on: on.door }, { bytes: 5_000, groups: "200" });
    const peakOff = residentMiB(off.server.pid, "at most");
    const more = residentMiB(on.server.pid, "at most") - peakOff;
    const { rate, p99Ms } = results.on;
    const ratio = rate / results.off.rate;
    yield {
      measure: `events/s, 5 kB, ${channelCount} channels, receiver ${name}`,
      goal: `>= ${goalRatio} of no rule, p99 +<= 5 ms, +<= ${goalMiB} MiB`,
      measured: `${whole(rate)}/s (p99 ${ms(p99Ms)}), ${more} MiB more at most`,
      floor: `${whole(results.off.rate)}/s (p99 ${ms(results.off.p99Ms)}), ${peakOff} MiB at most`,
      ratio,
      isMet: ratio >= goalRatio && p99Ms <= results.off.p99Ms + 5 && more <= goalMiB,
    };
    for (const { server, close } of [off, on]) {
      close();
      await server.stop();
    }
  }
}

async function quietWebhooks(bench: Bench): Promise<Row> {
  const other = await receiver();
  const { server, project, close } = await start(other.port, `${other.url}/hook`, quietReceivers);
  const quiet = { server, project, what: "its webhook is there", goalMs: 3_000, got: () => other.received.length };
  const row = await timesUntil(bench, quiet);
  close();
  await server.stop();
  return row;
}

async function quietMails(bench: Bench): Promise<Row> {
  const smtp = await mailServer();
  const { user, password } = mailLogin;
  const server = await startServer({
    env: {
      ...asStarted,
      FAULTLINE_BASE_URL: "https://errors.example.com",
      FAULTLINE_SMTP_URL: `smtp://${user}:${password}@localhost:${smtp.port}`,
      FAULTLINE_MAIL_FROM: "Faultline <faultline@example.com>",
      NODE_EXTRA_CA_CERTS: smtp.certFile,
    },
  });
  const client = grpcClient(server);
  const project = await createProject(server);
  for (let n = 0; n < quietReceivers; n += 1) {
    const person = { username: `reader-${n}`, email: `reader-${n}@example.com`, password: "" };
    const created = await client.users.createUser(person, client.auth);
    const member = { projectId: project.id, userId: created.user?.userId ?? 0, role: Role.DEVELOPER };
    await client.members.addMember(member, client.auth);
  }
  const quiet = { server, project, what: "its mail is there", goalMs: 5_000, got: () => smtp.received.length };
  const row = await timesUntil(bench, quiet);
  client.close();
  await server.stop();
  return row;
}

/** Several receivers take turns, as each gets five messages one by one. */
async function timesUntil(bench: Bench, { server, project, what, goalMs, got }: Quiet): Promise<Row> {
  bench.progress(`a new error until ${what}`);
  const times: number[] = [];
  for (const letter of "abcd") {
    const before = got();
    const begun = performance.now();
    await sendEvent(server, project, { event_id: newEventId(), message: `quiet ${letter} error` });
    for (let n = 0; n < quietReceivers; n += 1) {
      await until(what, () => got() - before > n, { deadlineMs: 30_000, everyMs: 2 });
      times.push(performance.now() - begun);
    }
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
  return {
    measure: `a new error until ${what}, quiet`,
    goal: `p95 <= ${goalMs / 1000} s`,
    measured: `p50 ${ms(at(0.5))}, p95 ${ms(at(0.95))}, longest ${ms(at(1))}`,
    isMet: at(0.95) <= goalMs,
  };
}

/** A service whose project sends new errors to channels at an address; without one it has no rule. */
async function start(port: number, url: string, channels = channelCount) {
  const env = { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: String(port || 1) };
  const server = await startServer({ env: { ...asStarted, ...env } });
  const client = grpcClient(server);
  const count = url === "" ? 0 : channels;
  const project = await notifiedProject(
    { client, url: server.url },
    {
      channels: Array.from({ length: count }, () => ({ kind: "webhook", fields: { url } })),
      rules:
        count === 0
          ? []
          : [{ triggers: [NotificationTrigger.CREATED], channels: Array.from({ length: count }, (_, n) => n) }],
    },
  );
  return { server, project, door: doorOf(server, project), close: client.close };
}

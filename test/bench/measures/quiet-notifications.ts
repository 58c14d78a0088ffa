import { NotificationTrigger, Role } from "@faultline/proto";
import { grpcClient } from "../../support/core/grpc.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { startPostgresql } from "../../support/database/postgresql.ts";
import { mailLogin, mailServer } from "../../support/notifications/mail-server.ts";
import { notifiedProject } from "../../support/notifications/notified-project.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { startServer } from "../../support/service/server.ts";
import { killAll, startProcesses, type Process } from "../../support/service/several-processes.ts";
import type { Bench, Row } from "../bench.ts";
import { asStarted } from "../service.ts";
import { ms } from "../text.ts";

/** Each error is sent to as many, and as many errors one by one as a budget has messages. */
const receiverCount = 5;
const errorNames = "abcd";

interface Installation {
  readonly name: string;
  readonly webhookGoalMs: number;
  readonly mailGoalMs: number;
  readonly start: (env: Readonly<Record<string, string>>) => Promise<readonly Process[]>;
}

/** The receivers of new errors, with the number of messages. */
interface Reached {
  readonly project: Project;
  readonly got: () => number;
}

/** How soon a message is there when nothing else happens: of one process with SQLite, and of three with PostgreSQL. */
export async function* quietNotifications(bench: Bench): AsyncGenerator<Row> {
  const postgresql = await startPostgresql({ syncs: true });
  const installations: readonly Installation[] = [
    {
      name: "one process, SQLite",
      webhookGoalMs: 3_000,
      mailGoalMs: 5_000,
      async start(env) {
        const server = await startServer({ env });
        return [{ server, client: grpcClient(server) }];
      },
    },
    {
      name: "three processes, PostgreSQL",
      webhookGoalMs: 5_000,
      mailGoalMs: 8_000,
      async start(env) {
        const url = await postgresql.createDatabase();
        return startProcesses([url, url, url], env);
      },
    },
  ];
  try {
    for (const installation of installations) {
      const { webhookGoalMs, mailGoalMs } = installation;
      yield await timesUntil(bench, installation, { what: "its webhook is there", goalMs: webhookGoalMs, ...webhooks });
      yield await timesUntil(bench, installation, { what: "its mail is there", goalMs: mailGoalMs, ...mails });
    }
  } finally {
    await postgresql.stop();
  }
}

interface Way {
  readonly prepare: () => Promise<{
    readonly env: Readonly<Record<string, string>>;
    readonly reach: (process: Process) => Promise<Reached>;
  }>;
}

const webhooks: Way = {
  async prepare() {
    const other = await receiver();
    return {
      env: { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: String(other.port) },
      async reach({ server, client }) {
        const numbers = Array.from({ length: receiverCount }, (_, n) => n);
        const channels = numbers.map((n) => ({ kind: "webhook", fields: { url: `${other.url}/${n}` } }));
        const rules = [{ triggers: [NotificationTrigger.CREATED], channels: numbers }];
        const project = await notifiedProject({ client, url: server.url }, { channels, rules });
        return { project, got: () => other.received.length };
      },
    };
  },
};

const mails: Way = {
  async prepare() {
    const smtp = await mailServer();
    return {
      env: {
        FAULTLINE_BASE_URL: "https://errors.example.com",
        FAULTLINE_SMTP_URL: `smtp://${mailLogin.user}:${mailLogin.password}@localhost:${smtp.port}`,
        FAULTLINE_MAIL_FROM: "Faultline <faultline@example.com>",
        NODE_EXTRA_CA_CERTS: smtp.certFile,
      },
      async reach({ server, client }) {
        const project = await createProject(server);
        for (let n = 0; n < receiverCount; n += 1) {
          const person = { username: `reader-${n}`, email: `reader-${n}@example.com`, password: "" };
          const created = await client.users.createUser(person, client.auth);
          const member = { projectId: project.id, userId: created.user?.userId ?? 0, role: Role.DEVELOPER };
          await client.members.addMember(member, client.auth);
        }
        return { project, got: () => smtp.received.length };
      },
    };
  },
};

async function timesUntil(
  bench: Bench,
  { name, start }: Installation,
  { what, goalMs, prepare }: Way & { readonly what: string; readonly goalMs: number },
): Promise<Row> {
  bench.progress(`a new error until ${what}, ${name}`);
  const { env, reach } = await prepare();
  const processes = await start({ ...asStarted, ...env });
  const [first] = processes as [Process];
  const { project, got } = await reach(first);
  const times: number[] = [];
  for (const letter of errorNames) {
    const before = got();
    const begun = performance.now();
    await sendEvent(first.server, project, { event_id: newEventId(), message: `quiet ${letter} error` });
    for (let n = 0; n < receiverCount; n += 1) {
      await until(what, () => got() - before > n, { deadlineMs: 30_000, everyMs: 2 });
      times.push(performance.now() - begun);
    }
  }
  await killAll(processes);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
  return {
    measure: `a new error until ${what}, quiet, ${name}`,
    goal: `p95 <= ${goalMs / 1000} s`,
    measured: `p50 ${ms(at(0.5))}, p95 ${ms(at(0.95))}, longest ${ms(at(1))}`,
    isMet: at(0.95) <= goalMs,
  };
}

// limit: 3000 s
/** A process that is killed at any point of a delivery: its successor sends what is left, with the same id, and nothing is lost. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { NotificationDeliveryState, NotificationTrigger } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { isUnknownAt, killPoints, type KillPoint } from "../support/notifications/kill-points.ts";
import { allDeliveries, notifiedProject, type NotifiedProject } from "../support/notifications/notified-project.ts";
import { receiver, type Received } from "../support/notifications/receiver.ts";
import { atEndOf } from "../support/run/end-of-file.ts";
import { rounds } from "../support/run/rounds.ts";
import { until } from "../support/run/until.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { rootPassword, rootToken } from "../support/service/server.ts";
import { tempDir } from "../support/service/temp-dir.ts";

/** The number of kills at each point. */
const kills = rounds({ short: 1, long: 3, all: 34 });
/**
 * The time until the next process starts: by then the lease of the killed process has expired, and the channels have
 * budget for a message.
 */
const laterMs = 11 * 60_000;

const other = await receiver();
const outbound = { networks: ["127.0.0.0/8"], ports: [other.port] };

const channels = ["webhook", "slack"] as const;

/** The services that the receiver kills, by the message that they send. */
const killedBy = new Map<string, ChildProcess>();
other.answers(({ body }) => {
  for (const [title, child] of killedBy) {
    if (!body.includes(title)) continue;
    killedBy.delete(title);
    child.kill("SIGKILL");
    return "hang";
  }
  return { status: 200, body: "ok" };
});

const wordOf = (n: number) => [...String(n)].map((digit) => "abcdefghij"[Number(digit)]).join("");
let count = 0;

/** A message with a delivery that a kill interrupted. */
interface CutOff {
  readonly title: string;
  /** How often each channel had it when the process died. */
  readonly before: Readonly<Record<(typeof channels)[number], number>>;
}

const got = (channel: string, title: string): Received[] =>
  other.received.filter(({ path, body }) => path === `/${channel}` && body.includes(title));

/** An installation of processes that die one after the other. Each first sends what the previous one left. */
class Lineage {
  readonly #dataDir = tempDir();
  readonly #cutOff: CutOff[] = [];
  #project: NotifiedProject | undefined;
  #deaths = 0;

  /** Starts the next process, kills it at the point, and notes what it left. */
  async dieAt(point: KillPoint): Promise<void> {
    await this.#living(point, async (service, child) => {
      const project = (this.#project ??= await notifiedProject(service, setUp));
      await this.#settle(service.client);
      count += 1;
      const title = `killed ${wordOf(count)} end`;
      child.send("from now on");
      if (point === "after the last byte") killedBy.set(title, child);
      await sendEvent(service, project, { event_id: newEventId(), message: title });
      await until("the process is dead", () => child.signalCode === "SIGKILL", { deadlineMs: 60_000 });
      this.#cutOff.push({
        title,
        before: { webhook: got("webhook", title).length, slack: got("slack", title).length },
      });
    });
    this.#deaths += 1;
  }

  /** Starts a last process, which sends what is left; returns how many messages came twice. */
  async end(point: KillPoint): Promise<number> {
    await this.#living(point, ({ client }) => this.#settle(client));
    let twice = 0;
    for (const { title, before } of this.#cutOff) {
      for (const channel of channels) {
        const all = got(channel, title);
        const early = before[channel];
        assert.ok(all.length >= 1, `${title}: ${channel} lost it`);
        assert.ok(early <= (isUnknownAt(point) ? 1 : 0), `${title}: ${channel} had it ${early} times at the kill`);
        assert.ok(all.length <= 1 + early, `${title}: ${channel} had it ${all.length} times, ${early} before the kill`);
        twice += all.length - 1;
      }
      const ids = got("webhook", title).map(({ headers }) => headers["webhook-id"]);
      assert.is(new Set(ids).size, 1, `${title}: has one id`);
    }
    return twice;
  }

  async #living(point: KillPoint, work: (service: Living, child: ChildProcess) => Promise<void>): Promise<void> {
    const child = startDying(point, this.#dataDir, this.#deaths * laterMs);
    const ended = once(child, "exit");
    const [at] = (await Promise.race([once(child, "message"), ended])) as [{ url: string; grpcAddress: string }];
    const client = grpcClient(at);
    try {
      await work({ url: at.url, client }, child);
    } finally {
      client.close();
      child.kill("SIGKILL");
      await ended;
    }
  }

  async #settle(client: GrpcClient): Promise<void> {
    await until(
      "all is sent",
      async () => {
        const deliveries = await allDeliveries(client, this.#project?.id ?? 0);
        const isAll = deliveries.length === channels.length * this.#deaths;
        return isAll && deliveries.every(({ state }) => state === NotificationDeliveryState.SENT);
      },
      { deadlineMs: 60_000, everyMs: 50 },
    );
  }
}

interface Living {
  readonly url: string;
  readonly client: GrpcClient;
}

const setUp = {
  channels: channels.map((kind) => ({ kind, fields: { url: `${other.url}/${kind}` } })),
  rules: [{ triggers: [NotificationTrigger.CREATED], channels: [0, 1] }],
};

function startDying(point: KillPoint, dataDir: string, aheadMs: number): ChildProcess {
  const child = fork(join(import.meta.dirname, "../support/notifications/dying-service.ts"), [point, String(aheadMs)], {
    execArgv: ["--no-warnings"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      HOME: dataDir,
      FAULTLINE_HTTP_HOST: "127.0.0.1",
      FAULTLINE_HTTP_PORT: "0",
      FAULTLINE_GRPC_ADDRESS: "127.0.0.1:0",
      FAULTLINE_DATA_DIR: dataDir,
      FAULTLINE_ROOT_PASSWORD: rootPassword,
      FAULTLINE_ROOT_TOKEN: rootToken,
      FAULTLINE_LOG_LEVEL: "silent",
      FAULTLINE_OUTBOUND_NETWORKS: outbound.networks.join(),
      FAULTLINE_OUTBOUND_PORTS: outbound.ports.join(),
    },
  });
  atEndOf("file", () => child.kill("SIGKILL"));
  return child;
}

for (const point of killPoints) {
  test(`a kill ${point} loses nothing, and at most doubles what had no answer`, async () => {
    const lineage = new Lineage();
    for (let n = 0; n < kills; n += 1) await lineage.dieAt(point);
    const twice = await lineage.end(point);
    console.log(`  ${kills} kills ${point}: of ${channels.length * kills} messages ${twice} came twice`);
  });
}

test.run();

import { NotificationTrigger } from "@faultline/proto";
import { grpcClient } from "../../support/core/grpc.ts";
import { notifiedProject } from "../../support/notifications/notified-project.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { startServer } from "../../support/service/server.ts";
import type { Bench, Row } from "../bench.ts";
import { inTurn } from "../rounds.ts";
import { asStarted, doorOf } from "../service.ts";
import { ms, whole } from "../text.ts";
import { quietNotifications } from "./quiet-notifications.ts";

/** As many as a project may have. */
const channelCount = 20;
const goalRatio = 0.97;
const goalMiB = 30;

/** A port at which nobody listens. */
const closedPort = 1;

/**
 * The cost of notifications for ingestion while their receivers fail, and the time until a message arrives when nothing
 * else happens.
 */
export async function* notifications(bench: Bench): AsyncGenerator<Row> {
  yield* failingReceivers(bench);
  yield* quietNotifications(bench);
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
    const results = await inTurn(bench, { off: off.door, on: on.door }, { bytes: 5_000, groups: "200 new" });
    const { rate, p99Ms } = results.on;
    const more = results.on.peakMiB - results.off.peakMiB;
    const ratio = rate / results.off.rate;
    yield {
      measure: `events/s, 5 kB, ${channelCount} channels, receiver ${name}`,
      goal: `>= ${goalRatio} of no rule, p99 +<= 5 ms, +<= ${goalMiB} MiB`,
      measured: `${whole(rate)}/s (p99 ${ms(p99Ms)}), ${whole(more)} MiB more`,
      floor: `${whole(results.off.rate)}/s (p99 ${ms(results.off.p99Ms)}), ${whole(results.off.peakMiB)} MiB`,
      ratio,
      isMet: ratio >= goalRatio && p99Ms <= results.off.p99Ms + 5 && more <= goalMiB,
    };
    for (const { server, close } of [off, on]) {
      close();
      await server.stop();
    }
  }
}

/** A service with a project that sends new errors to channels at an address. Without an address it has no rule. */
async function start(port: number, url: string) {
  const env = { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: String(port || 1) };
  const server = await startServer({ env: { ...asStarted, ...env } });
  const client = grpcClient(server);
  const count = url === "" ? 0 : channelCount;
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
  return { server, door: { ...doorOf(server, project), pid: server.pid }, close: client.close };
}

import { NotificationTrigger } from "@faultline/proto";
import { grpcClient } from "../../support/core/grpc.ts";
import { notifiedProject } from "../../support/notifications/notified-project.ts";
import { receiver } from "../../support/notifications/receiver.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { startServer } from "../../support/service/server.ts";
import type { Bench, Row } from "../bench.ts";
import { residentMiB } from "../process-memory.ts";
import { inTurn } from "../rounds.ts";
import { asStarted, doorOf } from "../service.ts";
import { ms, whole } from "../text.ts";

/** As many as a project may have. */
const channelCount = 20;
const goalRatio = 0.97;
const goalMiB = 30;
const goalMs = 3_000;
const quietErrors = 20;

/** A port at which nobody listens. */
const closedPort = 1;

/** What notifications cost ingestion while their receivers fail, and how soon a message is there when all is quiet. */
export async function* notifications(bench: Bench): AsyncGenerator<Row> {
  yield* failingReceivers(bench);
  yield await quiet(bench);
}

async function* failingReceivers(bench: Bench): AsyncGenerator<Row> {
  bench.progress(`events/s with ${channelCount} channels whose receivers fail`);
  const hanging = await receiver();
  hanging.answers("hang");
  const failing = await receiver();
  failing.answers({ status: 500, body: "no" });
  const off = await start(0, "");
  const services = {
    off,
    hanging: await start(hanging.port, `${hanging.url}/hook`),
    refusing: await start(closedPort, `http://127.0.0.1:${closedPort}/hook`),
    failing: await start(failing.port, `${failing.url}/hook`),
  };
  const doors = {
    off: off.door,
    hanging: services.hanging.door,
    refusing: services.refusing.door,
    failing: services.failing.door,
  };
  const results = await inTurn(bench, doors, { bytes: 5_000, groups: "200" });
  const peakOff = residentMiB(off.server.pid, "at most");
  for (const name of ["hanging", "refusing", "failing"] as const) {
    const { rate, p99Ms } = results[name];
    const ratio = rate / results.off.rate;
    const more = residentMiB(services[name].server.pid, "at most") - peakOff;
    yield {
      measure: `events/s, 5 kB, ${channelCount} channels, receiver ${name}`,
      goal: `>= ${goalRatio} of no rule, p99 +<= 5 ms, +<= ${goalMiB} MiB`,
      measured: `${whole(rate)}/s (p99 ${ms(p99Ms)}), ${more} MiB more at most`,
      floor: `${whole(results.off.rate)}/s (p99 ${ms(results.off.p99Ms)}), ${peakOff} MiB at most`,
      ratio,
      isMet: ratio >= goalRatio && p99Ms <= results.off.p99Ms + 5 && more <= goalMiB,
    };
  }
  for (const { server } of Object.values(services)) await server.stop();
}

async function quiet(bench: Bench): Promise<Row> {
  bench.progress("a new error until its webhook is there");
  const other = await receiver();
  const { server, project, close } = await start(other.port, `${other.url}/hook`, quietErrors / 5);
  const times: number[] = [];
  const before = other.received.length;
  // A channel gets five messages one by one, so that several take turns.
  for (let n = 0; n < quietErrors; n += quietErrors / 5) {
    const begun = performance.now();
    await sendEvent(server, project, { event_id: newEventId(), message: `quiet ${"abcdefghijklmnopqrst"[n]} error` });
    for (let got = n; got < n + quietErrors / 5; got += 1) {
      await until("the webhook", () => other.received.length - before > got, { deadlineMs: 30_000, everyMs: 2 });
      times.push(performance.now() - begun);
    }
  }
  close();
  await server.stop();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
  return {
    measure: "a new error until its webhook is there, quiet",
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

import { setTimeout as delay } from "node:timers/promises";
import { http } from "../../support/http/http.ts";
import { launch } from "../../support/service/server.ts";
import { until } from "../../support/run/until.ts";
import type { Bench, Row } from "../bench.ts";
import { storedEvents } from "../database-files.ts";
import { freePort } from "../free-port.ts";
import { generate } from "../generate.ts";
import { nextSeed } from "../rounds.ts";
import { asStarted, doorOf } from "../service.ts";
import { whole } from "../text.ts";

const goalSeconds = 3;

/** So long it takes events before it is killed: the log is as long then as it gets. */
const loadMs = 3_000;

/** How long a start takes after a kill in the middle of ingestion: from the call until readiness answers 200. */
export async function* start(bench: Bench): AsyncGenerator<Row> {
  const { events, rounds, connections, progress } = bench;
  const { dataDir, project } = await bench.largeDatabase(events);
  progress(`start after kill -9, ${whole(events)} events stored`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const startedAt = performance.now();
    const service = launch({ dataDir, env: { ...asStarted, FAULTLINE_HTTP_PORT: `${port}` } });
    try {
      await until("readiness", () => isReady(url), { deadlineMs: 120_000, everyMs: 5 });
      const seconds = (performance.now() - startedAt) / 1000;
      progress(`ready after ${seconds.toFixed(2)} s`);
      if (round > 0) times.push(seconds); // the first comes after an orderly stop
      const before = storedEvents(dataDir);
      const load = { ...doorOf({ url }, project), bytes: 5_000, groups: "200", connections } as const;
      const loading = generate({ ...load, seconds: 10, seed: nextSeed() });
      await until("the first event", () => storedEvents(dataDir) > before, { deadlineMs: 60_000 });
      await delay(loadMs);
      service.process.kill("SIGKILL");
      await loading;
    } catch (error) {
      throw new Error(`${String(error)}\n${service.output()}`, { cause: error });
    } finally {
      service.process.kill("SIGKILL");
      await service.ended;
    }
  }
  yield {
    measure: `start after kill -9, ${whole(events)} events stored`,
    goal: `<= ${goalSeconds} s`,
    measured: times.map((seconds) => `${seconds.toFixed(2)} s`).join(", "),
    isMet: Math.max(...times) <= goalSeconds,
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await http(`${url}/-/readiness`)).status === 200;
  } catch {
    return false; // it does not listen yet
  }
}

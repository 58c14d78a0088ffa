import { setTimeout as delay } from "node:timers/promises";
import type { Bench, Row } from "../bench.ts";
import { residentMiB } from "../process-memory.ts";
import { startService } from "../service.ts";

const goalMiB = 120;
const idleSeconds = 30;

/** The memory of the service when nobody sends anything. */
export async function* idleMemory({ progress }: Bench): AsyncGenerator<Row> {
  progress(`memory after ${idleSeconds} s without traffic`);
  await using service = await startService();
  await delay(idleSeconds * 1000);
  const { pid } = service.server;
  const resident = residentMiB(pid, "now");
  const measured = `${resident} MiB after ${idleSeconds} s, ${residentMiB(pid, "at most")} at most`;
  yield { measure: "resident memory, idle", goal: `<= ${goalMiB} MiB`, measured, isMet: resident <= goalMiB };
}

import { grpcClient } from "../support/core/grpc.ts";
import { storedErrors } from "../support/database/stored.ts";
import type { Bench, Row } from "./bench.ts";
import { residentMiB } from "./process-memory.ts";
import type { RequestOptions } from "./requests.ts";
import { inTurn, type InTurn } from "./rounds.ts";
import { startService } from "./service.ts";
import { ms, whole } from "./text.ts";

export interface Comparison {
  readonly name: string;
  readonly bytes: number;
  readonly groups: Exclude<RequestOptions["groups"], "200 new">;
  /** At least this part of the floor's rate. */
  readonly goal: number;
}

/** Compares a new service with the floor. Fails if an acknowledged event is not readable. */
export async function besideFloor(
  bench: Bench,
  { name, bytes, groups, goal }: Comparison,
): Promise<{ row: Row; peakMiB: number }> {
  const what = `events/s, ${bytes / 1000} kB, ${name}`;
  bench.progress(what);
  await using service = await startService();
  const { floor, ours } = await inTurn(
    bench,
    { floor: { ...service.door, url: bench.floorUrl }, ours: service.door },
    { bytes, groups },
  );
  const peakMiB = residentMiB(service.server.pid, "at most");

  const client = grpcClient(service.server);
  const errors = await storedErrors(client, service.project.id);
  client.close();
  const readable = errors.reduce((sum, { eventCount }) => sum + eventCount, 0);
  if (readable !== ours.acknowledged) throw new Error(`${ours.acknowledged} acknowledged, ${readable} readable`);
  const expected = { one: 1, "200": 200, new: ours.acknowledged }[groups];
  if (errors.length !== expected) throw new Error(`${errors.length} errors instead of ${expected}`);

  const ratio = ours.rate / floor.rate;
  const row = {
    measure: what,
    goal: `>= ${goal}`,
    measured: said(ours),
    floor: said(floor),
    ratio,
    isMet: ratio >= goal,
  };
  return { row, peakMiB };
}

function said({ rate, p50Ms, p99Ms }: InTurn): string {
  return `${whole(rate)}/s (p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)})`;
}

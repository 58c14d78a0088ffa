import type { Bench, Row } from "../bench.ts";
import { inTurn } from "../rounds.ts";
import { startService } from "../service.ts";
import { whole } from "../text.ts";

const goal = 0.9;

/** The rate of a service that has stored much, compared with an empty service. */
export async function* filled(bench: Bench): AsyncGenerator<Row> {
  for (const events of new Set([Math.min(1_000_000, bench.events), bench.events])) {
    const stored = await bench.largeDatabase(events);
    bench.progress(`events/s beside ${whole(events)} stored ones`);
    await using service = await startService(stored);
    await using emptyService = await startService();
    const doors = { empty: emptyService.door, filled: service.door };
    const { empty, filled: full } = await inTurn(bench, doors, { bytes: 5_000, groups: "200" });
    const ratio = full.rate / empty.rate;
    yield {
      measure: `events/s, 5 kB, ${whole(events)} events stored`,
      goal: `>= ${goal} of empty`,
      measured: `${whole(full.rate)}/s`,
      floor: `${whole(empty.rate)}/s (ours, empty)`,
      ratio,
      isMet: ratio >= goal,
    };
  }
}

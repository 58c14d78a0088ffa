/**
 * The long run of all properties, or of the properties with these words in their claim: `npm run test:fuzz -- [words]`.
 * It does 200,000 runs of each with seed 1, unless `--runs 1000` and `--seed 7` say otherwise. A seed repeats a run.
 */
import { parseArgs } from "node:util";
import { bombard } from "./bombardment.ts";
import { check } from "./claim.ts";
import { claims } from "./claims.ts";

const { values, positionals } = parseArgs({
  options: { runs: { type: "string", default: "200000" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});
const [runs, seed] = [Number(values.runs), Number(values.seed)];
console.log(`${runs} runs of each property, seed ${seed}`);

for (const { claim, property } of claims) await timed(claim, () => check(property, { runs, seed }));

await timed("generated and damaged requests are answered and stored as they should", async () => {
  const { statuses, storedCount, sessionCount, controlCount, slowest, resident } = await bombard({ runs, seed });
  const answers = Object.entries(statuses).map(([status, count]) => `${count} of ${status}`);
  const [early, late] = resident.map((bytes) => (bytes === undefined ? "?" : Math.round(bytes / 1024 / 1024)));
  console.log(`  answers: ${answers.join(", ")}`);
  console.log(`  round trips: ${storedCount} events, ${sessionCount} sessions; ${controlCount} control events`);
  console.log(`  memory: ${early} MiB after the first fifth, ${late} MiB at the end`);
  console.log(`  slowest answer: ${Math.round(slowest.ms)} ms to\n${slowest.request.slice(0, 2_000)}`);
});

/** Prints the time, or the failure, and continues. */
async function timed(claim: string, work: () => Promise<void>): Promise<void> {
  if (!claim.includes(positionals.join(" "))) return;
  const startedAt = performance.now();
  let mark = "ok  ";
  try {
    await work();
  } catch (error) {
    mark = "FAIL";
    process.exitCode = 1;
    console.log(error instanceof Error ? error.message : error);
  }
  console.log(`${mark} ${((performance.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  ${claim}`);
}

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ReadingTurns, type ReadingSteps } from "../../../plugins/source-maps/src/uploads/reading-turns.ts";

const test = suite("turns of uploads");

/** A bundle: who uploaded it for which project, and what its steps take. */
interface Bundle {
  readonly name: string;
  readonly person?: string;
  readonly project?: string;
  readonly steps: number;
  readonly files?: number;
  readonly ms?: number;
  readonly restMs?: number;
}

/**
 * Reads bundles on a clock that their steps move. Returns the names of the bundles that had a turn, in order, and the
 * faults.
 */
async function read(bundles: readonly Bundle[]) {
  const time = { at: 0, rested: 0 };
  const turns = new ReadingTurns({ now: () => time.at, restedMs: () => time.rested });
  const had: string[] = [];
  const faults: string[] = [];
  async function* stepsOf({ name, steps, files = 1, ms = 1, restMs = 0 }: Bundle): ReadingSteps {
    try {
      for (let n = 0; n < steps; n++) {
        had.push(name);
        await new Promise<void>((resolve) => setImmediate(resolve));
        time.at += ms + restMs;
        time.rested += restMs;
        yield files;
      }
    } catch (fault) {
      faults.push(`${name} after ${time.at / 60_000} minutes: ${(fault as Error).message}`);
    }
  }
  await Promise.all(
    bundles.map((bundle) => {
      const { name, person = name, project = name } = bundle;
      return turns.read([`user ${person}`, `project ${project}`], () => stepsOf(bundle));
    }),
  );
  return { faults, had, turns: had.filter((name, n) => name !== had[n - 1]) };
}

test("a small upload waits for one turn of a large one, not for its end", async () => {
  const { turns, had } = await read([
    { name: "large", steps: 1_000 },
    { name: "small", steps: 3 },
  ]);
  assert.equal(turns, ["large", "small", "large"]);
  assert.is(had.indexOf("small"), 64);
});

for (const [claim, bundle, stepsOfTurn] of [
  ["64 files", { files: 1, ms: 1 }, 64],
  ["one group of 64 files", { files: 64, ms: 1 }, 1],
  ["the step that reaches two seconds", { files: 1, ms: 750 }, 3],
  ["one step that takes longer", { files: 1, ms: 60_000 }, 1],
  ["steps without files, by their time", { files: 0, ms: 100 }, 20],
] as const) {
  test(`a turn ends with ${claim}`, async () => {
    const { had } = await read([
      { name: "one", steps: 100, ...bundle },
      { name: "two", steps: 1 },
    ]);
    assert.is(had.indexOf("two"), stepsOfTurn);
  });
}

test("people take turns, and the projects of one person share that person's turns", async () => {
  const { turns } = await read([
    { name: "a1", person: "ann", steps: 3, files: 64 },
    { name: "a2", person: "ann", steps: 3, files: 64 },
    { name: "b1", person: "bob", steps: 3, files: 64 },
  ]);
  assert.equal(turns, ["a1", "a2", "b1", "a1", "b1", "a2", "b1", "a1", "a2"]);
});

test("one person holds two half-read uploads, all people four; another begins when one of them has ended", async () => {
  const of = (person: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `${person}${n}`, person, steps: 2, files: 64 }));
  const begun = async (bundles: readonly Bundle[]) => [...new Set((await read(bundles)).had)];
  assert.equal(await begun([...of("a", 3), ...of("b", 1)]), ["a0", "a1", "b0", "a2"]);
  const { had } = await read([...of("a", 1), ...["b", "c", "d", "e"].map((name) => ({ name, steps: 9, files: 64 }))]);
  assert.equal(had.slice(0, 11), ["a0", "b", "c", "d", "a0", "b", "c", "d", "b", "c", "d"]);
  assert.is(had[11], "e");
});

test("an upload ends with a fault after ten minutes of work, in which the rests of its threads do not count", async () => {
  const { faults } = await read([
    { name: "costly", steps: 1_000, ms: 60_000 },
    { name: "resting", steps: 9, ms: 60_000, restMs: 3_600_000 },
  ]);
  assert.is(faults.length, 1);
  assert.match(faults[0] ?? "", /^costly .* more than 10 minutes of work\. Upload its files in several bundles\.$/);
});

test("a fault of one upload is not one of another, and what comes between touches no step", async () => {
  const turns = new ReadingTurns({ now: () => 0, restedMs: () => 0 });
  let isInStep = false;
  async function* steps(count: number): ReadingSteps {
    for (let n = 0; n < count; n++) {
      isInStep = true;
      await new Promise<void>((resolve) => setImmediate(resolve));
      isInStep = false;
      yield 64;
    }
  }
  async function* broken(): ReadingSteps {
    yield 64;
    throw new Error("broken");
  }
  const failing = turns.read(["user 1", "project 1"], broken).catch(({ message }: Error) => message);
  const reading = turns.read(["user 2", "project 2"], () => steps(5));
  for (let n = 0; n < 5; n++)
    await turns.between(() => {
      assert.not(isInStep);
      return Promise.resolve();
    });
  await reading;
  assert.is(await failing, "broken");
});

test.run();

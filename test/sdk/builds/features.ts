import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ArtifactBundleState, SourceMapVerdict, type Event, type Frame } from "@faultline/proto";
import * as assert from "uvu/assert";
import { eventOf, type Feature, type Outcome } from "../feature.ts";
import { grouped } from "../grouping.ts";

/** The place where the page throws, by the tag `case`. */
const thrown = {
  typescript: { file: "checkout.ts", functions: ["billOf", "totalOf"] },
  react: { file: "Till.tsx", functions: ["pay"] },
  svelte: { file: "Basket.svelte", functions: ["removeFirst"] },
};

type Case = keyof typeof thrown;

/** The stored and shown parts of the errors of a build: their original file, line, function and source. */
export const buildFeatures: readonly Feature[] = [
  { name: "the build uploads its map without warnings", program: "build", check: assertUploaded },
  mapped("an error in TypeScript is shown as its source", "typescript"),
  mapped("an error in a React component (tsx) is shown as its source", "react"),
  mapped("an error in a Svelte component is shown as its source", "svelte"),
  grouped(
    "three unnamed handlers are three errors, by their source lines",
    "doors",
    [
      ["Error: Ann cannot open the door", "Error: Bo cannot open the door"],
      ["Error: Ann rang in vain", "Error: Bo rang in vain"],
      ["Error: Ann has no key", "Error: Bo has no key"],
    ],
    "build",
  ),
  { name: "unnamed handlers appear in their source", program: "build", check: assertPlaces },
  { name: "all frames of the page's file are mapped", program: "build", check: assertAllMapped },
  { name: "the console's page shows the source", program: "build", check: assertOnPage },
];

function mapped(name: string, of: Case): Feature {
  return {
    name,
    program: "build",
    check: (outcome) => {
      const { file, functions } = thrown[of];
      const frames = framesOf(eventOf(outcome, of)).slice(-functions.length);
      assert.equal(
        frames.map((frame) => [frame.function, frame.filename.split("/").at(-1), frame.inApp]),
        functions.map((one) => [one, file, true]),
      );
      const { lines, at } = sourceOf(of);
      const top = frames.at(-1);
      assert.equal([top?.lineno, top?.contextLine], [at + 1, lines[at]]);
      assert.equal(top?.preContext, lines.slice(Math.max(at - 5, 0), at));
      assert.equal(top?.postContext, lines.slice(at + 1, at + 6));
    },
  };
}

async function assertUploaded({ uploads }: Outcome): Promise<void> {
  const shown = (await uploads()).map(({ state, warnings, mappedFileCount }) => [state, warnings, mappedFileCount]);
  assert.equal(shown, [[ArtifactBundleState.OK, [], 1]]);
}

async function assertPlaces(outcome: Outcome): Promise<void> {
  const ids = new Set(outcome.events.filter(({ tags }) => tags["case"] === "doors").map(({ errorId }) => errorId));
  const places = (await outcome.errors()).filter(({ errorId }) => ids.has(errorId)).map(({ culprit }) => culprit);
  const anonymous = "HTMLButtonElement.<anonymous>(doors)";
  assert.equal(places.toSorted(), [anonymous, anonymous, "lock.onclick(doors)"]);
}

function assertAllMapped({ events }: Outcome): void {
  const frames = events.flatMap(framesOf);
  assert.ok(frames.length > 10);
  const unmapped = frames.filter(({ sourceMapping }) => sourceMapping?.verdict !== SourceMapVerdict.MAPPED);
  assert.equal(
    unmapped.map(({ absPath, lineno, colno, sourceMapping }) => [absPath, lineno, colno, sourceMapping?.cause]),
    [],
  );
}

async function assertOnPage(outcome: Outcome): Promise<void> {
  const { lines, at } = sourceOf("svelte");
  const trace = await outcome.traceOnPage(eventOf(outcome, "svelte"));
  assert.match(trace, new RegExp(`Basket\\.svelte in removeFirst\\s+raised here\\s+${at + 1}:`));
  assert.ok(trace.includes(lines[at]?.trim() ?? ""), trace);
}

const framesOf = ({ exceptions }: Event): readonly Frame[] => exceptions.flatMap(({ frames }) => frames);

/** The lines of a source, and the line that throws. */
function sourceOf(of: Case): { readonly lines: readonly string[]; readonly at: number } {
  const lines = readFileSync(join(import.meta.dirname, "sources", thrown[of].file), "utf8").split("\n");
  return { lines, at: lines.findIndex((line) => line.endsWith(`// thrown: ${of}`)) };
}

import { SourceMapVerdict as Verdict, type Frame, type SourceMapping } from "@faultline/proto";
import { betterName, mappedName, type Found } from "../mapping/look-up.ts";
import type { ContextLines } from "../mapping/lines/context-lines.ts";
import { absolutePath, displayName, isInApp, moduleName } from "../mapping/source-path.ts";
import type { StoredSource } from "../uploads/stored-source.ts";
import type { Artifact } from "./artifacts.ts";
import type { EventBudget, Reading } from "./reading.ts";
import { verdicts, type Unmapped } from "./verdicts.ts";

/** The result for a frame; without place and reason, the frame is not minified JavaScript. */
export interface Resolved {
  readonly artifact?: Artifact;
  readonly unmapped?: Unmapped;
}

/** Where the map has a frame. */
export interface Place {
  readonly artifact: Artifact;
  readonly found: Found;
  readonly source: StoredSource;
}

/**
 * The frames of a stack, the oldest call first, each with its source or the reason why not. The newest ones have their lines
 * if the budget does not suffice for all. Fails with `callerLeft()`.
 */
export async function mappedFrames(
  reading: Reading,
  frames: readonly Frame[],
  { resolved, budget }: { readonly resolved: readonly Resolved[]; readonly budget: EventBudget },
): Promise<Frame[]> {
  const places = await placesOf(reading, frames, { resolved, budget });
  const mapped: Frame[] = [];
  for (const [n, frame] of [...frames.entries()].toReversed()) {
    await budget.next();
    const place = places[n];
    const caller = places[n - 1];
    const callerToken = caller && "found" in caller ? caller.found.name : undefined;
    if (!place) mapped.push(frame);
    else if ("verdict" in place) mapped.push({ ...frame, sourceMapping: mappingOf(place) });
    else mapped.push(await mappedFrame(reading, frame, { ...place, callerToken, budget }));
  }
  return mapped.toReversed();
}

/** Frames that are looked up at the same time: each waits for up to six pages of an index. */
const placesAtOnce = 8;

/** The places of the frames of a stack in their sources, or the reasons why there are no places. Fails with `callerLeft()`. */
export async function placesOf(
  reading: Reading,
  frames: readonly Pick<Frame, "lineno" | "colno">[],
  { resolved, budget }: { readonly resolved: readonly Resolved[]; readonly budget: EventBudget },
): Promise<(Place | Unmapped | undefined)[]> {
  const places: (Place | Unmapped | undefined)[] = [];
  for (let n = 0; n < frames.length; n += placesAtOnce) {
    await budget.next();
    const some = frames.slice(n, n + placesAtOnce);
    places.push(...(await Promise.all(some.map((frame, m) => placeOf(reading, frame, resolved[n + m] ?? {})))));
  }
  return places;
}

async function placeOf(
  { log, find }: Reading,
  { lineno, colno }: Pick<Frame, "lineno" | "colno">,
  { artifact, unmapped }: Resolved,
): Promise<Place | Unmapped | undefined> {
  if (!artifact) return unmapped;
  const { indexBlobId, sourcesBlobId } = artifact;
  if (indexBlobId === null || sourcesBlobId === null) return verdicts.storageLost();
  try {
    const there = await find({ indexBlobId, sourcesBlobId }, lineno, colno);
    if (!there) return verdicts.positionOutside(lineno, colno);
    const { found, source } = there;
    return source ? { artifact, found, source } : verdicts.storageLost();
  } catch (error) {
    log.error({ err: error, bundleId: artifact.bundleId }, "a stored source map could not be read");
    return verdicts.storageLost();
  }
}

/** The names of a frame by its source. */
export function sourceOf(
  frame: Pick<Frame, "absPath" | "function">,
  { artifact, found, source }: Place,
  callerToken: string | undefined,
) {
  return {
    filename: displayName(source.name),
    absPath: absolutePath(source.name, frame.absPath || artifact.url),
    module: moduleName(source.name),
    function: betterName(mappedName(found), callerToken) ?? frame.function,
    inApp: isInApp(source.name, source.isIgnored),
  };
}

/** The source line of a place; empty if there is no line, or no room for it. */
export async function sourceLine(reading: Reading, place: Place, budget: EventBudget): Promise<string> {
  const lines = await linesOf(reading, place, budget);
  return "line" in lines ? lines.line : "";
}

/** The lines around a place, or why they are not shown. */
async function linesOf(
  { log, linesAround }: Reading,
  { artifact, found: { line, column }, source: { blobId } }: Place,
  budget: EventBudget,
): Promise<ContextLines | Unmapped> {
  if (blobId === null) return verdicts.noText();
  try {
    const lines = await linesAround({ blobId, line, column }, budget);
    return lines === "beyond budget" ? verdicts.beyondBudget() : (lines ?? verdicts.noText());
  } catch (error) {
    log.error({ err: error, bundleId: artifact.bundleId }, "a stored source could not be read");
    return verdicts.textLost();
  }
}

async function mappedFrame(
  reading: Reading,
  frame: Frame,
  { callerToken, budget, ...place }: Place & { readonly callerToken: string | undefined; readonly budget: EventBudget },
): Promise<Frame> {
  const { artifact, found } = place;
  const { filename, absPath, function: name, lineno, colno, contextLine } = frame;
  const lines = await linesOf(reading, place, budget);
  const context = "line" in lines ? lines : undefined;
  const mapping: SourceMapping = {
    $typeName: "faultline.v1.SourceMapping",
    ...("verdict" in lines ? lines : { verdict: Verdict.MAPPED, cause: "", nextStep: "" }),
    minified: {
      $typeName: "faultline.v1.MinifiedFrame",
      filename,
      absPath,
      function: name,
      lineno,
      colno,
      contextLine,
      module: "",
    },
    bundleId: artifact.bundleId,
    inlined: false,
  };
  return {
    ...frame,
    ...sourceOf(frame, place, callerToken),
    lineno: found.line,
    colno: found.column,
    preContext: [...(context?.before ?? [])],
    contextLine: context?.line ?? "",
    postContext: [...(context?.after ?? [])],
    sourceMapping: mapping,
  };
}

/** The mapping of a frame that shows no source. */
export const mappingOf = ({ verdict, cause, nextStep }: Unmapped): SourceMapping => ({
  $typeName: "faultline.v1.SourceMapping",
  verdict,
  cause,
  nextStep,
  bundleId: 0,
  inlined: false,
});

import { SourceMapVerdict as Verdict, type Frame, type SourceMapping } from "@faultline/proto";
import { betterName, mappedName } from "../mapping/better-name.ts";
import type { Found } from "../mapping/look-up.ts";
import { absolutePath, displayName, isInApp, moduleName } from "../mapping/source-path.ts";
import type { StoredSource } from "../uploads/stored-source.ts";
import type { Artifact } from "./artifacts.ts";
import type { Reading } from "./reading.ts";
import { verdicts, type Unmapped } from "./verdicts.ts";

/** What was found for a frame; neither: it is no minified JavaScript. */
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

/** The frames of a stack, the oldest call first, each with its source or the reason why not. */
export async function mappedFrames(
  reading: Reading,
  frames: readonly Frame[],
  resolved: readonly Resolved[],
): Promise<Frame[]> {
  const places = await Promise.all(frames.map((frame, n) => placeOf(reading, frame, resolved[n] ?? {})));
  const mapped: Frame[] = [];
  // One after the other: a source may have megabytes, and the sender of an event chooses the places.
  for (const [n, frame] of frames.entries()) {
    const place = places[n];
    const caller = places[n - 1];
    const callerToken = caller && "found" in caller ? caller.found.name : undefined;
    if (!place) mapped.push(frame);
    else if ("verdict" in place) mapped.push({ ...frame, sourceMapping: mappingOf(place) });
    else mapped.push(await mappedFrame(reading, frame, { ...place, callerToken }));
  }
  return mapped;
}

/** The place of a frame in its source, or why there is none. */
export async function placeOf(
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

/** What a frame is called by its source. */
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

/** The source line of a place; empty where the map has no text of it. */
export async function sourceLine({ linesAround }: Reading, { found, source }: Place): Promise<string> {
  if (source.blobId === null) return "";
  const context = await linesAround(source.blobId, found.line, found.column).catch(() => undefined);
  return context?.line ?? "";
}

async function mappedFrame(
  { linesAround }: Reading,
  frame: Frame,
  { callerToken, ...place }: Place & { readonly callerToken: string | undefined },
): Promise<Frame> {
  const { artifact, found, source } = place;
  const { filename, absPath, function: name, lineno, colno, contextLine } = frame;
  const context =
    source.blobId === null
      ? undefined
      : await linesAround(source.blobId, found.line, found.column).catch(() => undefined);
  const mapping: SourceMapping = {
    $typeName: "faultline.v1.SourceMapping",
    verdict: context ? Verdict.MAPPED : Verdict.MAPPED_WITHOUT_SOURCE,
    cause: context ? "" : "The map has no text of this source.",
    nextStep: context ? "" : "Let the bundler write sourcesContent into its maps.",
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

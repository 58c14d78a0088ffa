import type { Log } from "@faultline/plugin";
import { SourceMapVerdict as Verdict, type Frame, type SourceMapping } from "@faultline/proto";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { betterName } from "../mapping/better-name.ts";
import { contextLines } from "../mapping/context-lines.ts";
import { lookUp, type Found } from "../mapping/look-up.ts";
import { absolutePath, displayName, isInApp, moduleName } from "../mapping/source-path.ts";
import type { StoredSource } from "../uploads/stored-source.ts";
import type { Artifact } from "./artifacts.ts";
import { verdicts, type Unmapped } from "./verdicts.ts";

/** What was found for a frame; neither: it is no minified JavaScript. */
export interface Resolved {
  readonly artifact?: Artifact;
  readonly unmapped?: Unmapped;
}

/** What reading the places of a stack needs; frames of one file share its list of sources. */
interface Reading {
  readonly blobs: BlobReader;
  readonly log: Log;
  readonly sourcesOf: (blobId: number) => Promise<readonly StoredSource[]>;
}

interface Place {
  readonly artifact: Artifact;
  readonly found: Found;
  readonly source: StoredSource;
}

/** The frames of a stack, the oldest call first, each with its source or the reason why not. */
export async function mappedFrames(
  { blobs, log }: { readonly blobs: BlobReader; readonly log: Log },
  frames: readonly Frame[],
  resolved: readonly Resolved[],
): Promise<Frame[]> {
  const reading: Reading = { blobs, log, sourcesOf: listsOf(blobs) };
  const places = await Promise.all(frames.map((frame, n) => placeOf(reading, frame, resolved[n] ?? {})));
  return Promise.all(
    frames.map(async (frame, n) => {
      const place = places[n];
      if (!place) return frame;
      if ("verdict" in place) return { ...frame, sourceMapping: mappingOf(place) };
      const caller = places[n - 1];
      const callerToken = caller && "found" in caller ? caller.found.name : undefined;
      return mappedFrame(blobs, frame, { ...place, callerToken });
    }),
  );
}

async function placeOf(
  { blobs, log, sourcesOf }: Reading,
  { lineno, colno }: Frame,
  { artifact, unmapped }: Resolved,
): Promise<Place | Unmapped | undefined> {
  if (!artifact) return unmapped;
  const { indexBlobId, sourcesBlobId } = artifact;
  if (indexBlobId === null || sourcesBlobId === null) return verdicts.storageLost();
  try {
    const [index, sources] = await Promise.all([blobs.open(indexBlobId), sourcesOf(sourcesBlobId)]);
    const found = await lookUp(index, { line: lineno, column: colno });
    if (!found) return verdicts.positionOutside(lineno, colno);
    const source = sources[found.source];
    return source ? { artifact, found, source } : verdicts.storageLost();
  } catch (error) {
    log.error({ err: error, bundleId: artifact.bundleId }, "a stored source map could not be read");
    return verdicts.storageLost();
  }
}

function listsOf(blobs: BlobReader): Reading["sourcesOf"] {
  const lists = new Map<number, Promise<readonly StoredSource[]>>();
  const read = async (blobId: number) =>
    JSON.parse(Buffer.from(await blobs.whole(blobId)).toString()) as StoredSource[]; // as the plugin stored it
  return (blobId) => {
    const list = lists.get(blobId) ?? read(blobId);
    lists.set(blobId, list);
    return list;
  };
}

async function mappedFrame(
  blobs: BlobReader,
  frame: Frame,
  { artifact, found, source, callerToken }: Place & { readonly callerToken: string | undefined },
): Promise<Frame> {
  const { filename, absPath, function: name, lineno, colno, contextLine } = frame;
  const content = source.blobId === null ? undefined : await blobs.whole(source.blobId).catch(() => undefined);
  const context = content && contextLines(Buffer.from(content).toString(), found.line, found.column);
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
    },
    bundleId: artifact.bundleId,
  };
  return {
    ...frame,
    filename: displayName(source.name),
    absPath: absolutePath(source.name, absPath || artifact.url),
    module: moduleName(source.name),
    function: betterName(found.functionName, callerToken) ?? name,
    lineno: found.line,
    colno: found.column,
    inApp: isInApp(source.name, source.isIgnored),
    preContext: [...(context?.before ?? [])],
    contextLine: context?.line ?? "",
    postContext: [...(context?.after ?? [])],
    sourceMapping: mapping,
  };
}

const mappingOf = ({ verdict, cause, nextStep }: Unmapped): SourceMapping => ({
  $typeName: "faultline.v1.SourceMapping",
  verdict,
  cause,
  nextStep,
  bundleId: 0,
});

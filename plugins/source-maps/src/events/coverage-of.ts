import type { MessageInitShape } from "@bufbuild/protobuf";
import { SourceMapVerdict as Verdict, type Event, type FileCoverageSchema, type SourceMapping } from "@faultline/proto";
import { addressOfFrame, framesOf } from "./frames.ts";

const filesListed = 100;

interface File {
  readonly url: string;
  frames: number;
  mapped: number;
  readonly unmapped: Map<Verdict, { readonly mapping: SourceMapping; count: number }>;
}

/** The frames of events by file: first the files with frames that are not mapped, the most such frames first. */
export function coverageOf(events: readonly Event[]): MessageInitShape<typeof FileCoverageSchema>[] {
  const files = new Map<string, File>();
  for (const frame of events.flatMap(framesOf)) {
    const { sourceMapping } = frame;
    if (!sourceMapping) continue; // no minified code
    const url = addressOfFrame(sourceMapping.minified ?? frame);
    const file: File = files.get(url) ?? { url, frames: 0, mapped: 0, unmapped: new Map() };
    files.set(url, file);
    file.frames += 1;
    if (sourceMapping.minified) file.mapped += 1;
    else {
      const reason = file.unmapped.get(sourceMapping.verdict) ?? { mapping: sourceMapping, count: 0 };
      file.unmapped.set(sourceMapping.verdict, { ...reason, count: reason.count + 1 });
    }
  }
  return [...files.values()]
    .toSorted((a, b) => b.frames - b.mapped - (a.frames - a.mapped) || b.frames - a.frames)
    .slice(0, filesListed)
    .map(({ url, frames, mapped, unmapped }) => {
      const [commonest] = [...unmapped.values()].toSorted((a, b) => b.count - a.count);
      const { verdict, cause, nextStep } = commonest?.mapping ?? {
        verdict: Verdict.UNSPECIFIED,
        cause: "",
        nextStep: "",
      };
      return { url, frameCount: frames, mappedFrameCount: mapped, verdict, cause, nextStep };
    });
}

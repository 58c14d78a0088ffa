import type { DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, type Host } from "@faultline/plugin";
import {
  ErrorService,
  ErrorSort,
  EventPosition,
  type Event,
  type GetSourceCoverageResponseSchema,
  SourceMapVerdict as Verdict,
  type FileCoverageSchema,
  type SourceMapping,
} from "@faultline/proto";
import { uploadsOf } from "./artifacts.ts";
import { addressOfFrame, framesOf } from "./frames.ts";

const errorsLookedAt = 20;

/** The methods of the core that the plugin calls by itself. */
export const coverageCalls: readonly DescMethodUnary[] = [ErrorService.method.listErrors, ErrorService.method.getEvent];

/** How much of the newest stack traces of a release, or of all, is mapped; nothing in a project without uploads. */
export async function readCoverage(
  host: Host,
  asked: { readonly projectId: number; readonly release: string },
  signal: AbortSignal | undefined,
): Promise<Coverage> {
  if (asked.release.length > 200) throw invalidField("release", "A release has at most 200 characters.");
  const { count } = await uploadsOf(host, asked.projectId);
  return count === 0 ? { eventCount: 0, files: [] } : lookAt(host, asked, signal);
}

type Coverage = MessageInitShape<typeof GetSourceCoverageResponseSchema>;

async function lookAt(
  host: Host,
  { projectId, release }: { readonly projectId: number; readonly release: string },
  signal: AbortSignal | undefined,
): Promise<Coverage> {
  const query = release === "" ? "" : `release:${JSON.stringify(release)}`;
  const asked = { projectId, query, sort: ErrorSort.LAST_SEEN, pageSize: errorsLookedAt };
  const { errors } = await host.invoke(ErrorService.method.listErrors, asked, signal);
  const events: Event[] = [];
  // One after the other: each may read the sources of 250 frames.
  for (const { errorId } of errors) {
    const newest = { projectId, errorId, position: EventPosition.NEWEST, query };
    const { event } = await host.invoke(ErrorService.method.getEvent, newest, signal);
    if (event) events.push(event);
  }
  return { eventCount: events.length, files: coverageOf(events) };
}

const filesListed = 100;

interface File {
  readonly url: string;
  frames: number;
  mapped: number;
  readonly unmapped: Map<Verdict, { readonly mapping: SourceMapping; count: number }>;
}

/** The frames of events by file: first the files with frames that are not mapped, the most such frames first. */
function coverageOf(events: readonly Event[]): MessageInitShape<typeof FileCoverageSchema>[] {
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

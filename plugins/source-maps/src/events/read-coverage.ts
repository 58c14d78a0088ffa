import type { DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, type Host } from "@faultline/plugin";
import {
  ErrorService,
  ErrorSort,
  EventPosition,
  type Event,
  type GetSourceCoverageResponseSchema,
} from "@faultline/proto";
import { coverageOf } from "./coverage-of.ts";
import { uploadsOf } from "./uploads-of.ts";

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

import type { DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, ServiceError, type Host } from "@faultline/plugin";
import { FairQueue } from "@faultline/plugin/flow";
import {
  ErrorReason,
  ErrorService,
  ErrorSort,
  EventPosition,
  type Event,
  type GetSourceCoverageResponseSchema,
} from "@faultline/proto";
import { coverageOf } from "./coverage-of.ts";
import { uploadsOf } from "./uploads-of.ts";

const errorsLookedAt = 20;

const refusal = () =>
  new ServiceError(ErrorReason.OVERLOADED, "Too many requests for it are running. Try again in a moment.");

/** Each reads up to 20 events with 250 frames each. People, and their projects, have one at a time and take turns. */
const turns = new FairQueue({ atOnce: 2, ofOwner: 1, waitingOfOwner: 5, refusal });

/** The methods of the core that the plugin calls by itself. */
export const coverageCalls: readonly DescMethodUnary[] = [ErrorService.method.listErrors, ErrorService.method.getEvent];

/** How much of the newest stack traces of a release, or of all, is mapped; nothing in a project without uploads. */
export async function readCoverage(
  host: Host,
  asked: { readonly projectId: number; readonly release: string },
  { userId, signal }: { readonly userId: number; readonly signal: AbortSignal | undefined },
): Promise<Coverage> {
  if (asked.release.length > 200) throw invalidField("release", "A release has at most 200 characters.");
  const { count } = await uploadsOf(host, asked.projectId);
  if (count === 0) return { eventCount: 0, files: [] };
  const owners = [`user ${userId}`, `project ${asked.projectId}`] as const;
  return turns.run({ owners, signal, left: refusal }, () => lookAt(host, asked, signal));
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

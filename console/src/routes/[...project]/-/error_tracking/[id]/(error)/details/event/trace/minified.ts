/** The sent frames of minified JavaScript and obfuscated Java, and why some show no source. */

import type { Exception, Frame, TrackedEvent } from "#lib/messages.ts";
import { sentrySlugs } from "#lib/projects/sentry-slugs.ts";
import { quoted } from "../http-request.ts";

/** Whether frames show sources in place of the sent code. */
export function isMapped({ exceptions, threads }: TrackedEvent): boolean {
  return (
    exceptions.some(({ obfuscated }) => obfuscated) ||
    [...exceptions, ...threads].some(({ frames }) => frames.some(({ sourceMapping }) => sourceMapping?.minified))
  );
}

/** The event with its sent frames. */
export function asSent(event: TrackedEvent): TrackedEvent {
  const sent = <Holder extends { readonly frames: readonly Frame[] }>(holder: Holder) => ({
    ...holder,
    frames: holder.frames.filter(({ sourceMapping }) => !sourceMapping?.inlined).map(minified),
  });
  const exceptions = event.exceptions.map((exception) => ({ ...sent(exception), ...typeAsSent(exception) }));
  return { ...event, exceptions, threads: event.threads.map(sent) };
}

const typeAsSent = ({ type, module, obfuscated }: Exception) => ({
  type: obfuscated?.type ?? type,
  module: obfuscated?.module ?? module,
});

function minified(frame: Frame): Frame {
  const sent = frame.sourceMapping?.minified;
  if (!sent) return frame;
  return { ...frame, ...sent, preContext: [], postContext: [], codeUrl: "" };
}

/** A reason why frames show no source, and the number of these frames. */
export interface UnmappedReason {
  readonly cause: string;
  readonly nextStep: string;
  readonly frameCount: number;
}

/** Whether frames are minified, and no upload ever showed their source. */
export const isNothingUploaded = ({ exceptions, threads }: TrackedEvent): boolean =>
  [...exceptions, ...threads].some(({ frames }) =>
    frames.some(({ sourceMapping }) => sourceMapping?.verdict === "SOURCE_MAP_VERDICT_NOTHING_UPLOADED"),
  );

/**
 * The command that uploads the build's files with their maps, for a POSIX shell: the release comes from an event, so it
 * is quoted.
 */
export function uploadCommand({ release }: TrackedEvent, projectPath: string, origin: string): string {
  const { organization, project } = sentrySlugs(projectPath);
  const cli = "npx @sentry/cli sourcemaps";
  return [
    `export SENTRY_URL=${origin} SENTRY_ORG=${organization} SENTRY_PROJECT=${project}`,
    `SENTRY_AUTH_TOKEN='a token with the scope upload'`,
    release === ""
      ? `&& ${cli} inject ./dist && ${cli} upload ./dist`
      : `&& ${cli} upload --release ${quoted(release)} ./dist`,
  ].join(" ");
}

/** Why frames show no source, the most frequent reason first. */
export function unmappedReasons({ exceptions, threads }: TrackedEvent): readonly UnmappedReason[] {
  const reasons = new Map<string, UnmappedReason>();
  for (const { sourceMapping } of [...exceptions, ...threads].flatMap(({ frames }) => frames)) {
    if (!sourceMapping?.cause || sourceMapping.verdict === "SOURCE_MAP_VERDICT_ALREADY_MAPPED") continue;
    const { cause, nextStep } = sourceMapping;
    reasons.set(cause, { cause, nextStep, frameCount: (reasons.get(cause)?.frameCount ?? 0) + 1 });
  }
  return [...reasons.values()].toSorted((a, b) => b.frameCount - a.frameCount);
}

import { millisecondsOf } from "@faultline/plugin";
import type { Error as TrackedError, Event, Frame } from "@faultline/proto";
import { shownException } from "@faultline/sentry-event";
import { cleanLine, type ProjectPlace } from "@faultline/plugin/text";

const shownFrames = 5;

/**
 * The text of an issue, in parts without markup. `facts`, `url` and `mark` are ours; everything else may come from a
 * stranger's event.
 */
export interface IssueText {
  readonly title: string;
  /** Numbers and times, such as `Events: 12`. */
  readonly facts: readonly string[];
  /** Type and value, place, level and releases, and the first frames of the application's own code. */
  readonly foreign: readonly string[];
  /** The page of the error. */
  readonly url: string;
  /** Identifies the issue in a later search. */
  readonly mark: string;
}

export interface IssueComment {
  /** Our own text. */
  readonly sentence: string;
  /** Lines that may come from a stranger. */
  readonly foreign: readonly string[];
  readonly url: string;
  readonly mark: string;
}

/** The text of the issue about an error. `event` is its newest event, if any. */
export function issueText(
  error: TrackedError,
  event: Event | undefined,
  { project, mark }: { project: ProjectPlace; mark: string },
): IssueText {
  const { eventCount, affectedUserCount, firstSeenTime, lastSeenTime, firstRelease, lastRelease } = error;
  return {
    title: cleanLine(error.title, 250) || "Error",
    facts: [
      ...(firstSeenTime ? [`First seen: ${new Date(millisecondsOf(firstSeenTime)).toISOString()}`] : []),
      ...(lastSeenTime ? [`Last seen: ${new Date(millisecondsOf(lastSeenTime)).toISOString()}`] : []),
      `Events: ${eventCount}`,
      `Users: ${affectedUserCount}`,
    ],
    foreign: [
      cleanLine(error.type === "" ? error.value || error.title : `${error.type}: ${error.value}`, 1_000),
      ...(error.culprit === "" ? [] : [`in ${cleanLine(error.culprit, 200)}`]),
      `Level: ${cleanLine(error.level, 20)}`,
      ...(firstRelease === "" ? [] : [`First release: ${cleanLine(firstRelease, 200)}`]),
      ...(lastRelease === "" ? [] : [`Last release: ${cleanLine(lastRelease, 200)}`]),
      ...framesOf(event),
    ],
    url: errorAddress(project, error.errorId),
    mark,
  };
}

export const errorAddress = ({ url }: ProjectPlace, errorId: string): string =>
  `${url}/${encodeURIComponent(errorId)}/details`;

/** The frames of the application's own code, nearest to the failure first. */
function framesOf(event: Event | undefined): string[] {
  const stack =
    shownException(event?.exceptions ?? [])?.frames ?? event?.threads.find(({ crashed }) => crashed)?.frames ?? [];
  const own = stack
    .filter(({ inApp }) => inApp)
    .toReversed()
    .slice(0, shownFrames);
  return own.flatMap(frameLines);
}

function frameLines({ filename, function: name, lineno, contextLine }: Frame, index: number): string[] {
  const place = `${filename || "unknown file"}${lineno > 0 ? `:${lineno}` : ""}`;
  const line = `    at ${cleanLine(place, 200)}${name === "" ? "" : ` in ${cleanLine(name, 100)}`}`;
  const source = cleanLine(contextLine, 200);
  return index === 0 && source !== "" ? [line, `       ${source}`] : [line];
}

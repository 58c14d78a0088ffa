import type { JsonObject } from "@faultline/sentry-event";
import { scrubbed } from "./scrub.ts";
import { stackFrames } from "./stack.ts";

/** A failure of the service, as it is reported. */
export interface Failure {
  readonly thrown: unknown;
  /** `core`, or the name of the plugin that failed. */
  readonly part: string;
  /** The work that failed, in our own words: never a text from outside. */
  readonly during: string;
  /** `fatal` ends the process. */
  readonly level: "error" | "fatal";
}

/** The service's own description in every event. */
export interface Sender {
  readonly version: string;
  readonly environment: string;
}

/** A chain of causes may be circular. */
const maxCauses = 5;

/**
 * The event of a failure in the form of Sentry SDKs: the errors with their causes, root cause first. It holds no
 * request, no name of the machine, no path outside the installation, and messages are scrubbed.
 */
export function ownEvent(
  { thrown, part, during, level }: Failure,
  { version, environment }: Sender,
  { eventId, now }: { eventId: string; now: number },
): JsonObject {
  return {
    event_id: eventId,
    timestamp: now / 1000,
    platform: "node",
    level,
    release: version,
    environment,
    server_name: "",
    sdk: { name: "faultline", version },
    tags: { part, during },
    exception: {
      values: causesOf(thrown)
        .map((error) => ({
          type: scrubbed(error.name),
          value: scrubbed(error.message),
          stacktrace: { frames: stackFrames(error).map((frame) => ({ ...frame })) },
        }))
        .toReversed(),
    },
  };
}

/** Identifies repetitions of a failure: its type and the place in our code that it came from. */
export function identityOf(thrown: unknown): string {
  const [error] = causesOf(thrown);
  const frames = error ? stackFrames(error).toReversed() : [];
  const top = frames.find((frame) => frame.in_app) ?? frames[0];
  return `${error?.name} ${top?.filename}:${top?.lineno}`;
}

/** The reported parts of a thrown value. */
interface Cause {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** The error and its causes, outermost first. */
function causesOf(thrown: unknown): Cause[] {
  const chain: Cause[] = [];
  for (let one = thrown; one !== undefined && one !== null && chain.length < maxCauses;) {
    chain.push(causeOf(one));
    one = one instanceof Error ? one.cause : undefined;
  }
  return chain;
}

/** Of a thrown value that is not an error only text and kind are reported: an object may hold anything. */
function causeOf(thrown: unknown): Cause {
  if (thrown instanceof Error) {
    return { name: String(thrown.name), message: String(thrown.message), stack: String(thrown.stack ?? "") };
  }
  const message = typeof thrown === "string" ? thrown : `A value of type ${typeof thrown} was thrown.`;
  return { name: "NotAnError", message, stack: "" };
}

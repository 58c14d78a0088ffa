import type { ArtifactBundle, Error as StoredError, Event, Release, UserFeedback } from "@faultline/proto";
import type { Exchange } from "./recorder.ts";

/**
 * A program in the folder of a language. The programs show what an SDK reports, how it meets limits, the lines of the
 * get-started page, feedback of users, faults in places without a name or with a generated name, and a build that
 * uploads its source maps and opens its page.
 */
export type Program = "report" | "limits" | "get-started" | "feedback" | "grouping" | "build";

/** The result of one run of a program. */
export interface Outcome {
  /** All that is stored, in no order. */
  readonly events: readonly Event[];
  /** The requests, in their order. */
  readonly exchanges: readonly Exchange[];
  /** The program's output. */
  readonly output: string;
  /** Reads the list of errors. */
  readonly errors: () => Promise<readonly StoredError[]>;
  /** Reads the releases with the sessions that are stored. */
  readonly releases: () => Promise<readonly Release[]>;
  /** Reads what users wrote. */
  readonly feedback: () => Promise<readonly UserFeedback[]>;
  /** Reads what was uploaded. */
  readonly uploads: () => Promise<readonly ArtifactBundle[]>;
  /** The text of the stack trace on the console's page of an event. */
  readonly traceOnPage: (event: Event) => Promise<string>;
}

/** A row of the matrix: a claim, and the program that shows it. */
export interface Feature {
  readonly name: string;
  readonly program: Program;
  readonly check: (outcome: Outcome) => void | Promise<void>;
}

/** The event that a program reported with the tag `case`. */
export function eventOf({ events }: Outcome, name: string): Event {
  const event = events.find(({ tags }) => tags["case"] === name);
  if (event === undefined) throw new Error(`no event has the tag case=${name}`);
  return event;
}

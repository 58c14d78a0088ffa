import type { Project } from "../support/core/project.ts";

/** A line of the table. */
export interface Row {
  readonly measure: string;
  /** From the goals in docs/performance.md. */
  readonly goal: string;
  readonly measured: string;
  /** The measure it is compared with, measured in turn with it. */
  readonly floor?: string;
  readonly ratio?: number;
  /** Whether the goal is met; undefined without a goal. */
  readonly isMet?: boolean;
}

/** The arguments of a measure. */
export interface Bench {
  readonly rounds: number;
  /** The length of a round of load. */
  readonly seconds: number;
  readonly connections: number;
  /** The length of the honest storm. */
  readonly stormSeconds: number;
  /** An installed checkout of the previous version; undefined if nothing is compared with it. */
  readonly before?: string | undefined;
  /** The number of events in the largest database. */
  readonly events: number;
  /** The address of the bare server. */
  readonly floorUrl: string;
  /** A database with so many events, made once in a run; measures may add to it. The service must be started in it. */
  largeDatabase(events: number): Promise<Stored>;
  /** Says on stderr what is going on. */
  progress(text: string): void;
}

/** A data directory with a project. */
export interface Stored {
  readonly dataDir: string;
  readonly project: Project;
}

/**
 * One measure: gives its rows as they are known. Fails when what it measured was not in order, such as an event that was
 * refused.
 */
export type Measure = (bench: Bench) => AsyncIterable<Row>;

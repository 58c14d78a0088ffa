import type { Host } from "@faultline/plugin";
import type { Backend, Error as TrackedError, NotificationTrigger } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { RuleRow, Tables } from "../../tables.ts";
import type { NewSignal } from "../../signal-detail.ts";

/** A look at a project, once a minute. */
export interface Look {
  readonly host: Host;
  readonly projectId: number;
  readonly backend: Backend;
  /** Those in force. */
  readonly rules: readonly RuleRow[];
  readonly now: number;
  /** The project is in a maintenance window. */
  readonly isMaintenance: boolean;
  /** What the polls knew last, by subject. */
  readonly states: ReadonlyMap<string, string>;
  /** Open errors that were seen lately; read once for all polls of a look. */
  seenErrors(): Promise<SeenErrors>;
  readonly signal: AbortSignal;
}

/** The unresolved errors that were seen within the last day, the newest first. */
export interface SeenErrors {
  readonly errors: readonly TrackedError[];
  /** There are more than were read. */
  readonly isCut: boolean;
}

/** What a look found. It is written in one transaction, so that a kill loses no signal and repeats none. */
export interface Found {
  readonly signals: readonly NewSignal[];
  /** New states by subject. */
  readonly states?: ReadonlyMap<string, object | undefined>;
  write?(tables: Kysely<Tables>): Promise<void>;
}

/** One thing that is looked at. */
export interface Poll {
  readonly triggers: readonly NotificationTrigger[];
  look(look: Look): Promise<Found>;
}

export const nothing: Found = { signals: [] };

/** The state that a poll wrote last. */
export function stateOf<State>({ states }: Pick<Look, "states">, subject: string): State | undefined {
  const state = states.get(subject);
  return state === undefined ? undefined : (JSON.parse(state) as State); // as the poll wrote it
}

import type { Host } from "@faultline/plugin";
import type { Backend, Error as TrackedError, NotificationTrigger } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { RuleRow, Tables } from "../../tables.ts";
import type { NewSignal } from "../../signal-detail.ts";

/** A check of a project, once a minute. */
export interface Look {
  readonly host: Host;
  readonly projectId: number;
  readonly backend: Backend;
  /** The active rules. */
  readonly rules: readonly RuleRow[];
  readonly now: number;
  /** The project is in a maintenance window. */
  readonly isMaintenance: boolean;
  /** The last states of the polls, by subject. */
  readonly states: ReadonlyMap<string, string>;
  /** Recently seen open errors, read once for all polls of a look. */
  seenErrors(): Promise<SeenErrors>;
  readonly signal: AbortSignal;
}

/** The unresolved errors that were seen within the last day, the newest first. */
export interface SeenErrors {
  readonly errors: readonly TrackedError[];
  /** More errors exist than were read. */
  readonly isCut: boolean;
}

/** The results of a look. They are written in one transaction, so that a kill neither loses nor repeats a signal. */
export interface Found {
  readonly signals: readonly NewSignal[];
  /** New states by subject. */
  readonly states?: ReadonlyMap<string, object | undefined>;
  write?(tables: Kysely<Tables>): Promise<void>;
}

/** A subject that is checked each minute. */
export interface Poll {
  readonly triggers: readonly NotificationTrigger[];
  look(look: Look): Promise<Found>;
}

export const nothing: Found = { signals: [] };

/** The state that a poll wrote last. */
export function stateOf<State>({ states }: Pick<Look, "states">, subject: string): State | undefined {
  const state = states.get(subject);
  return state === undefined ? undefined : (JSON.parse(state) as State); // written by the poll
}

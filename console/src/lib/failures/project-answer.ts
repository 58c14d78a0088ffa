import type { Refusal } from "#lib/failures/refusal.server.ts";
import type { AskedProject, Capability, StatusCounts, TrackedError } from "../messages.ts";

/** The answer of one project that was asked for its errors together with others. */
export interface ProjectAnswer {
  readonly projectId: number;
  readonly errors: readonly TrackedError[];
  /** Undefined if it does not count them. */
  readonly statusCounts?: StatusCounts | undefined;
  /** See ListErrorsResponse.stale_since_time. */
  readonly staleSinceTime?: string | undefined;
  /** The refusal of a project that returned no errors. Null if it returned errors. */
  readonly refusal: Refusal | null;
  /** Whether the person may see the settings of a project that refused. */
  readonly settings?: Capability | undefined;
}

/** The errors of many projects as far as they are known; the others come later. */
export interface AllErrors {
  readonly projects: readonly AskedProject[];
  /** How many projects match that are not asked. */
  readonly leftOut: number;
  /** The first errors of all projects that have answered. */
  readonly errors: readonly TrackedError[];
  /** Their answers; the errors stand in `errors`. */
  readonly answers: readonly ProjectAnswer[];
  /** The answers of the others. None of them fails. */
  readonly late: readonly Promise<ProjectAnswer>[];
}

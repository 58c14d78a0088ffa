import type { Refusal } from "#lib/failures/refusal.server.ts";
import type { AskedProject, Capability, StatusCounts, TrackedError } from "../messages.ts";

/** The answer of a project to a request for the errors of several projects. */
export interface ProjectAnswer {
  readonly projectId: number;
  readonly errors: readonly TrackedError[];
  /** Undefined if the project does not count its errors. */
  readonly statusCounts?: StatusCounts | undefined;
  /** See ListErrorsResponse.stale_since_time. */
  readonly staleSinceTime?: string | undefined;
  /** The refusal of a project that returned no errors. Null if it returned errors. */
  readonly refusal: Refusal | null;
  /** Whether the person may see the settings of a refusing project. */
  readonly settings?: Capability | undefined;
}

/** The known errors of many projects; the remaining errors come later. */
export interface AllErrors {
  readonly projects: readonly AskedProject[];
  /** How many matching projects are not asked. */
  readonly leftOut: number;
  /** The first errors of all projects that have answered. */
  readonly errors: readonly TrackedError[];
  /** Their answers; `errors` holds the errors. */
  readonly answers: readonly ProjectAnswer[];
  /** The answers of the other projects. These promises never reject. */
  readonly late: readonly Promise<ProjectAnswer>[];
}

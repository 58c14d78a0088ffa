import type { TrackedError } from "../messages.ts";

/** Tells an error from all others on a page: external systems of several projects may give the same id. */
export const errorKey = ({ projectId, errorId }: Pick<TrackedError, "projectId" | "errorId">) =>
  `${projectId}-${errorId}`;

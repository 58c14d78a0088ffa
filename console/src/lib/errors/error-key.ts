import type { TrackedError } from "../messages.ts";

/** The identity of an error on a page: external systems of several projects may give the same id. */
export const errorKey = ({ projectId, errorId }: Pick<TrackedError, "projectId" | "errorId">) =>
  `${projectId}-${errorId}`;

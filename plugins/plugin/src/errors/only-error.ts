import type { MessageInitShape } from "@bufbuild/protobuf";
import { ErrorStatus, type ErrorSchema } from "@faultline/proto";

/** The list of a search that names one error: the error, in whichever status, and the counts of that list. */
export function onlyError<E extends MessageInitShape<typeof ErrorSchema>>(error: E) {
  const countOf = (status: ErrorStatus) => (error.status === status ? 1 : 0);
  return {
    errors: [error],
    statusCounts: {
      unresolved: countOf(ErrorStatus.UNRESOLVED),
      resolved: countOf(ErrorStatus.RESOLVED),
      ignored: countOf(ErrorStatus.IGNORED),
    },
  };
}

import type { JsonField } from "@faultline/sentry-event";
import { ErrorStatus } from "@faultline/proto";

/**
 * The status of an issue. Archived issues are `ignored` in the API; old releases say `muted`. In any other state
 * (`reprocessing`, `pending_merge`) nobody has dealt with the issue yet.
 */
export function readStatus(sent: JsonField): ErrorStatus {
  switch (sent) {
    case "resolved":
    case "resolvedInNextRelease":
      return ErrorStatus.RESOLVED;
    case "ignored":
    case "muted":
      return ErrorStatus.IGNORED;
    default:
      return ErrorStatus.UNRESOLVED;
  }
}

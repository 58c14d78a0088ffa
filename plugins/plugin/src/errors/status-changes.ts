import { ErrorStatus, type StatusChange } from "@faultline/proto";
import { invalidField } from "../service-error.ts";

/** Refuses changes of statuses that no backend makes: none or more than 1,000, an error named twice, no status. */
export function checkStatusChanges(changes: readonly StatusChange[]): void {
  if (changes.length === 0 || changes.length > 1000)
    throw invalidField("changes", "Change 1 to 1,000 errors per call.");
  const ids = new Set(changes.map(({ errorId }) => errorId));
  if (ids.size !== changes.length) throw invalidField("changes", "Name each error once, by its decimal id.");
  for (const [n, { status }] of changes.entries()) {
    if (status < ErrorStatus.UNRESOLVED || status > ErrorStatus.IGNORED) {
      throw invalidField(`changes[${n}].status`, "Choose unresolved, resolved or ignored.");
    }
  }
}

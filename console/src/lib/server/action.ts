import type { Refusal } from "#lib/failures/handle-error.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";

/** Why an action was refused, to be told in its form; failures of the service are thrown on to the error page. */
export function refusedAction(error: unknown): Refusal {
  const refusal = refusalOfTrpc(error);
  if (refusal.status >= 500) throw error;
  return refusal;
}

/** As refusedAction, but a database or a queue that cannot be used now, or takes no more, is told in the form too. */
export function refusedOrDown(error: unknown): Refusal {
  const refusal = refusalOfTrpc(error);
  const { reason } = refusal;
  return reason === "STORAGE_UNAVAILABLE" || reason === "OVERLOADED" ? refusal : refusedAction(error);
}

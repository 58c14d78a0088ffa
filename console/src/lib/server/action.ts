import { fail, type ActionFailure } from "@sveltejs/kit";
import type { Refusal } from "#lib/failures/refusal.server.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";

/** The values of a form after a refused action. `field` is the request field at fault, or empty. */
type Refused<Again> = Omit<Pick<Refusal, "message" | "field">, keyof Again> & Again;

/** Further values, such as the typed values. A function can also replace the sentence and the field. */
type AgainOf<Again> = Again | ((refusal: Refusal) => Again);

/**
 * Runs the action of a form. If the service refuses, the form shows the reason and `again`; a failure of the service
 * leads to the error page.
 */
export const action = <T, Again extends object = object>(
  run: () => Promise<T>,
  again: AgainOf<Again> = nothing<Again>(),
) => withRefusals(isRefusal, run, again);

/** Same as action, but the form also shows that the database or the queue is unavailable or full. */
export const actionOrDown = <T, Again extends object = object>(
  run: () => Promise<T>,
  again: AgainOf<Again> = nothing<Again>(),
) => withRefusals((refusal) => isRefusal(refusal) || downReasons.has(refusal.reason), run, again);

/** Why a call was refused; failures of the service are thrown and lead to the error page. */
export function refusedCall(error: unknown): Refusal {
  const refusal = refusalOfTrpc(error);
  if (!isRefusal(refusal)) throw error;
  return refusal;
}

/** For a form that shows only the refusal. */
const nothing = <Again extends object>() => ({}) as Again;

const downReasons = new Set<Refusal["reason"]>(["STORAGE_UNAVAILABLE", "OVERLOADED"]);
const isRefusal = ({ status }: Refusal) => status < 500;

async function withRefusals<T, Again extends object>(
  isShown: (refusal: Refusal) => boolean,
  run: () => Promise<T>,
  again: AgainOf<Again>,
): Promise<T | ActionFailure<Refused<Again>>> {
  try {
    return await run();
  } catch (error) {
    const refusal = refusalOfTrpc(error); // redirects also come here; they are not refusals and are thrown on
    if (!isShown(refusal)) throw error;
    const { status, message, field } = refusal;
    return fail(status, { message, field, ...(typeof again === "function" ? again(refusal) : again) });
  }
}

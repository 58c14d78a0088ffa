import type { ChannelRow } from "../tables.ts";

/** Messages that a channel gets individually before further messages are gathered. */
export const fullBudget = 5;

/** The budget regains one message every ten minutes. */
const refillMs = 600_000;

/** The first digest follows after ten minutes. Each later wait is twice as long, up to an hour. */
export const firstDigestMinutes = 10;
const longestDigestMinutes = 60;

/** The columns of a channel that hold its budget. */
export type BudgetState = Pick<ChannelRow, "budget" | "budget_at" | "digest_at" | "digest_minutes">;

/**
 * Spends a message from the budget, which all rules of a channel share. The message is sent individually, or held for
 * the digest.
 */
export function spend(state: BudgetState, now: number): { readonly isHeld: boolean; readonly state: BudgetState } {
  const refilled = refill(state, now);
  if (state.digest_at !== null) return { isHeld: true, state: refilled };
  if (refilled.budget > 0) return { isHeld: false, state: { ...refilled, budget: refilled.budget - 1 } };
  return { isHeld: true, state: hold(state, now) };
}

/** Sends nothing individually until the next digest. */
export function hold(state: BudgetState, now: number): BudgetState {
  const refilled = refill(state, now);
  return { ...refilled, digest_at: state.digest_at ?? now + refilled.digest_minutes * 60_000 };
}

/** The state after a due digest: the time of the next digest, or no digests if none was needed. */
export function afterDigest(state: BudgetState, now: number, held: number): BudgetState {
  if (held === 0) return { ...refill(state, now), digest_at: null, digest_minutes: firstDigestMinutes };
  const digest_minutes = Math.min(2 * state.digest_minutes, longestDigestMinutes);
  return { ...refill(state, now), digest_at: now + digest_minutes * 60_000, digest_minutes };
}

/**
 * Only the budget's own columns: `state` may be a whole row, and writing that back would undo a lease taken meanwhile.
 */
function refill({ budget, budget_at, digest_at, digest_minutes }: BudgetState, now: number): BudgetState {
  const rest = { digest_at, digest_minutes };
  // A clock that was set back refills nothing, and does not wait to reach its earlier time.
  if (now < budget_at) return { ...rest, budget, budget_at: now };
  const refills = Math.floor((now - budget_at) / refillMs);
  return {
    ...rest,
    budget: refills === 0 ? budget : Math.min(fullBudget, budget + refills),
    budget_at: budget_at + refills * refillMs,
  };
}

import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

/**
 * Makes a call, or returns a substitute for a token that may only upload: Sentry's tools read the organization and
 * their own token before they begin.
 */
export async function orForUploads<T>(answer: Promise<T>, forUploads: T): Promise<T> {
  try {
    return await answer;
  } catch (refusal) {
    if (refusal instanceof ServiceError && refusal.reason === ErrorReason.INSUFFICIENT_SCOPE) return forUploads;
    throw refusal;
  }
}

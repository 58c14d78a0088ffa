interface Reply {
  readonly message: string;
  /** As in refusal.server.ts. */
  readonly reason: string;
  readonly retryAfterSeconds: number;
  readonly detail: string;
}

/** The sentence for a failed call from the browser: the server's own sentence, if it answered. */
export function refusedCallMessage(error: unknown): string {
  const data = dataOf(error);
  if (data === undefined || data === null) return "The service cannot be reached. Check your connection and try again.";
  return refusalIn(data)?.message ?? "Something went wrong on our side.";
}

/** The reason for a failed call from the browser; empty if the server named none. */
export const refusedCallReason = (error: unknown): string => refusalIn(dataOf(error))?.reason ?? "";

/** The external system's failure as named in the service's log; empty for all other failures. */
export const refusedCallDetail = (error: unknown): string => refusalIn(dataOf(error))?.detail ?? "";

/** In how many seconds a call from the browser may be retried; 0 if the server named no time. */
export const refusedCallRetry = (error: unknown): number => refusalIn(dataOf(error))?.retryAfterSeconds ?? 0;

const dataOf = (error: unknown): unknown => (error instanceof Error && "data" in error ? error.data : undefined);

function refusalIn(data: unknown): Reply | undefined {
  const refusal: unknown = typeof data === "object" && data !== null && "refusal" in data ? data.refusal : undefined;
  return isReply(refusal) ? refusal : undefined;
}

const isReply = (value: unknown): value is Reply =>
  typeof value === "object" && value !== null && "message" in value && typeof value.message === "string";

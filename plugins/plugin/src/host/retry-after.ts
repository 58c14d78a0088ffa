const longestRetryAfterMs = 3_600_000;

/**
 * Retry-After in seconds (RFC 9110, 10.2.3), at most an hour. Dates are not read, because none of the services sends
 * them.
 */
export function retryAfter(value: string | undefined): { afterMs?: number } {
  const seconds = Number(value);
  if (value === undefined || !(seconds > 0)) return {};
  return { afterMs: Math.min(Math.ceil(seconds * 1000), longestRetryAfterMs) };
}

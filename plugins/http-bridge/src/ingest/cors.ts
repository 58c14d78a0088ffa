import type { ServerResponse } from "node:http";

/** Lets pages of any origin report and read the answer, which tells browsers to back off (protocol reference, 7.3). */
export const anyOrigin = [
  ["access-control-allow-origin", "*"],
  ["access-control-expose-headers", "x-sentry-error, x-sentry-rate-limits, retry-after"],
  ["cross-origin-resource-policy", "cross-origin"],
] as const;

/** Answers a preflight with the methods of the address. Needs no key. */
export function answerPreflight(response: ServerResponse, methods: string): void {
  response.writeHead(204, {
    "access-control-allow-methods": methods,
    "access-control-allow-headers":
      "x-sentry-auth, x-requested-with, x-forwarded-for, origin, referer, accept, content-type, authentication, " +
      "authorization, content-encoding, transfer-encoding, sentry-trace, baggage, x-csrftoken",
    "access-control-max-age": "3600",
  });
  response.end();
}

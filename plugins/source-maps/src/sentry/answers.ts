import type { HttpAnswer } from "@faultline/plugin";

/** An answer with a body. The package `sentry` keeps answers that lack cache headers for five minutes. */
export const managed = (body: unknown, status = 200): HttpAnswer => ({
  status,
  headers: { "Cache-Control": "no-store" },
  body,
});

/** A refusal, which Sentry's tools print: the cause, and the next step. */
export const detail = (status: number, text: string): HttpAnswer => managed({ detail: text }, status);

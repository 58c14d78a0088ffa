import type { HttpAnswer } from "@faultline/plugin";

/** An answer with a body. The package `sentry` keeps answers that lack cache headers for five minutes. */
export const managed = (body: unknown, status = 200): HttpAnswer => ({
  status,
  headers: { "Cache-Control": "no-store" },
  body,
});

/** A refusal, which Sentry's tools print: the cause, and the next step. */
export const detail = (status: number, text: string): HttpAnswer => managed({ detail: text }, status);

/** An answer that ends a request early; `answered` returns it. */
export class Refusal extends Error {
  readonly answer: HttpAnswer;

  constructor(status: number, text: string) {
    super(text);
    this.answer = detail(status, text);
  }
}

/** Runs the code of a route, which may throw a Refusal. */
export async function answered(run: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.answer;
    throw thrown;
  }
}

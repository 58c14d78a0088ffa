import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import type { RequestEvent } from "@sveltejs/kit";

/** The log of the service that serves the pages. It reports the logged errors. */
export interface PageLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Logs an unexpected failure of a page, and returns its reference in the log. */
export function logFailure({ route, platform }: Pick<RequestEvent, "route" | "platform">, err: unknown): string {
  const reference = randomUUID();
  const fields = { err, reference, route: route.id, side: "server" };
  logOf(platform).error(fields, `the page ${route.id ?? "of no route"} failed`);
  return reference;
}

/**
 * Logs a failure reported by a browser. Anybody may invent its text, so it is not logged as an error of the service.
 */
export function logScriptFailure(
  { platform }: Pick<RequestEvent, "platform">,
  failure: { readonly route: string | undefined; readonly error: string },
): void {
  logOf(platform).warn({ ...failure, side: "browser" }, "a script of a page failed");
}

const logOf = (platform: App.Platform | undefined): PageLog => platform?.req.pageLog ?? developersLog;

const print = (fields: object, message: string) => void process.stderr.write(`${message} ${inspect(fields)}\n`);

/** For developers who run the pages alone. */
const developersLog: PageLog = { warn: print, error: print };

import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import type { RequestEvent } from "@sveltejs/kit";

/** The log of the service, which serves the pages. It reports the errors that it logs. */
export interface PageLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Writes down a failure of a page that nobody expected, and returns its reference in the log. */
export function logFailure({ route, platform }: Pick<RequestEvent, "route" | "platform">, err: unknown): string {
  const reference = randomUUID();
  const fields = { err, reference, route: route.id, side: "server" };
  logOf(platform).error(fields, `the page ${route.id ?? "of no route"} failed`);
  return reference;
}

/** Writes down what a browser reported. Its text may be anybody's invention, so it is no error of the service. */
export function logScriptFailure(
  { platform }: Pick<RequestEvent, "platform">,
  failure: { readonly route: string | undefined; readonly error: string },
): void {
  logOf(platform).warn({ ...failure, side: "browser" }, "a script of a page failed");
}

const logOf = (platform: App.Platform | undefined): PageLog => platform?.req.pageLog ?? developersLog;

const print = (fields: object, message: string) => void process.stderr.write(`${message} ${inspect(fields)}\n`);

/** While a developer runs the pages alone. */
const developersLog: PageLog = { warn: print, error: print };

import type { Log } from "@faultline/plugin";
import type { OwnErrors } from "./own-errors.ts";

/**
 * A log that reports what it logs as an error. Every failure that nobody foresaw is logged once where it leaves the
 * service, so this is the one place that all of them pass. `part` is `core` or a plugin's name.
 */
export function reportingLog(log: Log, ownErrors: OwnErrors, part: string): Log {
  return {
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error(fields, message) {
      log.error(fields, message);
      if ("err" in fields) ownErrors.report({ thrown: fields.err, part, during: message, level: "error" });
    },
  };
}

import type { Log } from "@faultline/plugin";
import type { OwnErrors } from "./own-errors.ts";

/**
 * A log that reports the errors it logs. Every unexpected failure is logged once where it leaves the service, so all
 * failures pass this place. `part` is `core` or a plugin's name.
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

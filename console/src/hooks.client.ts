import type { ClientInit, HandleClientError } from "@sveltejs/kit/hooks";
import { patientFetch } from "#lib/interruptions/patient-fetch.ts";
import { route } from "#lib/navigation/route.ts";

export const init: ClientInit = () => {
  globalThis.fetch = patientFetch;
};

/** The most reports of a page, so that a failure that repeats with each event does not flood the log. */
const mostReports = 5;
let reports = 0;

/** Reports failures that no page expected, such as a panel that cannot be shown. */
export const handleError: HandleClientError = ({ kind, error, event }) => {
  if (kind !== "unknown") return;
  reportError(error);
  reports += 1;
  if (reports > mostReports) return;
  // A beacon waits for nothing and asks nobody to sign in again.
  navigator.sendBeacon(route.scriptFailures(event.route.id), error instanceof Error ? error.stack : String(error));
};

/**
 * Converts a refused call to a status and a sentence for the screen. This is the only place that does so. The server
 * sends the sentence to the browser; `refused-call.ts` reads it there.
 */

import { answerTo, ErrorReason } from "@faultline/proto";
import { isExternalFailure } from "#lib/failures/external-failure.ts";
import { waitingTime } from "#lib/time/relative-time.ts";

type CatalogueReason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED">;

/** A reason of error_reason.proto without its prefix, or a failure in the console itself. */
export type Reason = CatalogueReason | keyof typeof own;

/** A refused call, ready for a person. */
export interface Refusal {
  readonly reason: Reason;
  /** HTTP status of a page that cannot be shown for this reason. */
  readonly status: number;
  /** The failure and the remedy, in whole sentences. */
  readonly message: string;
  /** The request field at fault, as named in the proto file; empty if there is none. */
  readonly field: string;
  /** The external system's failure as named in the service's log; empty for all other reasons. */
  readonly detail: string;
  /** When to retry, in seconds. 0 if unknown. */
  readonly retryAfterSeconds: number;
}

/** The failures that the console itself finds. */
const own = {
  CORE_UNREACHABLE: { pageStatus: 503, sentence: "The service is starting or its core cannot be reached." },
  UNKNOWN: { pageStatus: 500, sentence: "Something went wrong on our side." },
} as const;

/** Reasons for which the pages sign the person out and ask for a new sign-in. */
const signedOut: ReadonlySet<Reason> = new Set(["TOKEN_REQUIRED", "TOKEN_EXPIRED", "TOKEN_REVOKED"]);

const isOwn = (name: string): name is keyof typeof own => Object.hasOwn(own, name);
const isOfCore = (name: string): name is CatalogueReason => name !== "UNSPECIFIED" && Object.hasOwn(ErrorReason, name);

/** The refusal for a reason; `detail` is the service's own sentence, used if the catalogue has none. */
export function refusal(name: string, detail = "", { field = "", retryAfterSeconds = 0 } = {}): Refusal {
  const reason = isOwn(name) || isOfCore(name) ? name : "UNKNOWN";
  const { pageStatus, sentence } = isOwn(reason) ? own[reason] : answerTo(ErrorReason[reason]);
  return {
    reason,
    status: pageStatus,
    message: [sentence || detail || "The service refused this.", tryAgain(reason, retryAfterSeconds)].join(""),
    field,
    detail: sentence !== "" && isExternalFailure(reason) ? detail : "",
    retryAfterSeconds,
  };
}

/** The advice after a sentence without further help. */
function tryAgain(reason: Reason, retryAfterSeconds: number): string {
  if (retryAfterSeconds > 0) return ` Try again in ${waitingTime(retryAfterSeconds)}.`;
  return reason === "EXTERNAL_UNREACHABLE" || reason === "EXTERNAL_RATE_LIMITED" ? " Try again in a moment." : "";
}

/** Whether the person has to sign in (again). */
export const mustSignIn = ({ reason }: Refusal) => signedOut.has(reason);

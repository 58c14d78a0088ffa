import { QuotaRefusal, ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import type { Verdict } from "./verdict.ts";

/** The Retry-After of a project that has reached its limit of bytes kept: eviction makes room within seconds. */
const evictionSeconds = 30;

/** The longest Retry-After of a sender that took more than its share of a day: the others may stop to send, and its share grows again. */
const shareSeconds = 600;

/** Why events of a project, or of one of its senders, are refused. */
type Reason = Exclude<Verdict, undefined> | "share";

/** The sentences for the sender and for the project's members. */
export const inWords: Readonly<Record<Reason, string>> = {
  day: "The project has reached its limit of bytes per day. It accepts events again at 0:00 UTC; an administrator can raise the limit.",
  share:
    "Your key or network has used its share of the bytes that the project can receive today. The rest is for other senders. Send less, or ask an administrator to raise the limit.",
  kept: "The project has reached its storage limit, and its oldest events are being deleted. Send this event again in a moment; an administrator can raise the limit.",
  disk: "The disk of the service is nearly full, and this project is among the projects that keep the most data. Free some space, delete errors of the project, or send this event again later.",
};

/** The refusal of events. `secondsToEnd`: of the day. */
export function refusalOfEvents(reason: Reason, secondsToEnd: number): QuotaRefusal {
  if (reason === "disk") return new QuotaRefusal("disk_full", inWords.disk, evictionSeconds);
  const seconds = { day: secondsToEnd, share: Math.min(secondsToEnd, shareSeconds), kept: evictionSeconds };
  return new QuotaRefusal("quota", inWords[reason], seconds[reason]);
}

/** The sentences for those who upload or record something. */
const besideInWords = {
  disk: "The disk of the service is nearly full, and the remaining space is reserved for events. Free some space, or try again later.",
  kept: 'The project has reached its storage limit, and more than half of it is not events. Delete old uploads on the page "Source maps", or ask an administrator to raise the limit.',
};

/** The refusal of what would be kept beside events. */
export function refusalBeside(reason: keyof typeof besideInWords): ServiceError {
  const errorReason = reason === "disk" ? ErrorReason.STORAGE_UNAVAILABLE : ErrorReason.QUOTA_REACHED;
  return new ServiceError(errorReason, besideInWords[reason], { retryAfterSeconds: evictionSeconds });
}

/** What the words of outcome.proto mean to a person: why something was not stored, and what to do about it. */

import type { Outcome, OutcomeKind } from "./messages.ts";

export interface OutcomeWords {
  /** As it follows a number: `rate limit`. */
  readonly reason: string;
  /** One or two sentences: what to do. */
  readonly advice: string;
}

const refused: Record<string, OutcomeWords> = {
  no_key: {
    reason: "no key",
    advice: "The request named no client key. Give the SDK the whole DSN; very old SDKs need the legacy DSN.",
  },
  unknown_key: {
    reason: "unknown key in DSN",
    advice:
      "The key does not exist, was deleted or belongs to another project. Copy a DSN of this project into the SDK.",
  },
  not_active: {
    reason: "error tracking not active",
    advice: "Select Active in Settings > Monitor > Error Tracking.",
  },
  monitor_off: {
    reason: "Monitor turned off",
    advice: "Turn Monitor on in Settings > General.",
  },
  external_backend: {
    reason: "errors are read from an external system",
    advice: "This project takes no events itself. Give the application a DSN of the external system.",
  },
  not_offered: {
    reason: "integrated backend not offered",
    advice:
      "This installation stores no errors itself. Choose the external backend, and give the application a DSN of that system.",
  },
  rate_limit: {
    reason: "rate limit",
    advice: "More came than a key or the project may send. Find the application that floods, or raise the limits.",
  },
  too_large: {
    reason: "too large",
    advice: "Let the SDK send less: smaller attachments, request bodies and extra data, shorter lists, fewer levels.",
  },
  malformed: {
    reason: "not readable",
    advice: "The body is not what Sentry SDKs send. Update the SDK, and look for a proxy that changes or cuts it.",
  },
  unavailable: {
    reason: "service busy",
    advice: "The storage was full, slow or overloaded. Check free space and the service's log; SDKs may try again.",
  },
  quota: {
    reason: "quota of the project",
    advice:
      "The project has received as many bytes today as it may, or keeps as many. See Settings > Monitor > Storage; an administrator can raise the limits.",
  },
  disk_full: {
    reason: "disk nearly full",
    advice:
      "The disk of the service is nearly full, and this project is one of those that keep most. Free space there, delete errors of the project, or let an administrator lower its limit in Settings > Monitor > Storage.",
  },
};

const leftAside: Record<string, OutcomeWords> = {
  not_kept: {
    reason: "not kept",
    advice: "Faultline keeps errors, sessions and user feedback. Turn the rest off in the SDK to save traffic.",
  },
  extra: {
    reason: "second event in one envelope",
    advice: "An envelope holds one event; the first was stored. Update the SDK.",
  },
  too_many: {
    reason: "too many for one event",
    advice: "The first 20 entries of user feedback of an event are kept. Look for a form that is sent again and again.",
  },
};

const notSent: Record<string, OutcomeWords> = {
  ratelimit_backoff: {
    reason: "waited for the rate limit",
    advice: "The SDK was told to slow down and dropped what came meanwhile. See Refused for the limit.",
  },
  network_error: {
    reason: "network error",
    advice: "The SDK could not reach this service. Check network, proxy and certificates of the application's machine.",
  },
  send_error: {
    reason: "refused by the service",
    advice: "The service answered with an error. See Refused for the reason.",
  },
  before_send: {
    reason: "dropped by before_send",
    advice: "Your code chose not to send it. Nothing to do if that is meant.",
  },
  event_processor: {
    reason: "dropped by an event processor",
    advice: "An integration, or your own event processor, chose not to send it. Nothing to do if that is meant.",
  },
  sample_rate: {
    reason: "left out by the sample rate",
    advice: "The SDK sends a share only. Raise sample_rate to get more.",
  },
  queue_overflow: {
    reason: "queue full",
    advice: "More happened than the SDK could send. Look for a flood of errors, or make the SDK's queue longer.",
  },
  buffer_overflow: {
    reason: "buffer full",
    advice: "More happened than the SDK could hold. Look for a flood of errors, or make the SDK's buffer larger.",
  },
  cache_overflow: {
    reason: "offline cache full",
    advice: "The application was offline for long. Make the SDK's offline cache larger if that is usual.",
  },
  backpressure: {
    reason: "application under load",
    advice: "The SDK sent less so as not to slow the application down. It goes on by itself.",
  },
  insufficient_data: {
    reason: "too little data",
    advice: "There was nothing worth sending. Nothing to do.",
  },
  internal_sdk_error: {
    reason: "error inside the SDK",
    advice: "Turn on the SDK's debug option to see it, and update the SDK.",
  },
  other: {
    reason: "another reason",
    advice: "The SDK gave a reason that Faultline does not know. Turn on its debug option to see more.",
  },
};

const wordsOfKind: Record<OutcomeKind, Record<string, OutcomeWords>> = {
  OUTCOME_KIND_UNSPECIFIED: {},
  OUTCOME_KIND_REFUSED: refused,
  OUTCOME_KIND_LEFT_ASIDE: leftAside,
  OUTCOME_KIND_NOT_SENT: notSent,
};

/** The words for a reason; one that is not known is shown as it is. */
export function outcomeWords({ kind, reason }: Pick<Outcome, "kind" | "reason">): OutcomeWords {
  const known = wordsOfKind[kind];
  return Object.hasOwn(known, reason) && known[reason] !== undefined
    ? known[reason]
    : { reason: plain(reason) || "no reason given", advice: "This console has no words for the reason yet." };
}

const categories: Record<string, string> = {
  error: "Errors",
  session: "Sessions",
  feedback: "User feedback",
  attachment: "Attachments",
  transaction: "Transactions",
  span: "Spans",
  profile: "Profiles",
  replay: "Replays",
  monitor: "Cron check-ins",
  security: "Browser security reports",
  log_item: "Logs",
  log_byte: "Bytes of logs",
  metric_bucket: "Metrics",
  trace_metric: "Trace metrics",
  default: "Not known",
};

/** What was lost, as the name of a kind of item. */
export const categoryName = (category: string) =>
  (Object.hasOwn(categories, category) ? categories[category] : undefined) ?? (plain(category) || "Not known");

/** A word of the protocol without its underscores. */
const plain = (word: string) => word.replaceAll("_", " ").trim();

/** The reasons of outcome.proto for people: the cause of a lost item, and the remedy. */
import type { Outcome, OutcomeKind } from "../messages.ts";
import { route } from "../navigation/route.ts";

/** The reasons of outcome.proto for items that Faultline did not store. */

/** Why a sent item is not stored, and the remedy. */
const leftAside: Readonly<Record<string, { readonly reason: string; readonly advice: string }>> = {
  not_kept: {
    reason: "not kept",
    advice: "Faultline keeps errors, sessions and user feedback. Turn the rest off in the SDK to save traffic.",
  },
  extra: {
    reason: "too much in one envelope",
    advice:
      "Faultline reads the first event, the first 100 session items and the first 300 session buckets of an envelope, 100 buckets of an item, and 100 entries of a report. Update the SDK.",
  },
  too_many: {
    reason: "too much feedback",
    advice:
      "Faultline keeps the first 20 feedback entries of an event and the newest 10,000 of a project. Look for a form that is submitted repeatedly.",
  },
  no_text: {
    reason: "feedback without text",
    advice: "The user wrote nothing. Make the text required in the form.",
  },
  no_release: {
    reason: "sessions without a release",
    advice: "Sessions are counted by release. Set release in the SDK's options, or turn its sessions off.",
  },
  no_start: {
    reason: "sessions without a start",
    advice: "The session does not say when it started. Update the SDK.",
  },
  too_old: {
    reason: "older than five days",
    advice:
      "The session started more than five days before it arrived. Look for devices that were offline for a long time.",
  },
  in_future: {
    reason: "starts in the future",
    advice: "The session starts more than a minute after it arrived. Correct the sender's clock.",
  },
  no_counts: {
    reason: "sessions without counts",
    advice: "The SDK counted no sessions, or sent counts that are not numbers. Update the SDK.",
  },
  minidump: {
    reason: "dump of a native program",
    advice: "Faultline does not read minidumps. Use an SDK that sends events for the program.",
  },
  other_report: {
    reason: "other browser report",
    advice:
      "Faultline reads only Content Security Policy reports. Send the site's other reports elsewhere, or turn them off.",
  },
  unreadable: {
    reason: "could not be read",
    advice: "The entry is not in the format of Sentry SDKs. Update the SDK.",
  },
};

export interface OutcomeWords {
  /** The words that follow a number: `rate limit`. */
  readonly reason: string;
  /** The remedy, in one or two sentences. */
  readonly advice: string;
  /** The setting that accepts it, if there is such a setting. */
  readonly setting?: Setting;
}

/** A setting by its name, and the part of the project's page that has it. */
export interface Setting {
  readonly name: string;
  readonly address: (projectPath: string) => string;
}

const filterSetting = (name: string, part: string): Setting => ({
  name: `Inbound filters: ${name}`,
  address: (projectPath) => route.inboundFilters(projectPath, part),
});

const clientKeys: Setting = {
  name: "Client keys",
  address: (projectPath) => `${route.monitorSettings(projectPath)}#client-keys`,
};

const refused: Record<string, OutcomeWords> = {
  no_key: {
    reason: "no key",
    advice: "The request has no client key. Use the full DSN in the SDK; very old SDKs need the legacy DSN.",
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
    advice: "This project does not accept events. Use a DSN of the external system in the application.",
  },
  not_offered: {
    reason: "integrated backend not offered",
    advice:
      "This installation does not store errors. Choose the external backend, and use a DSN of that system in the application.",
  },
  rate_limit: {
    reason: "rate limit",
    advice:
      "The key or the project exceeded its rate limit. Find the application that sends too much, or raise the limits.",
  },
  key_disabled: {
    reason: "client key disabled",
    advice: "The client key was disabled. Enable it on its page, or use the DSN of another key.",
    setting: clientKeys,
  },
  key_limit: {
    reason: "limit of the client key",
    advice: "The key exceeded its limit per minute or day. Raise the limit on its page.",
    setting: clientKeys,
  },
  origin: {
    reason: "origin not allowed",
    advice: "The client key does not allow the web page that sent it. Add the page's origin on the page of the key.",
    setting: clientKeys,
  },
  too_large: {
    reason: "too large",
    advice: "Send less: smaller attachments, request bodies and extra data, shorter lists.",
  },
  too_deep: {
    reason: "nested too deeply",
    advice:
      "The event has more than 64 levels of objects and lists. Send flatter extra data and contexts, or let the SDK cut them, for example with normalizeDepth.",
  },
  too_many_values: {
    reason: "too many values",
    advice: "The event has more than 50,000 values. Send shorter lists and less extra data.",
  },
  cut_off: {
    reason: "cut off on the way",
    advice:
      "The body ended early. Look for a proxy or a timeout between the application and Faultline, and flush the SDK before the application ends.",
  },
  encoding: {
    reason: "could not be decompressed",
    advice:
      "The body does not match its Content-Encoding. Faultline reads gzip, deflate, br and zstd, applied once. Look for a proxy that changes bodies.",
  },
  two_dsns: {
    reason: "two different DSNs",
    advice:
      "The request and its body name different DSNs. Look for a tunnel or proxy that forwards to another project or key.",
  },
  malformed: {
    reason: "could not be read",
    advice:
      "The body is not in the format of Sentry SDKs. Update the SDK, and look for a proxy that changes or cuts it.",
  },
  unavailable: {
    reason: "service busy",
    advice: "The storage was full, slow or overloaded. Check free space and the service's log; SDKs may retry.",
  },
  quota: {
    reason: "quota of the project",
    advice:
      "The project has reached its limit per day or its storage limit. See Settings > Monitor > Storage; an administrator can raise the limits.",
  },
  disk_full: {
    reason: "disk nearly full",
    advice:
      "The disk of the service is nearly full, and this project is among the projects that keep the most data. Free disk space, delete errors of the project, or ask an administrator to lower its limit in Settings > Monitor > Storage.",
  },
};

const notSent: Record<string, OutcomeWords> = {
  ratelimit_backoff: {
    reason: "waited for the rate limit",
    advice: "Faultline asked the SDK to slow down, and the SDK dropped events meanwhile. See Refused for the limit.",
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
    advice: "Your code chose not to send it. Nothing to do if this is intended.",
  },
  event_processor: {
    reason: "dropped by an event processor",
    advice: "An integration, or your own event processor, chose not to send it. Nothing to do if this is intended.",
  },
  sample_rate: {
    reason: "left out by the sample rate",
    advice: "The SDK sends only a sample. Raise sample_rate to get more.",
  },
  queue_overflow: {
    reason: "queue full",
    advice: "More events occurred than the SDK could send. Look for a flood of errors, or make the SDK's queue longer.",
  },
  buffer_overflow: {
    reason: "buffer full",
    advice:
      "More events occurred than the SDK could hold. Look for a flood of errors, or make the SDK's buffer larger.",
  },
  cache_overflow: {
    reason: "offline cache full",
    advice: "The application was offline for a long time. Enlarge the SDK's offline cache if this happens often.",
  },
  backpressure: {
    reason: "application under load",
    advice: "The SDK sent less to avoid slowing down the application. It resumes automatically.",
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

/** The reason why a project's filter stopped an event, and the setting that lets it in. */
const filtered: Record<string, OutcomeWords> = {
  filter_address: {
    reason: "sender's address is filtered",
    advice: "The address, or its network, is in the list of addresses. Remove it from the list to accept its events.",
    setting: filterSetting("Addresses", "addresses"),
  },
  filter_release: {
    reason: "release is filtered",
    advice: "The event's release matches the list of releases. Change the list to accept its events.",
    setting: filterSetting("Releases", "releases"),
  },
  filter_environment: {
    reason: "environment is filtered",
    advice: "The event's environment matches the list of environments. Change the list to accept its events.",
    setting: filterSetting("Environments", "environments"),
  },
  filter_message: {
    reason: "message is filtered",
    advice: "A message of the event matches the list of messages. Change the list to accept such events.",
    setting: filterSetting("Messages", "messages"),
  },
  filter_type: {
    reason: "exception type is filtered",
    advice: "A type of the event's exceptions matches the list of types. Change the list to accept such events.",
    setting: filterSetting("Exception types", "types"),
  },
  crawler: {
    reason: "web crawler",
    advice: "It came from a search engine or another bot. Turn this filter off to accept such events.",
    setting: filterSetting("Web crawlers", "web_crawlers"),
  },
  old_browser: {
    reason: "old browser",
    advice: "It came from an outdated browser. Turn this filter off to accept such events.",
    setting: filterSetting("Old browsers", "old_browsers"),
  },
  browser_extension: {
    reason: "browser extension",
    advice: "A browser extension caused it, not your code. Turn this filter off to accept such events.",
    setting: filterSetting("Browser extensions", "browser_extensions"),
  },
  localhost: {
    reason: "localhost",
    advice: "It came from a developer's machine. Turn this filter off to accept such events.",
    setting: filterSetting("Localhost", "localhost"),
  },
  discarded: {
    reason: "discarded",
    advice: "Somebody deleted the error and discards its later events. Record them again to accept them.",
    setting: { name: "Discarded groups", address: (projectPath) => route.deletions(projectPath) },
  },
  spike: {
    reason: "spike protection",
    advice:
      "The project exceeded its spike budget. A sample of each error was stored; rare errors were stored completely. Find the application that sends too much, or turn spike protection off.",
    setting: filterSetting("Spike protection", "spike_protection"),
  },
};

const wordsOfKind: Record<OutcomeKind, Record<string, OutcomeWords>> = {
  OUTCOME_KIND_UNSPECIFIED: {},
  OUTCOME_KIND_REFUSED: refused,
  OUTCOME_KIND_LEFT_ASIDE: leftAside,
  OUTCOME_KIND_NOT_SENT: notSent,
  OUTCOME_KIND_FILTERED: filtered,
};

/** The words for a reason; an unknown reason stays unchanged. */
export function outcomeWords({ kind, reason }: Pick<Outcome, "kind" | "reason">): OutcomeWords {
  const known = wordsOfKind[kind];
  return Object.hasOwn(known, reason) && known[reason] !== undefined
    ? known[reason]
    : { reason: plain(reason) || "no reason given", advice: "This console does not know the reason yet." };
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

/** The name of a kind of lost item. */
export const categoryName = (category: string) =>
  (Object.hasOwn(categories, category) ? categories[category] : undefined) ?? (plain(category) || "Not known");

/** A word of the protocol without its underscores. */
const plain = (word: string) => word.replaceAll("_", " ").trim();

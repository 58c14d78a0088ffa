/** The reasons of outcome.proto for people: the cause of a loss, and the remedy. */

import type { Outcome, OutcomeKind } from "../messages.ts";
import { route } from "../navigation/route.ts";
import { leftAside } from "./left-aside-words.ts";

export interface OutcomeWords {
  /** As it follows a number: `rate limit`. */
  readonly reason: string;
  /** The remedy, in one or two sentences. */
  readonly advice: string;
  /** The setting that lets it in. Absent: none does. */
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
  key_disabled: {
    reason: "client key disabled",
    advice: "The client key was disabled. Enable it on its page, or give the application the DSN of another key.",
    setting: clientKeys,
  },
  key_limit: {
    reason: "limit of the client key",
    advice: "More events came than were allowed to this key in a minute or a day. Raise its limit on its page.",
    setting: clientKeys,
  },
  origin: {
    reason: "origin not allowed",
    advice: "A web page sent it that the client key is not for. Add its origin on the page of the key to let it in.",
    setting: clientKeys,
  },
  too_large: {
    reason: "too large",
    advice: "Let the SDK send less: smaller attachments, request bodies and extra data, shorter lists.",
  },
  too_deep: {
    reason: "nested too deeply",
    advice:
      "The event has more than 64 levels of objects and lists. Send flatter extra data and contexts, or let the SDK cut them, such as with normalizeDepth.",
  },
  too_many_values: {
    reason: "too many values",
    advice: "The event has more than 50,000 values. Send shorter lists and less extra data with it.",
  },
  cut_off: {
    reason: "cut off on the way",
    advice:
      "The body ended early. Look for a proxy or a timeout between the application and Faultline, and flush the SDK before the application ends.",
  },
  encoding: {
    reason: "could not be decompressed",
    advice:
      "The body is not compressed as its Content-Encoding says: gzip, deflate, br and zstd are read, once. Look for a proxy that changes bodies.",
  },
  two_dsns: {
    reason: "two different DSNs",
    advice:
      "The request and its body name different DSNs. Look for a tunnel or proxy that forwards to another project or key.",
  },
  malformed: {
    reason: "could not be read",
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
      "The disk of the service is nearly full, and this project is among the projects that keep the most data. Free space there, delete errors of the project, or let an administrator lower its limit in Settings > Monitor > Storage.",
  },
};

const notSent: Record<string, OutcomeWords> = {
  ratelimit_backoff: {
    reason: "waited for the rate limit",
    advice:
      "Faultline asked the SDK to slow down, and the SDK dropped the events of that time. See Refused for the limit.",
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
    advice: "The SDK sent less so that it does not slow the application down. It resumes by itself.",
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

/** The reason for which a project's filter stopped an event, and the setting that lets it in. */
const filtered: Record<string, OutcomeWords> = {
  filter_address: {
    reason: "sender's address is filtered",
    advice: "The address, or its network, is in the list of addresses. Take it out of the list to let its events in.",
    setting: filterSetting("Addresses", "addresses"),
  },
  filter_release: {
    reason: "release is filtered",
    advice: "The event's release matches the list of releases. Change the list to let its events in.",
    setting: filterSetting("Releases", "releases"),
  },
  filter_environment: {
    reason: "environment is filtered",
    advice: "The event's environment matches the list of environments. Change the list to let its events in.",
    setting: filterSetting("Environments", "environments"),
  },
  filter_message: {
    reason: "message is filtered",
    advice: "A message of the event matches the list of messages. Change the list to let such events in.",
    setting: filterSetting("Messages", "messages"),
  },
  filter_type: {
    reason: "exception type is filtered",
    advice: "A type of the event's exceptions matches the list of types. Change the list to let such events in.",
    setting: filterSetting("Exception types", "types"),
  },
  crawler: {
    reason: "web crawler",
    advice: "It happened to a search engine or another bot. Turn this filter off to let its events in.",
    setting: filterSetting("Web crawlers", "web_crawlers"),
  },
  old_browser: {
    reason: "old browser",
    advice: "It happened in a browser that is too old. Turn this filter off to let its events in.",
    setting: filterSetting("Old browsers", "old_browsers"),
  },
  browser_extension: {
    reason: "browser extension",
    advice: "A browser extension caused it, not your code. Turn this filter off to let such events in.",
    setting: filterSetting("Browser extensions", "browser_extensions"),
  },
  localhost: {
    reason: "localhost",
    advice: "It happened on a developer's machine. Turn this filter off to let such events in.",
    setting: filterSetting("Localhost", "localhost"),
  },
  discarded: {
    reason: "discarded",
    advice: "Somebody deleted the error and discards its later events. Record them again to let them in.",
    setting: { name: "Discarded groups", address: (projectPath) => route.deletions(projectPath) },
  },
  spike: {
    reason: "spike protection",
    advice:
      "More came than the project's budget for spikes. A sample of each error was stored; rare errors were stored whole. Find the application that floods, or turn spike protection off.",
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

/** The words for a reason; an unknown reason is shown as it is. */
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

/** The name of a kind of item that was lost. */
export const categoryName = (category: string) =>
  (Object.hasOwn(categories, category) ? categories[category] : undefined) ?? (plain(category) || "Not known");

/** A word of the protocol without its underscores. */
const plain = (word: string) => word.replaceAll("_", " ").trim();

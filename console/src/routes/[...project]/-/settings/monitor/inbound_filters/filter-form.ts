import type { InboundFilters } from "#lib/messages.ts";

/** The lists: their names in the form and in the message, and the reason that counts their filtered events. */
export const listFields = [
  {
    name: "addresses",
    field: "addresses",
    reason: "filter_address",
    label: "Addresses",
    hint: "Senders: IPv4 and IPv6 addresses, and networks such as 203.0.113.0/24.",
  },
  {
    name: "releases",
    field: "releases",
    reason: "filter_release",
    label: "Releases",
    hint: "Such as web@1.*, to ignore versions that you have replaced.",
  },
  {
    name: "environments",
    field: "environments",
    reason: "filter_environment",
    label: "Environments",
    hint: "Such as test-*.",
  },
  {
    name: "messages",
    field: "messages",
    reason: "filter_message",
    label: "Messages",
    hint: "Compared with messages and titles, and with exceptions as type: value. Such as *ResizeObserver loop*.",
  },
  {
    name: "types",
    field: "types",
    reason: "filter_type",
    label: "Exception types",
    hint: "Such as AbortError.",
  },
] as const;

/** The switches, with the same properties as the lists. */
export const switchFields = [
  {
    name: "web_crawlers",
    field: "webCrawlers",
    reason: "crawler",
    label: "Web crawlers",
    hint: "Search engines and other bots, by their User-Agent.",
  },
  {
    name: "old_browsers",
    field: "oldBrowsers",
    reason: "old_browser",
    label: "Old browsers",
    hint: "Internet Explorer, Edge before 79, Firefox before 67, Chrome before 63, Safari before 12, Opera before 50, Opera Mini before 35, and the Android Browser.",
  },
  {
    name: "browser_extensions",
    field: "browserExtensions",
    reason: "browser_extension",
    label: "Browser extensions",
    hint: "Exceptions that an extension threw, or that are known to come from one.",
  },
  {
    name: "localhost",
    field: "localhost",
    reason: "localhost",
    label: "Localhost",
    hint: "Requests to localhost and servers of that name: developers' machines.",
  },
] as const;

export type ListName = (typeof listFields)[number]["name"];
type SwitchName = (typeof switchFields)[number]["name"] | "spike_protection";

/** The values of the form: lists in their typed form, with one entry per line. */
export interface FilterForm {
  readonly lists: Readonly<Record<ListName, string>>;
  readonly switches: Readonly<Record<SwitchName, boolean>>;
}

/** The filters in the form's format. */
export function formOf(filters: InboundFilters): FilterForm {
  const { webCrawlers, oldBrowsers, browserExtensions, localhost, spikeProtection } = filters;
  return {
    lists: ofLists((name) => filters[name].join("\n")),
    switches: {
      web_crawlers: webCrawlers,
      old_browsers: oldBrowsers,
      browser_extensions: browserExtensions,
      localhost,
      spike_protection: spikeProtection,
    },
  };
}

/** The submitted values. */
export function readFilterForm(form: FormData): FilterForm {
  return {
    lists: ofLists((name) => String(form.get(name) ?? "").replaceAll("\r\n", "\n")),
    switches: {
      web_crawlers: form.has("web_crawlers"),
      old_browsers: form.has("old_browsers"),
      browser_extensions: form.has("browser_extensions"),
      localhost: form.has("localhost"),
      spike_protection: form.has("spike_protection"),
    },
  };
}

/** The change that saves a form. */
export function changesOf({ lists, switches }: FilterForm) {
  return {
    ...ofLists((name) => ({ entries: lists[name].split("\n") })),
    webCrawlers: switches.web_crawlers,
    oldBrowsers: switches.old_browsers,
    browserExtensions: switches.browser_extensions,
    localhost: switches.localhost,
    spikeProtection: switches.spike_protection,
  };
}

function ofLists<Value>(value: (name: ListName) => Value): Record<ListName, Value> {
  return {
    addresses: value("addresses"),
    releases: value("releases"),
    environments: value("environments"),
    messages: value("messages"),
    types: value("types"),
  };
}

import { json } from "../answers.ts";
import { resource } from "../operation.ts";
import { flag, list, ref, text, type Schema } from "../schema.ts";

const entries = (description: string, examples: string[]): Schema => ({
  anyOf: [list(text("", { maxLength: 200 }), { maxItems: 100 }), text("One entry a line.", { maxLength: 20_100 })],
  description,
  examples: [examples],
});

const fields: Readonly<Record<string, Schema>> = {
  addresses: entries("Senders to stop: addresses and networks.", ["203.0.113.0/24"]),
  releases: entries("Patterns of releases: `*` stands for any characters, `?` for one.", ["web@1.*"]),
  environments: entries("Patterns of environments.", ["test-*"]),
  messages: entries("Patterns of messages, of titles, and of exceptions as `type: value`.", ["*ResizeObserver loop*"]),
  types: entries("Patterns of the types of exceptions.", ["AbortError"]),
  web_crawlers: flag("Stop events of web crawlers."),
  old_browsers: flag("Stop events of old browsers."),
  browser_extensions: flag("Stop events that browser extensions caused."),
  localhost: flag("Stop events of developers' machines."),
  spike_protection: flag("Sample a spike that exceeds the budget."),
  revision: {
    type: "integer",
    minimum: 0,
    maximum: 999_999_999,
    description: "The revision that was read. When it is not the present one, the change is refused with 409.",
  },
};

export const filterPaths = resource("Inbound filters", {
  "/projects/{project}/error_tracking/filters": {
    get: {
      id: "getFilters",
      summary: "Read the inbound filters",
      more: "And what is left of the budget for spikes.",
      needs: ["Maintainer", "read"],
      answers: { 200: json("The filters.", ref("InboundFilters")) },
    },
    patch: {
      id: "patchFilters",
      summary: "Change the inbound filters",
      more: "Filters that are not named stay as they are. A name that is not known, or a bad entry, is refused with 400, and nothing is changed.",
      needs: ["Maintainer", "write"],
      body: { fields },
      answers: { 200: json("The filters as stored.", ref("InboundFilters")) },
      refuses: [409],
    },
  },
});

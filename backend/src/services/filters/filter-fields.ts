import { invalidField, isNetwork } from "@faultline/plugin";
import type { FilterList, UpdateFiltersRequest } from "@faultline/proto";
import type { InboundFilterRow } from "./inbound-filters.ts";

const mostEntries = 100;
const mostCharacters = 200;

/** The columns that a request changes. Refuses the first invalid entry with INVALID_FIELD. */
export function changedColumns(request: UpdateFiltersRequest): Partial<InboundFilterRow> {
  const { addresses, releases, environments, messages, types } = request;
  const { webCrawlers, oldBrowsers, browserExtensions, localhost, spikeProtection } = request;
  return {
    ...(addresses && { addresses: columnOf("addresses", addresses, checkAddress) }),
    ...(releases && { releases: columnOf("releases", releases, checkPattern) }),
    ...(environments && { environments: columnOf("environments", environments, checkPattern) }),
    ...(messages && { messages: columnOf("messages", messages, checkPattern) }),
    ...(types && { types: columnOf("types", types, checkPattern) }),
    ...(webCrawlers !== undefined && { webCrawlers }),
    ...(oldBrowsers !== undefined && { oldBrowsers }),
    ...(browserExtensions !== undefined && { browserExtensions }),
    ...(localhost !== undefined && { localhost }),
    ...(spikeProtection !== undefined && { spikeProtection }),
  };
}

/** Returns the fault of an entry; undefined: it has none. */
type Check = (entry: string) => string | undefined;

function columnOf(field: string, list: FilterList, check: Check): string {
  const entries = new Set(list.entries.map((entry) => entry.trim()).filter((entry) => entry !== ""));
  if (entries.size > mostEntries) {
    throw invalidField(field, `The list has ${entries.size} entries. Keep at most ${mostEntries}.`);
  }
  for (const entry of entries) {
    const fault = checkText(entry) ?? check(entry);
    if (fault !== undefined) throw invalidField(field, fault);
  }
  return [...entries].join("\n");
}

const checkText: Check = (entry) => {
  if (entry.length > mostCharacters) {
    return `The entry "${entry.slice(0, 20)}..." has ${entry.length} characters. Use at most ${mostCharacters}.`;
  }
  if (/\p{Cc}/u.test(entry))
    return `An entry contains a line break or another control character. Write one entry per line.`;
  return undefined;
};

const checkAddress: Check = (entry) => {
  if (!isNetwork(entry)) {
    return `"${entry}" is neither an IP address nor a network. Write it as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.`;
  }
  if (/^::ffff:/i.test(entry))
    return `Write the IPv4 address in "${entry}" without ::ffff:, because senders are compared in that form.`;
  if (/\/0+$/.test(entry)) return `"${entry}" covers every address. To accept no events, turn error tracking off.`;
  return undefined;
};

const checkPattern: Check = (entry) =>
  /[^*?]/.test(entry)
    ? undefined
    : `The pattern "${entry}" matches every text. Add characters to match, such as *timeout*. To accept no events, turn error tracking off.`;

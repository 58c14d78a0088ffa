import {
  networksOf,
  type ArrivedEvent,
  type FilterReason,
  type Networks,
  type ProjectFilters,
} from "@faultline/plugin";
import { readRequestUrl, readServerName, readUserAgent } from "@faultline/sentry-event";
import type { ErrorEvent } from "@faultline/proto";
import { entriesOf, type InboundFilterRow } from "./inbound-filters.ts";
import { isOfBrowserExtension } from "./browser-extensions.ts";
import { Glob, newEffort } from "./glob.ts";
import { isLocalhost, isOnLocalhost } from "./localhost.ts";
import { isOldBrowser } from "./old-browsers.ts";
import { isWebCrawler } from "./web-crawlers.ts";

/** Characters of each text, and of all texts of an event, that are compared with patterns. */
const charactersOfText = 1_024;
const charactersOfEvent = 8_192;

type Switches = Pick<InboundFilterRow, "webCrawlers" | "oldBrowsers" | "browserExtensions" | "localhost">;

/** The filters of a project, built once from its row: filters that are off cost an event nothing. */
export class EventFilters implements ProjectFilters {
  readonly spikesSampledFrom: number;
  readonly #switches: Switches;
  readonly #networks: Networks | undefined;
  readonly #releases: readonly Glob[];
  readonly #environments: readonly Glob[];
  readonly #messages: readonly Glob[];
  readonly #types: readonly Glob[];

  constructor(row: InboundFilterRow) {
    this.spikesSampledFrom = row.spikeProtection ? row.spikesSampledFrom : Infinity;
    this.#switches = row;
    const addresses = entriesOf(row.addresses);
    this.#networks = addresses.length > 0 ? networksOf(addresses) : undefined;
    this.#releases = globsOf(row.releases);
    this.#environments = globsOf(row.environments);
    this.#messages = globsOf(row.messages);
    this.#types = globsOf(row.types);
  }

  /** See ProjectFilters. The cheap ones come first, and the lists before the switches. */
  reasonToStop(arrived: ArrivedEvent): FilterReason | undefined {
    const { event } = arrived;
    if (this.#networks?.has(arrived.clientIp)) return "filter_address";
    if (matchesAny(this.#releases, [event.release])) return "filter_release";
    if (matchesAny(this.#environments, [event.environment])) return "filter_environment";
    if (matchesAny(this.#types, event.exceptions.map(typeOf))) return "filter_type";
    if (this.#messages.length > 0 && matchesAny(this.#messages, messagesOf(event))) return "filter_message";
    return this.#switchedReason(arrived);
  }

  #switchedReason({ event, sent, userAgent }: ArrivedEvent): FilterReason | undefined {
    const { webCrawlers, oldBrowsers, browserExtensions, localhost } = this.#switches;
    if (webCrawlers || oldBrowsers) {
      // A server reports the User-Agent of the browser that it serves, a browser its own.
      const agent = readUserAgent(sent) || userAgent;
      if (webCrawlers && isWebCrawler(agent)) return "crawler";
      if (oldBrowsers && isOldBrowser(agent)) return "old_browser";
    }
    if (browserExtensions && isOfBrowserExtension(event)) return "browser_extension";
    if (localhost && (isOnLocalhost(readRequestUrl(sent)) || isLocalhost(readServerName(sent)))) return "localhost";
    return undefined;
  }
}

function globsOf(list: string): Glob[] {
  return entriesOf(list).map((pattern) => new Glob(pattern));
}

const typeOf = ({ type }: ErrorEvent["exceptions"][number]) => type;

/** The texts that are compared with the patterns of messages; those of the newest exceptions first. */
function messagesOf({ title, message, exceptions }: ErrorEvent): string[] {
  return [title, message, ...exceptions.toReversed().flatMap(({ type, value }) => [value, `${type}: ${value}`])];
}

function matchesAny(globs: readonly Glob[], texts: readonly string[]): boolean {
  if (globs.length === 0) return false;
  const effort = newEffort();
  let left = charactersOfEvent;
  for (const text of texts) {
    if (left <= 0) return false;
    const compared = text.slice(0, Math.min(charactersOfText, left)).toLowerCase();
    left -= compared.length;
    if (compared !== "" && globs.some((glob) => glob.matches(compared, effort))) return true;
  }
  return false;
}

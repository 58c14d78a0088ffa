import { isIP } from "node:net";
import {
  networksOf,
  type ArrivedEvent,
  type FilterReason,
  type Networks,
  type ProjectFilters,
} from "@faultline/plugin";
import { readRequestUrl, readServerName, readUserAgent } from "@faultline/sentry-event";
import type { ErrorEvent, GroupingFrame } from "@faultline/proto";
import { entriesOf, type InboundFilterRow } from "./inbound-filters.ts";

/** Characters that are compared with patterns, in each text and in all texts of an event. */
const charactersOfText = 1_024;
const charactersOfEvent = 8_192;

type Switches = Pick<InboundFilterRow, "webCrawlers" | "oldBrowsers" | "browserExtensions" | "localhost">;

/** The filters of a project, built once from its row: disabled filters cost an event nothing. */
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

  /** See ProjectFilters. Cheap filters come first, and lists come before switches. */
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
      // A server reports the User-Agent of the browser that it serves; a browser reports itself.
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

/** The texts that are compared with the patterns of messages, starting with the newest exceptions. */
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

/** Words that bots use in their User-Agent. `Cubot` is a phone maker. */
const generic = /(?<!\bcu)bots?(?=[\s/;:),.-]|$)|crawler|spider(?=[\s/;:),-]|$)/i;

/** Bots without these words in their User-Agent, by their documented names. */
const named =
  /Mediapartners-Google|FeedFetcher-Google|GoogleOther|Google-InspectionTool|Chrome-Lighthouse|BingPreview|Slurp|Sogou|ia_archiver|facebookexternalhit|facebookcatalog|meta-externalagent|Slack-ImgProxy|WhatsApp\/|pingdom|Better Uptime|GTmetrix|AWS Security Scanner|Cloudflare-Healthchecks|ELB-HealthChecker/i;

/** Agents that call an application's own endpoints; developers want to see the errors of those calls. */
const wanted = /Slackbot 1\.\d/i;

/** Whether a User-Agent belongs to a search engine or another bot. */
export function isWebCrawler(userAgent: string): boolean {
  return (generic.test(userAgent) || named.test(userAgent)) && !wanted.test(userAgent);
}

/** Whether a host name, from an address or of a server, means the machine itself. */
export function isLocalhost(host: string): boolean {
  const name = host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost") || name === "::1") return true;
  return isIP(name) === 4 && name.startsWith("127.");
}

/** Whether the host of an address is the machine itself; an address without a scheme counts too. */
export function isOnLocalhost(url: string): boolean {
  if (url === "") return false;
  const host = URL.parse(url)?.hostname || URL.parse(`http://${url}`)?.hostname; // `localhost:3000` reads as a scheme
  return isLocalhost(host ?? "");
}

/** The addresses of extensions' code. */
const extensionAddress =
  /^(?:(?:chrome|moz|safari|safari-web|ms-browser)-extension|chrome|webkit-masked-url):|^https?:\/\/[^/]*kaspersky-labs\.com\//i;

/** Messages of extensions and their injected scripts that have no frame of an extension. */
const knownMessages =
  /Extension context invalidated|Receiving end does not exist|can't access dead object|webkit-masked-url:|_gCrWeb|ZiteReader|atomicFindClose|conduitPage|fb_xd_fragment|top\.GLOBALS|originalCreateNotification|canvas\.contentDocument|MyApp_RemoveAllHighlights/i;

/** File names of frames that do not locate the code. */
const nowhere = new Set(["", "<anonymous>", "[native code]"]);

/** Whether a browser extension caused an event: by the frames or the message of an exception. */
function isOfBrowserExtension({ platform, exceptions, frames, message }: ErrorEvent): boolean {
  if (platform !== "javascript") return false;
  return (
    isThrownByExtension(frames) ||
    knownMessages.test(message) ||
    exceptions.some((exception) => isThrownByExtension(exception.frames) || knownMessages.test(exception.value))
  );
}

/** The newest frame with an address decides: an extension also wraps functions of the page, which then throw. */
function isThrownByExtension(frames: readonly GroupingFrame[]): boolean {
  const thrower = frames.findLast(({ filename }) => !nowhere.has(filename));
  return thrower !== undefined && extensionAddress.test(thrower.filename);
}

/** A browser's User-Agent, and its first version that is not old. */
interface Browser {
  /** The first group is the version. */
  readonly pattern: RegExp;
  readonly youngest: number;
}

/**
 * The browsers of docs/filters.md. The first matching pattern decides because most browsers name others in their
 * User-Agent: Opera and Edge name Chrome, and Chrome names Safari.
 */
const browsers: readonly Browser[] = [
  { pattern: /\bOpera Mini\/(\d+)/, youngest: 35 },
  { pattern: /\bOPR\/(\d+)/, youngest: 50 },
  { pattern: /\bOpera[/ ](\d+)/, youngest: 50 }, // up to 12
  { pattern: /\b(?:MSIE |IEMobile[/ ]|Trident\/)(\d+)/, youngest: Infinity }, // Internet Explorer, all versions
  { pattern: /\bEdge\/(\d+)/, youngest: 79 }, // later ones write `Edg/`
  { pattern: /\bFirefox\/(\d+)/, youngest: 67 },
  { pattern: /\b(?:Chrome|CriOS)\/(\d+)/, youngest: 63 },
  { pattern: /\bAndroid (\d+)[^)]*\).* Version\/\d/, youngest: Infinity }, // the Android Browser, discontinued in 2014
  { pattern: /\bVersion\/(\d+)[\d.]*(?: Mobile\/\w+)? Safari\//, youngest: 12 },
];

/** Whether a User-Agent belongs to a browser that is too old for today's code. */
export function isOldBrowser(userAgent: string): boolean {
  for (const { pattern, youngest } of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version !== undefined) return Number(version) < youngest;
  }
  return false;
}

/** The most comparisons for all `?` of the patterns that an event is matched with: some tenths of a millisecond. */
const mostCompared = 200_000;

/** The comparisons that remain for an event, regardless of its texts and patterns. */
interface Effort {
  left: number;
}

export function newEffort(): Effort {
  return { left: mostCompared };
}

/**
 * A pattern that matches a whole text: `*` matches any characters, `?` matches one.
 *
 * It is not compiled to a regular expression because regular expressions backtrack, exponentially for a pattern with
 * several `*`. Here each part between two `*` is searched for once, after the match of the previous part: the first
 * match is always good enough. Parts without `?` are found by `indexOf`, which is linear; a part with `?` costs its
 * length at each position, which the effort bounds.
 */
export class Glob {
  readonly #first: string;
  readonly #middle: readonly string[];
  /** Undefined if the pattern has no `*`; the first part is then the whole pattern. */
  readonly #last: string | undefined;

  constructor(pattern: string) {
    const [first = "", ...rest] = pattern.toLowerCase().split(/\*+/);
    this.#first = first;
    this.#last = rest.pop();
    this.#middle = rest;
  }

  /**
   * Whether the pattern matches the text, which must be in lower case. When the effort is used up, it does not match.
   */
  matches(text: string, effort: Effort): boolean {
    const first = this.#first;
    const last = this.#last;
    if (last === undefined) return text.length === first.length && isAt(first, text, 0, effort);
    const end = text.length - last.length;
    if (end < first.length || !isAt(first, text, 0, effort) || !isAt(last, text, end, effort)) return false;
    let at = first.length;
    for (const part of this.#middle) {
      const found = find(part, text, { from: at, end }, effort);
      if (found < 0) return false;
      at = found + part.length;
    }
    return true;
  }
}

/** The first position of a part that ends before `end`; -1 if there is none. */
function find(part: string, text: string, { from, end }: { from: number; end: number }, effort: Effort): number {
  const lastPlace = end - part.length;
  if (!part.includes("?")) {
    const found = text.indexOf(part, from);
    return found <= lastPlace ? found : -1;
  }
  for (let place = from; place <= lastPlace && effort.left > 0; place++) {
    if (isAt(part, text, place, effort)) return place;
  }
  return -1;
}

function isAt(part: string, text: string, place: number, effort: Effort): boolean {
  if (!part.includes("?")) return text.startsWith(part, place);
  for (let index = 0; index < part.length; index++) {
    if (effort.left-- <= 0) return false;
    const code = part.charCodeAt(index);
    if (code !== anyCharacter && code !== text.charCodeAt(place + index)) return false;
  }
  return true;
}

const anyCharacter = "?".charCodeAt(0);

import type { HttpRequest } from "@faultline/proto";
import { readAnyText, readTrimmedJson, type Trims } from "./trims.ts";
import { type JsonField, type JsonObject, type JsonValue, asObject, isObject, cleanText, readText } from "./json.ts";
import { limits } from "./limits.ts";
import { partsOf, publicAddress, routeOf } from "./naming/public-name.ts";

/** The HTTP request being served. Undefined when the event has none. */
export function readRequest(event: JsonObject, trims: Trims): HttpRequest | undefined {
  const sent = sentRequest(event);
  if (!sent || Object.keys(sent).length === 0) return undefined;
  const { page, query, route } = partsOf(addressOf(sent));
  const { cookies } = sent;
  const queryTrims = trims.at("query_string");
  const env = readTrimmedJson(sent["env"], limits.trimmedJson.request, trims.at("env"));
  return {
    $typeName: "faultline.v1.HttpRequest",
    url: cleanText(page + route, limits.text.url, trims.at("url")),
    method: readText(sent["method"], limits.text.word, trims.at("method")).toUpperCase(),
    queryString: readQuery(sent["query_string"], queryTrims) || readQuery(query, queryTrims),
    headers: readRecord(pairs(sent["headers"]), trims.at("headers"), titleCase),
    cookies: readRecord(typeof cookies === "string" ? splitCookies(cookies) : pairs(cookies), trims.at("cookies")),
    data: readAnyText(sent["data"], limits.text.requestData, trims.at("data")),
    ...(env && { env }),
  };
}

/** The address of the HTTP request, as it was sent. May be empty. */
export function readRequestUrl(event: JsonObject): string {
  return readText(sentRequest(event)?.["url"], limits.text.url);
}

/** The address of the HTTP request as people see it in names. May be empty. */
export function readPublicUrl(event: JsonObject): string {
  const sent = sentRequest(event);
  return sent ? cleanText(publicAddress(addressOf(sent)), limits.text.url) : "";
}

/** The address with its fragment, which some SDKs send in a separate field. */
function addressOf(request: JsonObject): string {
  const { url, fragment } = request;
  const address = readText(url, Infinity);
  if (typeof fragment !== "string" || fragment === "" || address.includes("#")) return address;
  return address + routeOf(readText(fragment.startsWith("#") ? fragment : `#${fragment}`, Infinity));
}

/** The User-Agent of the HTTP request, for events of a page the browser's. May be empty. */
export function readUserAgent(event: JsonObject): string {
  for (const [name, value] of pairs(sentRequest(event)?.["headers"]).slice(0, headersLookedAt)) {
    if (typeof name === "string" && /^user-agent$/i.test(name)) return readValue(value, userAgentLookedAt);
  }
  return "";
}

const headersLookedAt = 200;
const userAgentLookedAt = 512;

function sentRequest(event: JsonObject): JsonObject | undefined {
  return asObject(event["request"] ?? event["sentry.interfaces.Http"]);
}

/** Entries as a record of text: at most 8 KiB, empty names left out, the first of a name wins. */
export function readRecord(
  sent: Iterable<Pair>,
  trims: Trims,
  rename = (name: string) => name,
): Record<string, string> {
  const record: Record<string, string> = {};
  let left: number = limits.record;
  let kept = 0;
  let leftOut = 0;
  for (const [sentName, sentValue] of sent) {
    if (left <= 0) {
      leftOut++;
      continue;
    }
    const name = rename(readText(sentName, limits.text.word).trim());
    if (name === "" || name === "__proto__" || Object.hasOwn(record, name)) continue;
    const value = readValue(sentValue, Math.max(left - name.length, 3), trims.at(name));
    record[name] = value;
    left -= name.length + value.length;
    kept++;
  }
  trims.entries(kept, kept + leftOut);
  return record;
}

/** The entries of an object, or a list of pairs as it is. */
export function pairs(value: JsonField): Pair[] {
  if (isObject(value)) return Object.entries(value);
  return Array.isArray(value)
    ? value.filter((entry) => Array.isArray(entry)).map(([name, entry]) => [name, entry])
    : [];
}

type Pair = [name: JsonField, value: JsonField];

// PHP gives each header as a list of values.
function readValue(value: JsonField, max: number, trims?: Trims): string {
  return Array.isArray(value)
    ? cleanText(value.map((part: JsonValue) => readAnyText(part, max, trims)).join(","), max, trims)
    : readAnyText(value, max, trims);
}

function readQuery(sent: JsonField, trims: Trims): string {
  const max = limits.text.query;
  if (typeof sent === "string") return cleanText(sent.startsWith("?") ? sent.slice(1) : sent, max, trims);
  const query = pairs(sent).map(([name, value]): [string, string] => [readText(name, max), readValue(value, max)]);
  return cleanText(new URLSearchParams(query).toString(), max, trims);
}

function splitCookies(header: string): Pair[] {
  return header.split(";", limits.record).map((part) => {
    const at = part.indexOf("=");
    return at < 0 ? ["", ""] : [part.slice(0, at), part.slice(at + 1).trim()];
  });
}

function titleCase(name: string): string {
  return name.toLowerCase().replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

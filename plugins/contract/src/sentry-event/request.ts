import type { HttpRequest } from "@faultline/proto";
import { readAnyText, readBag } from "./bag.ts";
import type { JsonField, JsonObject, JsonValue } from "./json.ts";
import { asObject, isObject } from "./json.ts";
import { limits } from "./limits.ts";
import { cleanText, readText } from "./text.ts";

/** The HTTP request being served. Undefined when the event has none. */
export function readRequest(event: JsonObject): HttpRequest | undefined {
  const sent = asObject(event["request"] ?? event["sentry.interfaces.Http"]);
  if (!sent || Object.keys(sent).length === 0) return undefined;
  const sentUrl = typeof sent["url"] === "string" ? sent["url"] : "";
  const [url = "", queryOfUrl = ""] = sentUrl.replace(/#.*$/s, "").split("?", 2);
  const env = readBag(sent["env"], limits.bag.request);
  return {
    $typeName: "faultline.v1.HttpRequest",
    url: cleanText(url, limits.text.url),
    method: readText(sent["method"], limits.text.word).toUpperCase(),
    queryString: readQuery(sent["query_string"]) || cleanText(queryOfUrl, limits.text.query),
    headers: readRecord(pairs(sent["headers"]), titleCase),
    cookies: readRecord(typeof sent["cookies"] === "string" ? splitCookies(sent["cookies"]) : pairs(sent["cookies"])),
    data: readAnyText(sent["data"], limits.text.requestData),
    ...(env && { env }),
  };
}

/** Entries as a record of text: at most 8 KiB, empty names left out, the first of a name wins. */
export function readRecord(entries: Iterable<Pair>, rename = (name: string) => name): Record<string, string> {
  const record: Record<string, string> = {};
  let left: number = limits.bag.request.total;
  for (const [sentName, sentValue] of entries) {
    const name = rename(readText(sentName, limits.text.word).trim());
    if (name === "" || name === "__proto__" || Object.hasOwn(record, name)) continue;
    const value = readValue(sentValue);
    left -= name.length + value.length;
    if (left < 0) break;
    record[name] = value;
  }
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
function readValue(value: JsonField): string {
  const max = limits.text.requestData;
  return Array.isArray(value)
    ? cleanText(value.map((part: JsonValue) => readAnyText(part, max)).join(","), max)
    : readAnyText(value, max);
}

function readQuery(sent: JsonField): string {
  if (typeof sent === "string") return cleanText(sent.startsWith("?") ? sent.slice(1) : sent, limits.text.query);
  const query = pairs(sent).map(([name, value]): [string, string] => [
    readText(name, limits.text.word),
    readValue(value),
  ]);
  return cleanText(new URLSearchParams(query).toString(), limits.text.query);
}

function splitCookies(header: string): Pair[] {
  return header
    .slice(0, limits.bag.request.total)
    .split(";")
    .map((part) => {
      const at = part.indexOf("=");
      return at < 0 ? ["", ""] : [part.slice(0, at), part.slice(at + 1).trim()];
    });
}

function titleCase(name: string): string {
  return name.toLowerCase().replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

import { eventTags, readContextTags, searchTags, sentContexts, readProduct, addNamed } from "./tags.ts";
import { type JsonObject, asObject, cleanText, readText, readValues } from "./json.ts";
import { readServerName } from "./fields.ts";
import { limits } from "./limits.ts";
import { readTransaction } from "./naming/culprit.ts";
import { readOccurrence } from "./occurrence.ts";
import { readPublicUrl, readRequestUrl, readUserAgent } from "./request.ts";
import { readUserNames, type UserNames } from "./user.ts";

/** The facts by which the events of an error are compared with each other. */
export interface EventFacts {
  readonly user: UserNames;
  /** The values by which a search finds an event, by key. */
  readonly tags: Readonly<Record<string, string>>;
  /** Values of other fields for keys that no tag has, by key. */
  readonly derived: Readonly<Record<string, string>>;
  /** Further values by which a search finds the event, by key; see readContextTags. */
  readonly contexts: Readonly<Record<string, string>>;
}

/** Reads the facts of an event. A bad field is left out. */
export function readEventFacts(event: JsonObject): EventFacts {
  const tags = eventTags(event);
  const derived: Record<string, string> = {};
  for (const [key, value] of derivedFrom(event)) if (!Object.hasOwn(tags, key)) addNamed(derived, key, value);
  const contexts: Record<string, string> = {};
  for (const [key, value] of readContextTags(event)) if (!Object.hasOwn(tags, key)) addNamed(contexts, key, value);
  return { user: readUserNames(event), tags, derived, contexts };
}

/**
 * The tags of a stored event as `searchTags` read them when it arrived, without the names of its user, because an address that the
 * receiver filled in is not part of the event, and without its place, which source maps may have named.
 */
export function readStoredTags(event: JsonObject): Record<string, string> {
  const { exceptions } = readOccurrence(event);
  return searchTags(event, {
    transaction: readTransaction(event),
    exceptions,
    names: noUser,
    user: "",
    raised: undefined,
  });
}

const noUser: UserNames = { id: "", username: "", email: "", ipAddress: "" };

function derivedFrom(event: JsonObject): [key: string, value: string][] {
  const contexts = sentContexts(event);
  const context = (name: string, key: string) => readText(asObject(contexts?.[name])?.[key], limits.text.tag);
  const product = readProduct(readUserAgent(event));
  return [
    ["transaction", readTransaction(event)],
    ["url", readPublicUrl(event)],
    ["handled", handled(event)],
    ["browser", context("browser", "name") || product.browser],
    ["os", context("os", "name") || product.os],
    ["runtime", cleanText(`${context("runtime", "name")} ${context("runtime", "version")}`, limits.text.tag)],
    ["device", context("device", "model") || context("device", "family")],
  ];
}

/** Whether the application caught the exception that gives the event its title; empty if it is not known. */
function handled(event: JsonObject): string {
  const newest = readValues(event["exception"] ?? event["sentry.interfaces.Exception"]).at(-1);
  const isHandled = asObject(newest?.["mechanism"])?.["handled"];
  return typeof isHandled === "boolean" ? (isHandled ? "yes" : "no") : "";
}

/**
 * The fields of a sent event that filters check, in the form of an event. They are all that remains of an event that was
 * read in another thread: copying the whole of it from there would take as long as reading it.
 */
export function filteredFields(sent: JsonObject): JsonObject {
  return {
    server_name: readServerName(sent),
    request: { url: readRequestUrl(sent), headers: { "User-Agent": readUserAgent(sent) } },
  };
}

import type { JsonObject } from "./json/json.ts";
import { readServerName } from "./names.ts";
import type { SentException } from "./occurrence.ts";
import { readPublicUrl } from "./request.ts";
import { addNamed, readTags } from "./tags.ts";
import { canonicalUser, type UserNames } from "./user/user.ts";

/** The tags of an event: its own, and the names of host and site, which SDKs send in fields of their own. */
export function eventTags(event: JsonObject): Record<string, string> {
  const tags = readTags(event);
  addNamed(tags, "server_name", readServerName(event));
  addNamed(tags, "site", event["site"]);
  return tags;
}

/**
 * Tags for search: those of the event, and facts that SDKs send in fields of their own. The name by which users are counted
 * is stored with them (ErrorEvent.user), so it is no tag as well.
 */
export function searchTags(
  event: JsonObject,
  facts: {
    readonly transaction: string;
    readonly exceptions: readonly SentException[];
    readonly names: UserNames;
    /** The key of `names` by which the user is counted. */
    readonly user: string;
  },
): Record<string, string> {
  const tags = eventTags(event);
  addNamed(tags, "transaction", facts.transaction);
  addNamed(tags, "url", readPublicUrl(event));
  addNamed(tags, "handled", handledOf(facts.exceptions));
  const { id, username, email, ipAddress } = canonicalUser(facts.names);
  const counted = facts.user;
  if (id !== "" && counted !== `id:${id}`) addNamed(tags, "user.id", id);
  if (username !== "" && counted !== `username:${username}`) addNamed(tags, "user.username", username);
  if (email !== "" && counted !== `email:${email}`) addNamed(tags, "user.email", email);
  if (ipAddress !== "" && counted !== `ip:${ipAddress}`) addNamed(tags, "user.ip", ipAddress);
  return tags;
}

/** Whether the application handled the exception: `true` or `false`; empty where the SDK does not say. */
function handledOf(exceptions: readonly SentException[]): string {
  let handled = "";
  for (const { mechanism } of exceptions) {
    if (mechanism?.["handled"] === false) return "false";
    if (mechanism?.["handled"] === true) handled = "true";
  }
  return handled;
}

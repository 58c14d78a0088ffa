import { isIP } from "node:net";
import type { EventUser } from "@faultline/proto";
import { readBag } from "./bag.ts";
import type { JsonField, JsonObject } from "./json.ts";
import { asObject, isObject } from "./json.ts";
import { limits } from "./limits.ts";
import { readText } from "./text.ts";
import type { Trims } from "./trims.ts";

/** What names the affected user. Each may be empty. */
export interface UserNames {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly ipAddress: string;
}

/** The affected user's names. `clientIp`, where known, stands in for `{{auto}}` and for browsers and phones that name no address. */
export function readUserNames(event: JsonObject, clientIp = "", trims?: Trims): UserNames {
  const user = sentUser(event);
  return {
    id: readText(user?.["id"], limits.text.userName, trims?.at("id")).trim(),
    username: readText(user?.["username"] ?? user?.["name"], limits.text.userName, trims?.at("username")).trim(),
    email: readText(user?.["email"], limits.text.email, trims?.at("email")).trim(),
    ipAddress: ipAddress(user?.["ip_address"], clientIp) || addressOfRequest(event, clientIp),
  };
}

/** The key users are counted by: the first of id, username, email and address, with its kind in front. */
export function userKey(user: UserNames): string {
  if (user.id !== "") return `id:${user.id}`;
  if (user.username !== "") return `username:${user.username}`;
  if (user.email !== "") return `email:${user.email}`;
  return user.ipAddress === "" ? "" : `ip:${user.ipAddress}`;
}

/** The affected user as shown. Undefined when the event names none. */
export function readUser(event: JsonObject, trims: Trims): EventUser | undefined {
  const names = readUserNames(event, "", trims);
  const data = readBag(otherData(sentUser(event)), limits.bag.user, trims.at("data"));
  if (userKey(names) === "" && !data) return undefined;
  return { $typeName: "faultline.v1.EventUser", ...names, ...(data && { data }) };
}

function sentUser(event: JsonObject): JsonObject | undefined {
  return asObject(event["user"] ?? event["sentry.interfaces.User"]);
}

/** An address as text, `{{auto}}` as the client's; anything else, such as Python's `[Filtered]`, as "". */
function ipAddress(sent: JsonField, clientIp: string): string {
  if (typeof sent !== "string") return "";
  const text = sent.trim();
  if (text === "{{auto}}") return clientIp;
  return isIP(text) === 0 ? "" : text;
}

// The peer of a server's SDK is the server itself and no user, so it counts for SDKs on users' devices only.
const onDevice = new Set<JsonField>(["javascript", "cocoa", "objc"]);

function addressOfRequest(event: JsonObject, clientIp: string): string {
  const request = asObject(event["request"] ?? event["sentry.interfaces.Http"]);
  const remote = ipAddress(asObject(request?.["env"])?.["REMOTE_ADDR"], clientIp);
  return remote === "" && onDevice.has(event["platform"]) ? clientIp : remote;
}

/** Everything the SDK says of a user but the names; what Java puts into `data` others send beside the names. */
function otherData(user: JsonObject | undefined): JsonObject {
  const data: JsonObject = {};
  if (!user) return data;
  const username = user["username"] ?? user["name"];
  for (const [key, value] of [...entries(user), ...entries(user["data"])]) {
    if (value === null || key === "id" || key === "username" || key === "email" || key === "ip_address") continue;
    if (key === "data" && isObject(value)) continue;
    if (key === "name" && value === username) continue;
    if (key !== "__proto__") data[key] = value;
  }
  return data;
}

function entries(value: JsonField) {
  return isObject(value) ? Object.entries(value) : [];
}

import { isIPv6, SocketAddress, isIP } from "node:net";
import type { EventUser } from "@faultline/proto";
import { type JsonField, type JsonObject, asObject, isObject, cleanText, readText } from "./json.ts";
import { limits } from "./limits.ts";
import { readTrimmedJson, type Trims } from "./trims.ts";

/** The names of the affected user. Each may be empty. */
export interface UserNames {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly ipAddress: string;
}

/** The affected user of an event: the names, and the key that counts. */
interface AffectedUser {
  readonly names: UserNames;
  /** See userKey. Empty if the event identifies nobody. */
  readonly key: string;
}

/**
 * The affected user. `clientIp` is the sender's address, if it is known. An address that the event neither names nor
 * asks for, such as the sender's of a browser, belongs to a user whom nobody identified: it is shown and does not count.
 */
export function readAffectedUser(event: JsonObject, clientIp = ""): AffectedUser {
  const user = sentUser(event);
  const { address, identifies } = readAddress(event, user, clientIp);
  const names = readNames(user, address);
  return { names, key: identifies || address === "" ? userKey(names) : userKey({ ...names, ipAddress: "" }) };
}

/** The sender's address if it is shown and neither the event nor the key of its user holds it. Mostly empty. */
export function unheldAddress(event: JsonObject, clientIp = ""): string {
  const { address, isSenders } = readAddress(event, sentUser(event), clientIp);
  return isSenders && !readAffectedUser(event, clientIp).key.startsWith("ip:") ? address : "";
}

/** The affected user's names; of a stored event with the sender's address, if it was stored. */
export function readUserNames(event: JsonObject, trims?: Trims): UserNames {
  const user = sentUser(event);
  return readNames(user, readAddress(event, user, storedAddress(event)).address, trims);
}

function readNames(user: JsonObject | undefined, ipAddress: string, trims?: Trims): UserNames {
  if (user === undefined) return { id: "", username: "", email: "", ipAddress };
  return {
    id: readName(user["id"], limits.text.userName, trims?.at("id")),
    username: readName(usernameOf(user), limits.text.userName, trims?.at("username")),
    email: readName(user["email"], limits.text.email, trims?.at("email")),
    ipAddress,
  };
}

/**
 * The key users are counted by: the first of id, username, email and address, with its kind in front. An e-mail address
 * and an IP address have one spelling in it; ids and usernames belong to the application, and their case may matter.
 */
export function userKey(user: UserNames): string {
  if (user.id !== "") return `id:${user.id}`;
  if (user.username !== "") return `username:${user.username}`;
  if (user.email !== "") return `email:${emailOf(user)}`;
  return user.ipAddress === "" ? "" : `ip:${canonicalAddress(user.ipAddress)}`;
}

/** The names of a user, each in the spelling that a key has. */
export function canonicalUser(user: UserNames): UserNames {
  return { ...user, email: emailOf(user), ipAddress: canonicalAddress(user.ipAddress) };
}

const emailOf = ({ email }: UserNames) => cleanText(canonicalEmail(email), limits.text.email);

/** A key that was made elsewhere, such as `email:Ann@Example.com`, as userKey spells it. Any other text is kept as it is. */
export function readUserKey(key: string): string {
  const [, kind, name] = /^(id|username|email|ip):(.*)$/s.exec(key) ?? [];
  if (kind === undefined || name === undefined) return key.trim();
  return userKey(readUserNames({ user: { [kind === "ip" ? "ip_address" : kind]: name } }));
}

/** A name of unknown kind, in one spelling if it looks like an e-mail address or an IP address. */
export function canonicalName(name: string): string {
  return /^[^\s@]+@[^\s@]+$/.test(name) ? canonicalEmail(name) : canonicalAddress(name);
}

/** The affected user as shown. Undefined when the event names none. */
export function readUser(event: JsonObject, trims: Trims): EventUser | undefined {
  const names = readUserNames(event, trims);
  const data = readTrimmedJson(otherData(sentUser(event)), limits.trimmedJson.user, trims.at("data"));
  if (userKey(names) === "" && !data) return undefined;
  return { $typeName: "faultline.v1.EventUser", ...names, ...(data && { data }) };
}

function sentUser(event: JsonObject): JsonObject | undefined {
  return asObject(event["user"] ?? event["sentry.interfaces.User"]);
}

/**
 * A name without the blanks around it. A boolean names nobody: `false` is the value of `user && user.id` without a
 * user.
 */
function readName(sent: JsonField, max: number, trims?: Trims): string {
  if (typeof sent === "boolean") return "";
  return readText(typeof sent === "string" ? sent.trim() : sent, max, trims).trim();
}

/** The `username`, otherwise the `name`. */
function usernameOf(user: JsonObject | undefined): JsonField {
  const username = user?.["username"];
  return readName(username, limits.text.userName) === "" ? user?.["name"] : username;
}

/** By Unicode's own table: a Turkish locale would make another address of `INFO@`. */
function canonicalEmail(email: string): string {
  return email.toLowerCase();
}

/**
 * An IPv6 address in its shortest form, or as IPv4 if it maps one. Its zone (`%eth0`) names an interface of the machine
 * that saw the address, so it says nothing about the person. Anything else is returned as it is.
 */
function canonicalAddress(address: string): string {
  if (!address.includes(":") || !isIPv6(address)) return address; // asking isIPv6 doubles the cost of an IPv4 address
  return new SocketAddress({ address, family: "ipv6" }).address.replace(/^::ffff:(?=\d+\.)/, "");
}

/** Everything the SDK sends of a user but the names. Java puts into `data` what other SDKs send next to the names. */
function otherData(user: JsonObject | undefined): JsonObject {
  const data: JsonObject = {};
  if (!user) return data;
  const username = usernameOf(user);
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

/** The address of an event's user. */
interface UserAddress {
  /** Empty if the user has no address. */
  readonly address: string;
  /** Whether the event names the address or asks for the sender's, so that the address identifies a user. */
  readonly identifies: boolean;
  /** Whether the address is the sender's, which is not in the event. */
  readonly isSenders: boolean;
}

const noAddress: UserAddress = { address: "", identifies: false, isSenders: false };

/** The word with which an SDK leaves the address to the receiver. */
const auto = "{{auto}}";

/**
 * The address of an event's user; `clientIp` is the sender's. The rules are Relay's (normalize_ip_addresses), with the
 * setting `sdk.settings.infer_ip`. Without the setting, only SDKs on users' devices get the sender's address, because the
 * peer of a server's SDK is the server itself.
 */
function readAddress(event: JsonObject, user: JsonObject | undefined, clientIp: string): UserAddress {
  const sent = textOf(user?.["ip_address"]);
  if (isIP(sent) !== 0) return { address: sent, identifies: true, isSenders: false };
  const inference = inferenceOf(event);
  if (inference === "never") return noAddress;
  const ofRequest = remoteAddress(event);
  const isAsked = sent === auto || inference === "auto";
  if (isIP(ofRequest) !== 0) return { address: ofRequest, identifies: isAsked, isSenders: false };
  const isOnDevice = user !== undefined && onDevice.has(event["platform"]);
  if (!isAsked && !isOnDevice && ofRequest !== auto) return noAddress;
  return { address: clientIp, identifies: isAsked, isSenders: true };
}

const onDevice = new Set<JsonField>(["javascript", "cocoa", "objc"]);

/** Whether the sender's address may stand in. A word that is not known may forbid it. */
function inferenceOf(event: JsonObject): "auto" | "never" | "legacy" {
  const sent = asObject(asObject(event["sdk"])?.["settings"])?.["infer_ip"] ?? "legacy";
  return sent === "auto" || sent === "legacy" ? sent : "never";
}

/** The address that a server saw as its visitor's. */
function remoteAddress(event: JsonObject): string {
  const request = asObject(event["request"] ?? event["sentry.interfaces.Http"]);
  return textOf(asObject(request?.["env"])?.["REMOTE_ADDR"]);
}

function textOf(sent: JsonField): string {
  return typeof sent === "string" ? sent.trim() : "";
}

/** The field in which a stored event has the sender's address. */
const storedField = "_sender_address";

/** The JSON of an event with the sender's address at its end. Writing the whole JSON again would take as long as parsing it. */
export function withSendersAddress(json: Buffer, address: string): Buffer {
  const end = json.lastIndexOf("}");
  return Buffer.concat([json.subarray(0, end), Buffer.from(`,"${storedField}":${JSON.stringify(address)}}`)]);
}

/** The sender's address in a stored event. May be empty. */
function storedAddress(event: JsonObject): string {
  const address = textOf(event[storedField]);
  return isIP(address) === 0 ? "" : address;
}

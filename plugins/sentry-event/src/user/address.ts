import { isIP } from "node:net";
import type { JsonField, JsonObject } from "../json/json.ts";
import { asObject } from "../json/json.ts";

/** The address of an event's user. */
export interface UserAddress {
  /** Empty: none. */
  readonly address: string;
  /** The event names the address, or asks for the sender's: it stands for a user. */
  readonly identifies: boolean;
  /** The address is the sender's, so it is not in the event. */
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
export function readAddress(event: JsonObject, user: JsonObject | undefined, clientIp: string): UserAddress {
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
export function storedAddress(event: JsonObject): string {
  const address = textOf(event[storedField]);
  return isIP(address) === 0 ? "" : address;
}

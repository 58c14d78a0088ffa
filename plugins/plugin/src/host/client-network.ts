import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * The network by which attempts from an address are counted: the address of IPv4, the /64 of IPv6 that one subscriber
 * has. A text that is no address counts as itself.
 */
export function clientNetwork(address: string): string {
  const text = address.trim().replace(/%.*$/s, "").toLowerCase(); // a zone says nothing about the sender
  if (isIP(text) !== 6) return text;
  const parsed = ipaddr.IPv6.parse(text);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const network = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/**
 * The network by which a sender of events is counted: the /24 of IPv4, the /64 of IPv6. A text that is no address
 * counts as itself.
 */
export function senderNetwork(address: string): string {
  const known = senderNetworks.get(address);
  if (known !== undefined) return known;
  const subscriber = clientNetwork(address);
  const network = isIP(subscriber) === 4 ? `${subscriber.slice(0, subscriber.lastIndexOf("."))}.0/24` : subscriber;
  if (senderNetworks.size >= addressesRemembered) senderNetworks.clear();
  senderNetworks.set(address, network);
  return network;
}

/**
 * The wider network that may all belong to one person: the /24 of IPv4, of IPv6 the /48 that providers give to one site. A text that
 * is no address counts as itself.
 */
export function wideNetwork(address: string): string {
  const network = senderNetwork(address);
  if (!network.endsWith("::/64")) return network;
  return `${network.split(":").slice(0, 3).join(":")}::/48`;
}

/** The networks of the last addresses: each event needs one, and computing it takes up to 7 microseconds. */
const senderNetworks = new Map<string, string>();
const addressesRemembered = 10_000;

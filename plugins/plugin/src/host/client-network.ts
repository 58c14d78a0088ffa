import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * The network by which attempts from an address are counted: the IPv4 address, or the IPv6 /64, which belongs to one
 * subscriber. A text that is not an address counts as itself.
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
 * The network by which a sender of events is counted: the IPv4 /24 or the IPv6 /64. A text that is not an address
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
 * The wider network that may belong to one person: the IPv4 /24, or the IPv6 /48, which providers give to one site. A
 * text that is not an address counts as itself.
 */
export function wideNetwork(address: string): string {
  const network = senderNetwork(address);
  return widerNetworks(network).at(-1) ?? network;
}

/** The networks of recent addresses, because each event needs a network and computing it takes up to 7 microseconds. */
const senderNetworks = new Map<string, string>();
const addressesRemembered = 10_000;

/**
 * The wider networks of a network that `senderNetwork` returned, because one site may own them entirely: the /56 and
 * the /48 of IPv6. None for IPv4.
 */
export function widerNetworks(network: string): readonly string[] {
  if (!network.endsWith("::/64")) return none;
  const known = wider.get(network);
  if (known) return known;
  const [first = "", second = "", third = "", fourth = ""] = network.slice(0, -"::/64".length).split(":");
  const site = [first, second, third].join(":");
  const subnet = (Number.parseInt(fourth, 16) & 0xff00).toString(16);
  const found = [`${site}:${subnet}::/56`, `${site}::/48`];
  if (wider.size >= addressesRemembered) wider.clear();
  wider.set(network, found);
  return found;
}

/**
 * The site of an address: an IPv4 address, or the IPv6 /48, because one customer may have all its networks. For
 * resources that everybody shares and few can use simultaneously. Guesses and wrong tokens are counted by
 * `clientNetwork`.
 */
export function clientSite(address: string): string {
  const network = clientNetwork(address);
  return widerNetworks(network).at(-1) ?? network;
}

const none: readonly string[] = [];
const wider = new Map<string, readonly string[]>();

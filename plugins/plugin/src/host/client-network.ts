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

/** The networks of the last addresses: each event needs one, and computing it takes up to 7 microseconds. */
const senderNetworks = new Map<string, string>();
const addressesRemembered = 10_000;

/**
 * The wider networks of a network that `senderNetwork` returned, which one site may have whole: the /56 and the /48 of IPv6. IPv4 has
 * none.
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
 * The site of an address: an IPv4 address, or the /48 of IPv6, whose networks one customer may have all. For what is shared by everybody
 * and by few at a time; guesses and wrong tokens are counted by `clientNetwork`.
 */
export function clientSite(address: string): string {
  const network = clientNetwork(address);
  return widerNetworks(network).at(-1) ?? network;
}

const none: readonly string[] = [];
const wider = new Map<string, readonly string[]>();

import { isIP } from "node:net";

/**
 * The network that attempts from an address are counted by: of IPv4 the address, of IPv6 the /64 that one subscriber
 * has. What is no address stands for itself.
 */
export function clientNetwork(address: string): string {
  const text = address.trim().replace(/%.*$/s, "").toLowerCase(); // a zone says nothing about the sender
  if (isIP(text) !== 6) return text;
  const groups = groupsOf(text);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join(".");
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/**
 * The network that a sender of events is counted by: the /24 of IPv4, the /64 of IPv6. What is no address stands for itself.
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

/** Those of the last addresses, which come with each event: to work one out takes up to 5 microseconds. */
const senderNetworks = new Map<string, string>();
const addressesRemembered = 10_000;

/** The eight groups of an IPv6 address, whose last two may be written as IPv4. */
function groupsOf(address: string): number[] {
  const hexadecimal = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = [], tail = []] = hexadecimal
    .split("::")
    .map((half) => half.split(":").flatMap((group) => (group === "" ? [] : parseInt(group, 16))));
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

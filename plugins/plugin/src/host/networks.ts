import { BlockList, isIP } from "node:net";

/** A set of addresses, compared by their bytes. */
export interface Networks {
  has(address: string): boolean;
}

/** Whether `text` is an IP address without a zone, or a subnet with its prefix length. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  const bits = { 4: 32, 6: 128 }[isIP(address)];
  if (bits === undefined || more.length > 0 || address.includes("%")) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

/** Separate lists per family, because a list with both would match an IPv4-mapped IPv6 address as IPv4. */
export function networksOf(networks: readonly string[]): Networks {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const [address = "", prefix] = network.split("/", 2);
    const family = familyOf(address);
    if (prefix === undefined) lists[family].addAddress(address, family);
    else lists[family].addSubnet(address, Number(prefix), family);
  }
  return {
    has(address) {
      const family = familyOf(address);
      return lists[family].check(address, family); // a text that is not an address is in no list
    },
  };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

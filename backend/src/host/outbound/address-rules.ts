import { isIP } from "node:net";
import { networksOf, type Networks } from "@faultline/plugin";

/** Global unicast (RFC 4291). All else of IPv6, mapped and translated IPv4 addresses among it, is not public. */
const publicIpv6 = networksOf(["2000::/3"]);

/**
 * Networks that cannot be reached from the internet or have none of its hosts (IANA special-purpose registries of
 * 2025), and those whose addresses contain an IPv4 address: Teredo (in 2001::/23) and 6to4.
 */
const special = networksOf([
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
]);

/** Private networks, which the operator may allow: private use, loopback, shared space of carriers, unique local. */
const privateNetworks = networksOf([
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7",
]);

/**
 * Addresses that nobody can allow: those by which clouds hand credentials to their machines, some of which lie in
 * networks that can be allowed and one in public space; link-local ones; and those that belong to no host.
 */
const forbidden = networksOf([
  "0.0.0.0/8",
  "169.254.0.0/16", // link-local: metadata of most clouds
  "100.100.100.200/32", // Alibaba
  "168.63.129.16/32", // Azure
  "192.0.0.192/32", // Oracle
  "224.0.0.0/4",
  "240.0.0.0/4", // reserved, and broadcast
  "::/128",
  "fe80::/10",
  "fec0::/10",
  "fd00:ec2::/32", // Amazon
  "fd00:42::42/128", // Scaleway
  "fd20:ce::254/128", // Google
  "ff00::/8",
]);

/** Decides by its bytes whether an address may be connected to, so that its notation makes no difference. */
export class AddressRules {
  readonly #allowed: Networks;

  /** `networks` are addresses and subnets that the operator allows: private ones, and addresses of this machine. */
  constructor(networks: readonly string[]) {
    this.#allowed = networksOf(networks);
  }

  /**
   * Whether `address` may be connected to; a text that is not an IP address may not. A public address of `thisMachine`
   * needs to be allowed like a private one: a connection to it goes over loopback, past most firewalls of a host.
   */
  allows(address: string, thisMachine: Networks): boolean {
    const family = isIP(address);
    if (family === 0 || address.includes("%") || forbidden.has(address)) return false;
    if (privateNetworks.has(address)) return this.#allowed.has(address);
    if (special.has(address) || (family === 6 && !publicIpv6.has(address))) return false;
    return !thisMachine.has(address) || this.#allowed.has(address);
  }

  /** Whether an address that is allowed is so for everybody, and not by the operator's choice. */
  isPublic(address: string, thisMachine: Networks): boolean {
    return !privateNetworks.has(address) && !thisMachine.has(address);
  }
}

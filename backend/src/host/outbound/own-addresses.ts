import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { networksOf, type Networks } from "@faultline/plugin";
import { readTarget, type Target } from "./target.ts";

/** Every address of this machine at this moment: its interfaces may change while the service runs. */
export function addressesOfThisMachine(): Networks {
  return networksOf(["127.0.0.0/8", "::1", ...addressesOfInterfaces()]);
}

function addressesOfInterfaces(): string[] {
  try {
    return Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  } catch {
    // A hardened service may open no socket of AF_NETLINK, which lists interfaces; the tables of the kernel have them too.
    return addressesInTables({
      ipv4: readFileSync("/proc/self/net/fib_trie", "latin1"),
      ipv6: readIfThere("/proc/self/net/if_inet6"),
    });
  }
}

/** The kernel has no such table where IPv6 is off. */
const readIfThere = (path: string) => (existsSync(path) ? readFileSync(path, "latin1") : "");

/** The addresses of this machine, by the text of the kernel's routes and of its IPv6 interfaces. */
export function addressesInTables({ ipv4, ipv6 }: { ipv4: string; ipv6: string }): string[] {
  const local = [...ipv4.matchAll(/\|-- (\S+)\n\s+\/32 host LOCAL/g)].map(([, address = ""]) => address);
  const interfaces = [...ipv6.matchAll(/^[0-9a-f]{32}/gm)].map(([digits]) => digits.match(/.{4}/g)?.join(":") ?? "");
  return [...new Set([...local, ...interfaces])];
}

/**
 * Whether a request would come back to this service. `own` are its URLs: of those with a name, name and port count; of
 * those with an address, which it listens on, the port at every address of this machine.
 */
export function isOwn(
  { host, port }: Target,
  addresses: readonly string[],
  { own, thisMachine }: { own: readonly string[]; thisMachine: Networks },
): boolean {
  return own.some((url) => {
    const ours = readTarget(url);
    if (ours === undefined || ours.port !== port) return false;
    return ours.host === host || (isIP(ours.host) !== 0 && addresses.some((address) => thisMachine.has(address)));
  });
}

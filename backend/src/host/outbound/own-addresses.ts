import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { networksOf, type Networks } from "./networks.ts";
import { readTarget, type Target } from "./target.ts";

/** Every address of this machine at this moment: its interfaces may change while the service runs. */
export function addressesOfThisMachine(): Networks {
  const ofInterfaces = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  return networksOf(["127.0.0.0/8", "::1", ...ofInterfaces]);
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

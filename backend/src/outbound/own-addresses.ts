import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { readTarget, type Target } from "./target.ts";

/**
 * Whether a request would come back to this service. `own` are its URLs: of those with a name, name and port count; of
 * those with an address, which it listens at, the port at every address of this machine.
 */
export function isOwn({ host, port }: Target, addresses: readonly string[], own: readonly string[]): boolean {
  return own.some((url) => {
    const ours = readTarget(url);
    if (ours === undefined || ours.port !== port) return false;
    return ours.host === host || (isIP(ours.host) !== 0 && addresses.some(isOfThisMachine));
  });
}

function isOfThisMachine(address: string): boolean {
  if (address.startsWith("127.") || address === "::1") return true;
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address));
}

import { promises as dns } from "node:dns";
import { isIP } from "node:net";

/** Time for the lookup of a name. Two tries of a silent name server fit into it. */
const resolveMs = 1_500;

/**
 * The addresses of a host, IPv4 first; empty when there are none, or none arrived in time. Queries name servers itself,
 * and not by `dns.lookup`: that one waits in the thread pool in which SQLite works, so slow name servers of others
 * would hold up all storing. As a consequence the hosts file and search domains are ignored.
 */
export async function addressesOf(
  host: string,
  { nameServers, signal }: { nameServers: readonly string[] | undefined; signal: AbortSignal },
): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  if (/(?:^|\.)localhost$/.test(host)) return ["127.0.0.1"]; // RFC 6761, 6.3: whatever name servers say
  // One per lookup: making it takes 0.03 ms, reads the system's current name servers, and remembers no answer.
  const resolver = new dns.Resolver({ timeout: 600, tries: 2, maxTimeout: 600 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const giveUp = () => resolver.cancel();
  const timer = setTimeout(giveUp, resolveMs);
  signal.addEventListener("abort", giveUp);
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  clearTimeout(timer);
  // One of the two families often has no address, and its name server may even be silent: the answer of the other
  // stands.
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}

import { promises as dns } from "node:dns";
import { isIP } from "node:net";

/** How long the look-up of a name may take. Two tries of a name server that is silent fit into it. */
const resolveMs = 1_500;

/**
 * The addresses of a host, IPv4 first; empty when there are none, or none came in time. Asks name servers itself, and
 * not by `dns.lookup`: that one waits in the thread pool which SQLite works in, so that slow name servers of others
 * would hold up all storing. It follows that the hosts file and search domains are not looked at.
 */
export async function addressesOf(
  host: string,
  { nameServers, signal }: { nameServers: readonly string[] | undefined; signal: AbortSignal },
): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  if (/(?:^|\.)localhost$/.test(host)) return ["127.0.0.1"]; // RFC 6761, 6.3: whatever name servers say
  // One a look-up: making it takes 0.03 ms, reads what name servers the system has now, and remembers no answer.
  const resolver = new dns.Resolver({ timeout: 600, tries: 2, maxTimeout: 600 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const giveUp = () => resolver.cancel();
  const timer = setTimeout(giveUp, resolveMs);
  signal.addEventListener("abort", giveUp);
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  clearTimeout(timer);
  // Of the two families one often has no address, and its name server may even be silent: what the other gave stands.
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}

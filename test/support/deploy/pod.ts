import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../service/temp-dir.ts";
import { helmProgram } from "./helm-program.ts";
import { nftChains, type NetworkPolicy } from "./network-policy.ts";

/** Why no network of a pod can be made here, and no policy for it; undefined if they can. */
export function whyNoPods(): string | undefined {
  if (process.platform !== "linux") return "network namespaces are part of Linux";
  if (helmProgram() === undefined) return "there is no helm; build it: node test/support/deploy/helm-program.ts";
  const trial = "ip link add eth0 type veth peer name eth1 && nft add table inet trial";
  const { status, stderr } = spawnSync("unshare", ["--net", "--mount", "sh", "-c", trial], { encoding: "utf8" });
  return status === 0 ? undefined : `unshare, ip, nft and the rights of root are needed: ${String(stderr).trim()}`;
}

/** The ports of the chart's containers, by name. */
export const podPorts = { http: 8080, grpc: 50051 };

/** Where connections of a pod end: its port to a port of the test, whatever the address is. */
export type Receivers = Readonly<{ tcp: Readonly<Record<number, number>>; names: number }>;

/**
 * A network for a service of its own, without a way to the internet: what leaves it for any address arrives at a
 * server of the test.
 */
export function pod(receivers: Receivers) {
  // Of this process alone, as others may run the same test.
  const [third, fourth] = [(process.pid >> 6) & 255, (process.pid & 63) * 4];
  const [outside, inside] = [1, 2].map((end) => `10.213.${third}.${fourth + end}`);
  const names = join(tempDir(), "resolv.conf");
  writeFileSync(names, "nameserver 9.9.9.9\n");
  const script = join(import.meta.dirname, "pod.sh");
  const ways = Object.entries(receivers.tcp).map(([port, ours]) => `${port} : ${outside} . ${ours}`);
  return {
    /** Of the service, as the test reaches it. */
    address: inside,
    /** Starts the service in it. */
    prelude: `exec sh ${script} ${process.pid} pod${process.pid} ${outside} ${inside} ${names} "$0" "$@"`,
    /** Puts the policy into force for the pod of a process, in place of the one before. */
    apply(policy: NetworkPolicy, pid: number) {
      // The policy is asked about the address that the service named, before that becomes one of the test's.
      const rules = `
        add table inet pod
        delete table inet pod
        table inet pod {
          ${nftChains(policy, podPorts)}
          chain ways {
            type nat hook output priority -100;
            oif eth0 dnat ip to tcp dport map { ${ways.join(", ")} }
            oif eth0 udp dport 53 dnat ip to ${outside}:${receivers.names}
          }
        }`;
      execFileSync("nsenter", [`--net=/proc/${pid}/ns/net`, "nft", "-f", "-"], { input: rules, stdio: "pipe" });
    },
  };
}

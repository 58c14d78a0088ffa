import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../service/temp-dir.ts";
import { helmProgram } from "./helm-program.ts";
import { nftChains, type NetworkPolicy } from "./network-policy.ts";

/** Why this machine cannot make a pod's network and its policy; undefined if it can. */
export function whyNoPods(): string | undefined {
  if (process.platform !== "linux") return "network namespaces are part of Linux";
  if (helmProgram() === undefined) return "there is no helm; build it: node test/support/deploy/helm-program.ts";
  const trial = "ip link add eth0 type veth peer name eth1 && nft add table inet trial";
  const { status, stderr } = spawnSync("unshare", ["--net", "--mount", "sh", "-c", trial], { encoding: "utf8" });
  return status === 0 ? undefined : `unshare, ip, nft and the rights of root are needed: ${String(stderr).trim()}`;
}

/** The ports of the chart's containers, by name. */
export const podPorts = { http: 8080, grpc: 50051 };

/** Where the connections of a pod end, whatever their address: a port of the pod leads to a port of the test. */
export type Receivers = Readonly<{ tcp: Readonly<Record<number, number>>; names: number }>;

/**
 * A separate network for a service, without a way to the internet. Connections to any address arrive at a server of the
 * test.
 */
export function pod(receivers: Receivers) {
  // Unique to this process, because others may run the same test.
  const [third, fourth] = [(process.pid >> 6) & 255, (process.pid & 63) * 4];
  const [outside, inside] = [1, 2].map((end) => `10.213.${third}.${fourth + end}`);
  const names = join(tempDir(), "resolv.conf");
  writeFileSync(names, "nameserver 9.9.9.9\n");
  const script = join(import.meta.dirname, "pod.sh");
  const ways = Object.entries(receivers.tcp).map(([port, ours]) => `${port} : ${outside} . ${ours}`);
  return {
    /** The address at which the test reaches the service. */
    address: inside,
    /** Starts the service in the network. */
    prelude: `exec sh ${script} ${process.pid} pod${process.pid} ${outside} ${inside} ${names} "$0" "$@"`,
    /** Applies the policy to the pod of a process, in place of the previous policy. */
    apply(policy: NetworkPolicy, pid: number) {
      // The policy judges the address that the service named, before it is replaced by an address of the test.
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

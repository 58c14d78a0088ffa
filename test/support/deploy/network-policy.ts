import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../service/temp-dir.ts";
import { helmProgram } from "./helm-program.ts";
import { renderedChart, type ChartValues } from "./rendered-chart.ts";

/** A network, or pods chosen by their labels. */
interface Peer {
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

interface Rule {
  readonly ports?: readonly { readonly port: number | string; readonly protocol: "TCP" | "UDP" }[];
  readonly to?: readonly Peer[];
  readonly from?: readonly Peer[];
}

/** The fields of a Kubernetes NetworkPolicy that the chart uses. */
export interface NetworkPolicy {
  readonly spec: {
    readonly policyTypes: readonly string[];
    readonly ingress: readonly Rule[];
    readonly egress: readonly Rule[];
  };
}

/** The chart's network policy. Helm turns its YAML into JSON, because Node has no YAML parser. */
export function chartPolicy(values: ChartValues): NetworkPolicy {
  const dir = tempDir();
  mkdirSync(join(dir, "templates"));
  writeFileSync(join(dir, "Chart.yaml"), "apiVersion: v2\nname: json\nversion: 1.0.0\n");
  writeFileSync(join(dir, "templates/policy.json"), "{{ .Values.policy | fromYaml | toJson }}\n");
  writeFileSync(join(dir, "policy.yaml"), renderedChart("networkpolicy.yaml", values));
  const json = execFileSync(
    helmProgram() ?? "",
    ["template", dir, "--set-file", `policy=${join(dir, "policy.yaml")}`],
    {
      encoding: "utf8",
    },
  );
  return JSON.parse(json.slice(json.indexOf("{"))) as NetworkPolicy; // the first line names the template
}

/** The chains of nftables that apply the policy to a pod. `namedPorts` are the ports of its containers. */
export function nftChains(policy: NetworkPolicy, namedPorts: Readonly<Record<string, number>>): string {
  const { policyTypes, ingress, egress } = policy.spec;
  if (!policyTypes.includes("Ingress") || !policyTypes.includes("Egress")) throw new Error("it restricts one way only");
  const allowing = (rule: Rule, peers: readonly Peer[] | undefined, field: "saddr" | "daddr") =>
    portMatches(rule, namedPorts).flatMap((ports) =>
      addressMatches(peers, field).map((peer) => `${peer} ${ports} accept`),
    );
  // The network of a cluster drops forbidden packets. The network of the test rejects them, so that nobody waits for an
  // answer.
  const chain = (hook: string, device: string, rules: readonly string[]) => `
    chain ${hook} {
      type filter hook ${hook} priority mangle; policy accept;
      ${device} lo accept
      ct state established,related accept
      ${rules.join("\n      ")}
      meta l4proto tcp reject with tcp reset
      reject
    }`;
  const incoming = ingress.flatMap((rule) => allowing(rule, rule.from, "saddr"));
  const outgoing = egress.flatMap((rule) => allowing(rule, rule.to, "daddr"));
  return chain("input", "iif", incoming) + chain("output", "oif", outgoing);
}

/** One text for each protocol. A rule without ports applies to all. */
function portMatches({ ports = [] }: Rule, namedPorts: Readonly<Record<string, number>>): string[] {
  if (ports.length === 0) return [""];
  return ports.map(({ port, protocol }) => {
    const number = typeof port === "number" ? port : namedPorts[port];
    if (number === undefined) throw new Error(`no container has a port ${port}`);
    return `${protocol.toLowerCase()} dport ${number}`;
  });
}

/**
 * One text for each network. A rule without networks applies to all. Chosen pods have no address, because there are
 * none here.
 */
function addressMatches(peers: readonly Peer[] = [], field: "saddr" | "daddr"): string[] {
  if (peers.length === 0) return [""];
  const blocks = peers.flatMap(({ ipBlock }) => ipBlock ?? []);
  return blocks.map(({ cidr, except = [] }) => {
    const family = cidr.includes(":") ? "ip6" : "ip";
    const others = except.length === 0 ? "" : ` ${family} ${field} != { ${except.join(", ")} }`;
    return `${family} ${field} ${cidr}${others}`;
  });
}

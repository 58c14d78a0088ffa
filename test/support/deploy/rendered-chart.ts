import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { repositoryRoot } from "../service/server.ts";
import { helmProgram } from "./helm-program.ts";

/** Values of the chart. A list is written `{25,587}`. */
export type ChartValues = Readonly<Record<string, string>>;

/** One template of the chart as YAML. Needs `helm`. */
export function renderedChart(template: string, values: ChartValues = {}): string {
  const all = { baseUrl: "https://errors.example.com", existingSecret: "keys", ...values };
  const settings = Object.entries(all).flatMap(([name, value]) => {
    const isList = value.startsWith("{");
    return ["--set-string", `${name}=${isList ? value : value.replaceAll(",", "\\,")}`];
  });
  const chart = join(repositoryRoot, "deploy/helm/faultline");
  const where = ["--kube-version", "1.31.0", "--set", "serviceMonitor.enabled=true", "-s", `templates/${template}`];
  return execFileSync(helmProgram() ?? "", ["template", "errors", chart, ...where, ...settings], { encoding: "utf8" });
}

/** Finds the program `helm`. Run as a program, it builds it: `node test/support/deploy/helm-program.ts`. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../service/server.ts";

/** The release to build, which we tested. */
const release = "v3.22.0";

const built = join(repositoryRoot, "node_modules/.cache/helm");

/** The path of `helm`; undefined if there is none. */
export function helmProgram(): string | undefined {
  return ["helm", join(built, "helm")].find((path) => spawnSync(path, ["version"]).status === 0);
}

if (import.meta.main && helmProgram() === undefined) {
  const go = existsSync("/usr/local/go/bin/go") ? "/usr/local/go/bin/go" : "go";
  const env = { ...process.env, GOBIN: built, GOFLAGS: "-mod=mod", CGO_ENABLED: "0" };
  execFileSync(go, ["install", `helm.sh/helm/v3/cmd/helm@${release}`], { env, stdio: "inherit" });
}

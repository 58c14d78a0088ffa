/** Finds the program `nats-server`. Run as a program, it builds it: `node test/support/nats/nats-program.ts`. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../service/server.ts";

/** The release to build, the newest that we tested. */
const release = "v2.15.2";

/** JetStream lost acknowledged messages before 2.12 (release notes of nats-server 2.10.23, 2.11 and 2.12). */
const oldest = [2, 12] as const;

const built = join(repositoryRoot, "node_modules/.cache/nats-server");

/** The path of a `nats-server` that is new enough, or why there is none. */
export function natsProgram(): { readonly path: string } | { readonly missing: string } {
  const tooOld: string[] = [];
  for (const path of [process.env["FAULTLINE_NATS_SERVER"], "nats-server", join(built, "nats-server")]) {
    const version = path && versionOf(path);
    if (!version) continue;
    if (isNewEnough(version)) return { path };
    tooOld.push(`${path} is ${version}`);
  }
  const found = tooOld.length > 0 ? `${tooOld.join(", ")}: too old` : "there is no nats-server";
  return {
    missing: `${found}. Set FAULTLINE_NATS_SERVER to one from 2.12 on, or build it with Go: node test/support/nats/nats-program.ts`,
  };
}

function versionOf(path: string): string | undefined {
  if (path.includes("/") && !existsSync(path)) return undefined;
  try {
    return /v(\d+\.\d+\.\d+)/.exec(execFileSync(path, ["--version"], { encoding: "utf8" }))?.[1];
  } catch {
    return undefined; // there is none
  }
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

if (import.meta.main) {
  const found = natsProgram();
  if ("path" in found) console.log(`There is one: ${found.path}`);
  else {
    const go = existsSync("/usr/local/go/bin/go") ? "/usr/local/go/bin/go" : "go";
    const env = { ...process.env, GOBIN: built, GOFLAGS: "-mod=mod" };
    execFileSync(go, ["install", `github.com/nats-io/nats-server/v2@${release}`], { env, stdio: "inherit" });
    console.log(`Built ${join(built, "nats-server")}`);
  }
}

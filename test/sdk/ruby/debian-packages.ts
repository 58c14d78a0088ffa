import { existsSync } from "node:fs";
import type { Command } from "../command.ts";

/** The commands that install what is missing of Debian's packages, where we may; none elsewhere. */
export function debianPackages(cwd: string, packages: readonly string[]): readonly Command[] {
  const missing = packages.filter((name) => !existsSync(`/var/lib/dpkg/info/${name}.list`));
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return [];
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const provides = missing.join(", ");
  return [
    { words: ["apt-get", "update"], cwd, limitSeconds: 120, env, provides },
    {
      words: ["apt-get", "install", "--yes", "--no-install-recommends", ...missing],
      cwd,
      limitSeconds: 240,
      env,
      provides,
    },
  ];
}

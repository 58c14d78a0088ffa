import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../service/server.ts";
import { tempDir } from "../service/temp-dir.ts";

/** Why releases of the past cannot be run here; empty: they can. */
export function whyNoRelease(commit: string): string {
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: repositoryRoot, stdio: "ignore" });
    return "";
  } catch {
    return `git does not have the commit ${commit} here`;
  }
}

/** A release of the past as a directory to be run, with the packages of today. */
export function checkOut(commit: string): string {
  const root = tempDir();
  const archive = execFileSync("git", ["archive", commit], { cwd: repositoryRoot, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x"], { cwd: root, input: archive });

  const packages = join(repositoryRoot, "node_modules");
  mkdirSync(join(root, "node_modules/@faultline"), { recursive: true });
  for (const name of readdirSync(packages)) {
    if (name !== "@faultline") symlinkSync(join(packages, name), join(root, "node_modules", name));
  }
  // Those of the workspace are the release's own.
  for (const file of globSync(["{proto,backend,console}/package.json", "plugins/*/package.json"], { cwd: root })) {
    const { name } = JSON.parse(readFileSync(join(root, file), "utf8")) as { name: string };
    symlinkSync(join(root, dirname(file)), join(root, "node_modules", name));
  }
  return root;
}

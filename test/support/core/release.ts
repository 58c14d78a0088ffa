import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../service/server.ts";
import { tempDir } from "../service/temp-dir.ts";

/** Why past releases cannot run here; empty if they can. */
export function whyNoRelease(commit: string): string {
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: repositoryRoot, stdio: "ignore" });
    return "";
  } catch {
    return `git does not have the commit ${commit} here`;
  }
}

/** A directory with a past release, ready to run with the current packages. */
export function checkOut(commit: string): string {
  const root = tempDir();
  const archive = execFileSync("git", ["archive", commit], { cwd: repositoryRoot, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x"], { cwd: root, input: archive });

  const packages = join(repositoryRoot, "node_modules");
  mkdirSync(join(root, "node_modules/@faultline"), { recursive: true });
  for (const name of readdirSync(packages)) {
    if (name !== "@faultline") symlinkSync(join(packages, name), join(root, "node_modules", name));
  }
  // Packages of the workspace come from the release itself.
  for (const file of globSync(["{proto,backend,console}/package.json", "plugins/*/package.json"], { cwd: root })) {
    const { name } = JSON.parse(readFileSync(join(root, file), "utf8")) as { name: string };
    symlinkSync(join(root, dirname(file)), join(root, "node_modules", name));
  }
  return root;
}

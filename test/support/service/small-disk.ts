import { spawnSync } from "node:child_process";
import { mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { atEndOf } from "../run/end-of-file.ts";
import { tempDir } from "./temp-dir.ts";

const marker = "FAULTLINE_TEST_MOUNTS";

/** A mount namespace, in which mounts end with its processes. Users other than root also need a user namespace. */
const ownMounts = process.getuid?.() === 0 ? ["--mount"] : ["--map-root-user", "--mount"];

/** Why this machine cannot mount a file system; empty if it can. */
export function whyNoMounts(): string {
  const { status, stderr, error } = spawnSync("unshare", [...ownMounts, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]);
  if (error) return "unshare is not installed";
  return status === 0 ? "" : `mounting is not allowed: ${stderr.toString().trim()}`;
}

/**
 * Runs the test file with this URL again in a process that may mount, and exits with its exit code. Returns in that
 * process.
 */
export function inOwnMounts(file: string): void {
  if (process.env[marker] === "own") return;
  const args = [...ownMounts, process.execPath, ...process.execArgv, fileURLToPath(file), ...process.argv.slice(2)];
  const { status } = spawnSync("unshare", args, { stdio: "inherit", env: { ...process.env, [marker]: "own" } });
  process.exit(status ?? 1);
}

/** A new empty disk in memory. Call it after `inOwnMounts`. */
export function smallDisk(mebibytes: number): { readonly directory: string; freeBytes(): number } {
  const directory = join(tempDir(), "disk");
  mkdirSync(directory);
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", directory]);
  if (status !== 0) throw new Error(`the small disk could not be mounted: ${stderr.toString()}`);
  atEndOf("file", () => spawnSync("umount", ["--lazy", directory])); // before tempDir removes it
  return {
    directory,
    freeBytes() {
      const { bavail, bsize } = statfsSync(directory);
      return bavail * bsize;
    },
  };
}

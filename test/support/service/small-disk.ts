import { spawnSync } from "node:child_process";
import { mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { atEndOf } from "../run/end-of-file.ts";
import { tempDir } from "./temp-dir.ts";

const marker = "FAULTLINE_TEST_MOUNTS";

/** A mount namespace, in which mounts end with its processes; who is not root needs a user namespace for it. */
const ownMounts = process.getuid?.() === 0 ? ["--mount"] : ["--map-root-user", "--mount"];

/** Why no file system can be mounted here; empty: it can. */
export function whyNoMounts(): string {
  const { status, stderr, error } = spawnSync("unshare", [...ownMounts, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]);
  if (error) return "unshare is not installed";
  return status === 0 ? "" : `mounting is not allowed: ${stderr.toString().trim()}`;
}

/** Runs the test file, by its URL, again where it may mount, and ends as that run does; returns in that run. */
export function inOwnMounts(file: string): void {
  if (process.env[marker] === "own") return;
  const args = [...ownMounts, process.execPath, ...process.execArgv, fileURLToPath(file), ...process.argv.slice(2)];
  const { status } = spawnSync("unshare", args, { stdio: "inherit", env: { ...process.env, [marker]: "own" } });
  process.exit(status ?? 1);
}

/** A new empty disk, in memory. To be asked for within `inOwnMounts`. */
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

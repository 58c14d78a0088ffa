import { StartRefusal, type Log } from "@faultline/plugin";

/**
 * The oldest Node by platform: the one that `npm start` brings there. Older ones have faults that are known and mended.
 * The packages of some platforms lag behind 26.12.1, the security release of 2026-10-21.
 */
export const oldestNode: Readonly<Record<string, string>> = {
  "linux-x64": "26.12.1",
  "linux-arm64": "26.12.1",
  "darwin-x64": "26.10.0",
  "darwin-arm64": "26.10.0",
  "win32-x64": "26.10.0",
};

/** The first Node without the known faults. */
const mended = "26.12.1";

/** Refuses a Node that lacks features the service needs, or has known faults that the platform's own one does not have. */
export function checkNodeVersion(): void {
  const oldest = oldestNode[`${process.platform}-${process.arch}`] ?? mended;
  if (!isOlder(process.versions.node, oldest)) return;
  throw new StartRefusal(
    `Faultline needs Node ${oldest} or newer, but this is ${process.version}, which has known vulnerabilities: start Faultline with \`npm start\`, which brings its own.`,
  );
}

/** Warns of known faults where the platform has no Node without them yet. */
export function warnOfNodeFaults(log: Log): void {
  if (!isOlder(process.versions.node, mended)) return;
  log.warn(
    { node: process.version },
    `this Node has known faults that ${mended} fixes, so events compressed with br are refused. Install Node ${mended} or newer on this machine and run node scripts/setup.mjs with it`,
  );
}

/** Whether one version is older than another one, such as 26.9.1 than 26.10.0. */
function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}

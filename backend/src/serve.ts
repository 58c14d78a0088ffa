import { StartRefusal, type Log } from "@faultline/plugin";
import { readConfig, type Config } from "./config.ts";
import { postgresqlName } from "./storage/database/postgresql/failure.ts";
import type { FirstCredentials } from "./services/accounts/first-administrator.ts";

/** Service managers kill after ten seconds or more. A step that hangs this long is named and cut. */
const stopMs = 9_000;

/** Runs the service in this process until it is stopped; `role` overrides FAULTLINE_ROLE. */
export async function serve(start: (config: Config) => Promise<Faultline>, role?: string): Promise<void> {
  process.umask(0o077); // only the owner may read the data, the keys and the log
  try {
    checkNodeVersion();
    const config = readConfig(role === undefined ? process.env : { ...process.env, FAULTLINE_ROLE: role });
    const faultline = await start(config);
    let isStopping = false;
    const stop = (exitCode: number) => {
      if (isStopping) process.exit(exitCode); // a second signal ends it immediately
      isStopping = true;
      setTimeout(() => {
        console.error(`Faultline exits without a clean shutdown: ${faultline.stopsAt()} took too long.`);
        process.exit(1);
      }, stopMs);
      faultline.stop().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
    };
    process.on("SIGINT", () => stop(130));
    process.on("SIGTERM", () => stop(143));
    // Unhandled rejections arrive here too. Further failures during the first report are ignored.
    process.once("uncaughtException", (thrown) => {
      process.on("uncaughtException", () => undefined);
      void faultline.lastReport(thrown).finally(() => fail(thrown));
    });
    console.log(welcome(faultline, config));
    // Returns the memory that the start left behind, 22 MB, immediately, because nobody waits now. `npm start` makes
    // `gc` known.
    globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): never {
  if (error instanceof StartRefusal) console.error(`Faultline cannot start. ${error.message}`);
  else console.error("Faultline failed.", error);
  process.exit(1);
}

function welcome({ httpUrl, grpcAddress, firstCredentials }: Faultline, config: Config): string {
  const gRPC = grpcAddress || "none";
  const lines = [
    "",
    ...(config.role === "all" ? [] : [`  Role      ${config.role}`]),
    `  Console   ${config.baseUrl ?? httpUrl}`,
    `  gRPC      ${gRPC}`,
    `  Data      ${config.dataDir}`,
  ];
  if (config.databaseUrl !== undefined) lines.push(`  Database  PostgreSQL, ${postgresqlName(config.databaseUrl)}`);
  if (firstCredentials) {
    // Operators know the passwords they choose, and printed lines stay in the logs of service managers.
    lines.push(
      "",
      "  The first administrator, shown only now:",
      `  User      ${firstCredentials.username}`,
      `  Password  ${config.rootPassword === undefined ? firstCredentials.password : "as configured"}`,
      `  Token     ${config.rootToken === undefined ? firstCredentials.token : "as configured"}`,
    );
  }
  return [...lines, "", "  Ctrl-C stops it.", "", `Faultline is ready: ${httpUrl}  gRPC ${gRPC}`].join("\n");
}

/** A running Faultline. */
export interface Faultline {
  readonly httpUrl: string;
  /** Empty if its role serves no gRPC to other programs. */
  readonly grpcAddress: string;
  /** Undefined unless this start created the first administrator. */
  readonly firstCredentials: FirstCredentials | undefined;
  /** Reports an uncaught failure, if the administrator enabled that. Resolves when the process may end. */
  lastReport(thrown: unknown): Promise<void>;
  /**
   * Answers the requests that arrived, stores accepted items, and closes the database. Takes less than seven seconds
   * unless our code hangs.
   */
  stop(): Promise<void>;
  /** The step that `stop` waits for. */
  stopsAt(): string;
}

/**
 * The oldest Node by platform, which `npm start` installs there. Older versions have known faults. The packages of some
 * platforms lag behind 26.12.1, the security release of 2026-10-21.
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

/**
 * Refuses a Node without the features that the service needs, or with known faults that the platform's Node does not
 * have.
 */
function checkNodeVersion(): void {
  const oldest = oldestNode[`${process.platform}-${process.arch}`] ?? mended;
  if (!isOlder(process.versions.node, oldest)) return;
  throw new StartRefusal(
    `Faultline needs Node ${oldest} or newer, but this is ${process.version}, which has known vulnerabilities: start Faultline with \`npm start\`, which brings its own.`,
  );
}

/** Warns of known faults if the platform has no Node without them yet. */
export function warnOfNodeFaults(log: Log): void {
  if (!isOlder(process.versions.node, mended)) return;
  log.warn(
    { node: process.version },
    `this Node has known faults that ${mended} fixes, so events compressed with br are refused. Install Node ${mended} or newer on this machine and run node scripts/setup.mjs with it`,
  );
}

/** Whether a version is older than another version, such as 26.9.1 than 26.10.0. */
function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}

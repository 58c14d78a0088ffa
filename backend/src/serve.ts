import { StartRefusal } from "@faultline/plugin";
import { readConfig, type Config } from "./config.ts";
import { postgresqlName } from "./storage/database/postgresql/failure.ts";
import type { Faultline } from "./faultline.ts";
import { checkNodeVersion } from "./node-version.ts";

/** Service managers kill after ten seconds or more; a step that hangs until then is named and cut. */
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
      if (isStopping) process.exit(exitCode); // a second signal ends it at once
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
    // Unhandled rejections arrive here too. Further ones, while the first is reported, are of no more use.
    process.once("uncaughtException", (thrown) => {
      process.on("uncaughtException", () => undefined);
      void faultline.lastReport(thrown).finally(() => fail(thrown));
    });
    console.log(welcome(faultline, config));
    // Returns the memory that the start left behind, 22 MB, at once: nobody waits now. `npm start` makes `gc` known.
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
    // The operator knows a password of their own choice, and printed lines stay in the logs of service managers.
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

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import settings from "../../../scripts/node-settings.json" with { type: "json" };
import { atEndOf } from "../run/end-of-file.ts";
import { nodeFlags, rootPassword, rootToken } from "./server.ts";
import { tempDir } from "./temp-dir.ts";

/** A running service, as in server.ts, that reports how long its event loop was blocked. */
export interface WatchedServer {
  readonly url: string;
  readonly grpcAddress: string;
  readonly pid: number;
  /** The longest block since the last call, in milliseconds. */
  longestBlock(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the service, by default without rate limits, in a child process that watches its event loop. */
export async function startWatchedServer(env: Readonly<Record<string, string>> = {}): Promise<WatchedServer> {
  const child = fork(join(import.meta.dirname, "watched-process.ts"), {
    execArgv: nodeFlags,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: {
      PATH: process.env["PATH"],
      NODE_NO_WARNINGS: "1",
      ...settings.environment,
      FAULTLINE_HTTP_PORT: "0",
      FAULTLINE_GRPC_ADDRESS: "127.0.0.1:0",
      FAULTLINE_DATA_DIR: tempDir(),
      FAULTLINE_ROOT_PASSWORD: rootPassword,
      FAULTLINE_ROOT_TOKEN: rootToken,
      FAULTLINE_RATE_LIMIT_KEY: "0",
      FAULTLINE_RATE_LIMIT_PROJECT: "0",
      ...env,
    },
  });
  atEndOf("file", () => child.kill("SIGKILL"));
  const nextMessage = async <T>() => ((await once(child, "message")) as [T])[0];
  const { url, grpcAddress } = await nextMessage<{ url: string; grpcAddress: string }>();
  return {
    url,
    grpcAddress,
    pid: child.pid ?? -1,
    async longestBlock() {
      const answer = nextMessage<{ longestMs: number }>();
      child.send("longest");
      return (await answer).longestMs;
    },
    async stop() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

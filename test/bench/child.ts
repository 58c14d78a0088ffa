import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** A program of this directory in a separate process, which ends with this process. */
export interface Child<Result> {
  /** When it has prepared what it needs; then it waits for `go`. */
  readonly ready: Promise<unknown>;
  go(): void;
  /** Asks it to end before its time. */
  end(): void;
  /** The JSON in its last line of output. Fails when there is none. */
  readonly result: Promise<Result>;
}

/** Starts one with its options as JSON. */
export function startChild<Result>(program: string, options: unknown): Child<Result> {
  const file = join(import.meta.dirname, program);
  const child = spawn(process.execPath, ["--no-warnings", file, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = once(child, "close");
  const result = text(child.stdout).then((output) => {
    process.removeListener("exit", kill);
    const last = output.trim().split("\n").at(-1) ?? "";
    if (!last.startsWith("{")) throw new Error(`${program} failed`);
    return JSON.parse(last) as Result;
  });
  return {
    ready: Promise.race([once(child.stdout, "data"), ended]),
    go: () => child.stdin.end(),
    end: () => child.kill("SIGINT"),
    result,
  };
}

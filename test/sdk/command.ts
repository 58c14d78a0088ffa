import { spawn } from "node:child_process";
import { tmpdir } from "node:os";

export interface Command {
  /** The program and its arguments. */
  readonly words: readonly [string, ...string[]];
  readonly cwd: string;
  readonly limitSeconds: number;
  /** Beside the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** The thing that the command looks for. */
  readonly provides?: string;
}

export interface Ending {
  /** The exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals;
  readonly output: string;
}

/** A program is not installed. */
export class MissingTool extends Error {}

/** Finds out whether a program is there and works: `cargo` may be rustup without any tool chain. */
export function probe(program: string, flag: string): Command {
  return { words: [program, flag], cwd: tmpdir(), limitSeconds: 30, provides: program };
}

/** Groups of running commands, ended with this process. */
const running = new Set<number>();
process.on("exit", () => {
  for (const pid of running) killGroup(pid);
});
process.once("SIGINT", () => process.exit(1));

/** Runs a command in a new process group. Fails if it is not found or does not end within its limit. */
export async function run({ words: [program, ...rest], cwd, limitSeconds, env, provides }: Command): Promise<Ending> {
  const child = spawn(program, rest, {
    cwd,
    detached: true, // makes the group that killGroup ends
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  let timedOut = false;
  const limit = setTimeout(() => {
    timedOut = true;
    killGroup(pid);
  }, limitSeconds * 1000);
  try {
    const code = await new Promise<number | NodeJS.Signals>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (exit, signal) => resolve(exit ?? signal ?? -1));
    });
    const output = Buffer.concat(chunks).toString();
    if (timedOut) throw new Error(`${program} was not done within ${limitSeconds} s:\n${output}`);
    if (code !== 0 && provides !== undefined) throw new MissingTool(`${provides} is not installed, or does not work`);
    return { code, output };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw isMissing ? new MissingTool(`${program} is not installed`, { cause: error }) : error;
  } finally {
    clearTimeout(limit);
    if (pid !== undefined) running.delete(pid);
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // ESRCH: the group has ended
  }
}

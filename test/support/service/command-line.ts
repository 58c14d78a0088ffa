import { execFile, type ExecFileException } from "node:child_process";
import { commandLine } from "../../../backend/src/cli/command-line.ts";
import { fail } from "../../../backend/src/cli/failure.ts";
import { bundle, repositoryRoot } from "./server.ts";

export type Environment = Readonly<Record<string, string>>;

/** The result of a run of the command line. */
export interface Ran {
  readonly code: number;
  /** The lines of standard output that are JSON, parsed. */
  readonly lines: readonly Record<string, unknown>[];
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line like a person, which takes 0.17 s of a core. `env` is its complete environment. */
export function runCommand(args: readonly string[], env: Environment, input = ""): Promise<Ran> {
  const options = { cwd: repositoryRoot, maxBuffer: 256 * 1024 * 1024, env: { ...compileCache(), ...env } };
  return new Promise<Ran>((resolve) => {
    const ended = (error: ExecFileException | null, stdout: string, stderr: string) =>
      resolve(ranWith(typeof error?.code === "number" ? error.code : error ? -1 : 0, stdout, stderr));
    const child = execFile(process.execPath, [bundle, ...args], options, ended);
    child.stdin?.on("error", () => undefined); // a command that fails early does not read its input
    child.stdin?.end(input);
  });
}

/**
 * Runs a command in this process, which takes 0.01 s of a core, to test its output and not its process. Until it ends,
 * it uses the process's standard output and error, and `env` in addition to the process's environment, so only one
 * command runs at a time. With `terminal`, standard output is a terminal; otherwise it is a pipe.
 */
export async function commandHere(
  args: readonly string[],
  env: Environment,
  { terminal }: { readonly terminal?: { readonly columns: number } } = {},
): Promise<Ran> {
  const { exit, env: envBefore } = process;
  const endTerminal = playedTerminal(terminal);
  const [stdout, stderr] = [captured(process.stdout), captured(process.stderr)];
  process.env = { ...envBefore, ...env };
  process.exit = (code) => {
    throw new Exit(Number(code ?? 0));
  };
  try {
    const code = await exitCodeOf(async () => (await commandLine(args)).parseAsync(args, { from: "user" }));
    return ranWith(code, stdout.text(), stderr.text());
  } finally {
    process.exit = exit;
    process.env = envBefore;
    stdout.end();
    stderr.end();
    endTerminal();
  }
}

/** Makes standard output a terminal without colours, or not a terminal, until the returned function is called. */
function playedTerminal(terminal: { readonly columns: number } | undefined): () => void {
  const { stdout } = process;
  const { isTTY, columns, getColorDepth } = stdout;
  Object.assign(stdout, {
    isTTY: terminal !== undefined,
    columns: terminal?.columns ?? columns,
    getColorDepth: () => 1,
  });
  return () => void Object.assign(stdout, { isTTY, columns, getColorDepth });
}

class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`ended with ${code}`);
    this.code = code;
  }
}

async function exitCodeOf(command: () => Promise<unknown>): Promise<number> {
  try {
    await command().catch((error: unknown) => {
      if (error instanceof Exit) throw error;
      fail(error);
    });
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    throw error;
  }
}

function captured(stream: NodeJS.WriteStream) {
  const { write } = stream;
  let text = "";
  stream.write = (chunk: string | Uint8Array) => {
    text += chunk.toString();
    return true;
  };
  return { text: () => text, end: () => void (stream.write = write) };
}

function ranWith(code: number, stdout: string, stderr: string): Ran {
  return { code, lines: jsonLines(stdout), stdout, stderr };
}

/** The lines of a text that are JSON, parsed. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Record<string, unknown>] : []));
}

function compileCache(): Environment {
  const directory = process.env["NODE_COMPILE_CACHE"];
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory };
}

import { spawn } from "node:child_process";
import { join } from "node:path";

/** A test file, and where the services that it starts store. */
export interface TestRun {
  /** Relative to the repository. */
  readonly file: string;
  readonly database: "sqlite" | "postgresql";
}

export interface FileResult extends TestRun {
  readonly passed: number;
  /** At least 1 when the file crashed, ran too long or ran no test. */
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Why the file failed as a whole; undefined when it ran to its end. */
  readonly problem: string | undefined;
  readonly output: string;
}

export interface TestFile extends TestRun {
  /** The repository. */
  readonly root: string;
  readonly limitSeconds: number;
}

/** Between SIGTERM, on which a browser is closed in order, and SIGKILL. */
const graceMs = 3_000;

/** Groups of running files, ended with this process. */
const running = new Set<number>();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    for (const pid of running) killGroup(pid, "SIGKILL");
    process.exit(1);
  });

/**
 * Where Node keeps what it compiled, for test files and the services they start: hundreds of processes load the same
 * modules, and a start takes 0.75 s of a core instead of 1.3.
 */
const compileCache = (root: string) => join(root, "node_modules/.cache/compiled");

/** Runs one uvu file as a process group of its own; nothing of the group is left when the promise resolves. */
export async function runTestFile({ root, file, database, limitSeconds }: TestFile): Promise<FileResult> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [file], {
    cwd: root,
    detached: true, // makes the group that killGroup ends
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      TEST_DATABASE: database,
      FORCE_COLOR: "0",
      NODE_NO_WARNINGS: "1",
      NODE_COMPILE_CACHE: compileCache(root),
    },
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));

  const pid = child.pid;
  if (pid !== undefined) running.add(pid);
  let timedOut = false;
  const terminate = setTimeout(() => {
    timedOut = true;
    killGroup(pid, "SIGTERM");
  }, limitSeconds * 1000);
  const kill = setTimeout(() => killGroup(pid, "SIGKILL"), limitSeconds * 1000 + graceMs);

  const ending = await new Promise<string | number>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => {
      killGroup(pid, "SIGKILL"); // a server the file left behind would also hold the pipes open
      child.once("close", () => resolve(code ?? signal ?? "no exit code"));
    });
  });
  clearTimeout(terminate);
  clearTimeout(kill);
  if (pid !== undefined) running.delete(pid);

  const output = Buffer.concat(chunks).toString();
  const counts = countsOf(output);
  let problem: string | undefined;
  if (timedOut) problem = `stopped after its limit of ${limitSeconds} s`;
  else if (counts.total === 0 && counts.skipped === 0) problem = `ran no test (exit ${ending})`;
  else if (ending !== 0 && counts.total === counts.passed) problem = `ended with ${ending} although its tests passed`;
  return {
    file,
    database,
    passed: counts.passed,
    failed: Math.max(counts.total - counts.passed, problem ? 1 : 0),
    skipped: counts.skipped,
    seconds: (performance.now() - startedAt) / 1000,
    problem,
    output,
  };
}

/** Reads what uvu 0.5.6 prints at the end of a run; all 0 when it did not get there. */
function countsOf(output: string) {
  const count = (label: string) => Number(new RegExp(`^ {2}${label}: +(\\d+)$`, "m").exec(output)?.[1] ?? 0);
  return { total: count("Total"), passed: count("Passed"), skipped: count("Skipped") };
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: the group has ended
  }
}

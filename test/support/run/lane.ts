import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, fstatSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A test file, and the database of the services that it starts. */
export interface TestRun {
  /** Relative to the repository. */
  readonly file: string;
  readonly database: "sqlite" | "postgresql";
}

export interface FileResult extends TestRun {
  readonly passed: number;
  /** At least 1 if the file crashed, ran too long or ran no test. */
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Seconds of a core, of the lane and of everything it started except PostgreSQL. */
  readonly processorSeconds: number;
  /** Why the file failed as a whole; undefined if it ran to its end. */
  readonly problem: string | undefined;
  readonly output: string;
}

/** The time between SIGTERM, which lets a browser close cleanly, and SIGKILL. */
const graceMs = 3_000;

/** Groups of running processes, which end with this process. */
const running = new Set<number>();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    for (const pid of running) killGroup(pid, "SIGKILL");
    process.exit(1);
  });

const root = join(import.meta.dirname, "../../..");

/**
 * Node's compile cache, for test files and the services they start. Hundreds of processes load the same modules, and a
 * start takes 0.75 s of a core instead of 1.3.
 */
const compileCache = join(root, "node_modules/.cache/compiled");

/**
 * Runs uvu files one after the other in one process, which loads each module once for all of them. If a file ends the
 * process or runs too long, the next file gets a new process.
 */
export class Lane {
  #process: LaneProcess | undefined;

  async run(test: TestRun, limitSeconds: number): Promise<FileResult> {
    const startedAt = performance.now();
    const lane = (this.#process ??= new LaneProcess());
    const before = lane.processorSeconds();
    let timedOut = false;
    const terminate = setTimeout(() => {
      timedOut = true;
      lane.signal("SIGTERM");
    }, limitSeconds * 1000);
    const kill = setTimeout(() => lane.signal("SIGKILL"), limitSeconds * 1000 + graceMs);
    const ending = await lane.run(test);
    clearTimeout(terminate);
    clearTimeout(kill);

    const used = Math.max(0, lane.processorSeconds() - before); // smaller if the process ended
    const output = lane.newOutput();
    const counts = countsOf(output);
    let problem: string | undefined;
    if (timedOut) problem = `stopped after its limit of ${Math.round(limitSeconds)} s`;
    else if (counts.total === 0 && counts.skipped === 0) problem = `ran no test (exit ${ending})`;
    else if (ending !== 0 && counts.total === counts.passed) problem = `ended with ${ending} although its tests passed`;
    if (lane.hasEnded()) await this.end();
    return {
      ...test,
      passed: counts.passed,
      failed: Math.max(counts.total - counts.passed, problem === undefined ? 0 : 1),
      skipped: counts.skipped,
      seconds: (performance.now() - startedAt) / 1000,
      processorSeconds: used,
      problem,
      output,
    };
  }

  async end(): Promise<void> {
    await this.#process?.end();
    this.#process = undefined;
  }
}

/** Runs a file in a separate process. */
export async function runOnItsOwn(test: TestRun, limitSeconds: number): Promise<FileResult> {
  const lane = new Lane();
  const result = await lane.run(test, limitSeconds);
  await lane.end();
  return result;
}

/** A process group. Nothing of it is left after the process has ended. */
class LaneProcess {
  readonly #ended: Promise<string | number>;
  readonly #child: ChildProcess;
  /**
   * Receives both output streams. A file keeps their order, and is complete when the process reports the end of a test
   * file.
   */
  readonly #log = openNameless();
  #read = 0;

  constructor() {
    const child = spawn(process.execPath, [join(import.meta.dirname, "lane-process.ts")], {
      cwd: root,
      detached: true, // makes the process group that killGroup ends
      stdio: ["ignore", this.#log, this.#log, "ipc"],
      env: { ...process.env, FORCE_COLOR: "0", NODE_NO_WARNINGS: "1", NODE_COMPILE_CACHE: compileCache },
    });
    const { pid } = child;
    if (pid !== undefined) running.add(pid);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", (code, signal) => {
        this.signal("SIGKILL");
        if (pid !== undefined) running.delete(pid);
        resolve(code ?? signal ?? "no exit code");
      });
    });
  }

  /** Resolves with the exit code of the file, or with the code or signal of the process if the file ended it. */
  run(test: TestRun): Promise<string | number> {
    const { promise, resolve } = Promise.withResolvers<string | number>();
    this.#child.once("message", resolve);
    void this.#ended.then(resolve);
    this.#child.send(test);
    return promise;
  }

  processorSeconds(): number {
    return this.#child.pid === undefined ? 0 : processorSeconds(this.#child.pid);
  }

  hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The output since the last call. */
  newOutput(): string {
    const bytes = Buffer.alloc(fstatSync(this.#log).size - this.#read);
    this.#read += readSync(this.#log, bytes, 0, bytes.length, this.#read);
    return bytes.toString();
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) killGroup(this.#child.pid, signal);
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
    closeSync(this.#log);
  }
}

/** Opens a file that disappears with its last user. */
function openNameless(): number {
  const directory = mkdtempSync(join(tmpdir(), "faultline-lane-"));
  const file = openSync(join(directory, "log"), "a+");
  rmSync(directory, { recursive: true });
  return file;
}

/** The numbers that uvu 0.5.6 prints at the end of a run; all 0 if the run did not end. */
function countsOf(output: string) {
  const count = (label: string) => Number(new RegExp(`^ {2}${label}: +(\\d+)$`, "m").exec(output)?.[1] ?? 0);
  return { total: count("Total"), passed: count("Passed"), skipped: count("Skipped") };
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: the group has ended
  }
}

/** The kernel's ticks per second: 100 on all current Linux (sysconf(_SC_CLK_TCK)). */
const ticksPerSecond = 100;

/**
 * The seconds of a core that a process and its descendants took so far, including children that ended, unless their
 * parent never asked for their exit code. 0 without /proc.
 */
function processorSeconds(pid: number): number {
  const processes = allProcesses();
  const below = (parent: number): number =>
    (processes.get(parent)?.ticks ?? 0) +
    [...processes].reduce((sum, [child, { parentPid }]) => (parentPid === parent ? sum + below(child) : sum), 0);
  return below(pid) / ticksPerSecond;
}

function allProcesses(): Map<number, { readonly parentPid: number; readonly ticks: number }> {
  const processes = new Map<number, { readonly parentPid: number; readonly ticks: number }>();
  for (const name of listed()) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      // proc_pid_stat(5): after the command in brackets come state and ppid, and from the twelfth field on utime,
      // stime, cutime and cstime.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      processes.set(Number(name), { parentPid: Number(fields[1]), ticks });
    } catch {
      // it has just ended
    }
  }
  return processes;
}

function listed(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

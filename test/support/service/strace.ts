import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "./temp-dir.ts";
import { until } from "../run/until.ts";

/** Why this machine cannot watch system calls; empty if it can. */
export function whyNoStrace(): string {
  const { status, stderr, error } = spawnSync("strace", ["-f", "-o", "/dev/null", "true"]);
  if (error) return "strace is not installed";
  return status === 0 ? "" : `strace may not trace: ${stderr.toString().trim()}`;
}

/** One system call that has ended, in the order of their ends. */
export interface SystemCall {
  readonly thread: string;
  readonly name: string;
  /** The text between the parentheses. The path of a descriptor follows it in `<>`. */
  readonly parameters: string;
  readonly result: number;
  /** The lines on which the call began and ended, to order calls. */
  readonly begun: number;
  readonly ended: number;
}

/** Watches the calls of all threads of a process. `calls` stops watching and returns the calls. */
export async function watchCalls(pid: number, names: readonly string[]): Promise<{ calls(): Promise<SystemCall[]> }> {
  const file = join(tempDir(), "strace");
  const strace = spawn("strace", [
    "-f",
    "-y",
    "-s",
    "32",
    "-e",
    `trace=${names.join(",")}`,
    "-o",
    file,
    "-p",
    String(pid),
  ]);
  const ended = once(strace, "close");
  let said = "";
  strace.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await until("strace is attached", () => said.includes("attached") && existsSync(file));
  return {
    async calls() {
      strace.kill("SIGINT");
      await ended;
      return readCalls(readFileSync(file, "utf8"));
    },
  };
}

/** Kills a process with SIGKILL when any of its threads begins the nth call of that name. */
export function killAtCall(pid: number, name: string, n: number): Promise<Injection> {
  return inject(pid, name, `signal=SIGKILL:when=${n}`);
}

/** Lets calls of that name fail from the nth on, with an error such as ENOSPC. */
export function failFromCall(pid: number, name: string, n: number, error: string): Promise<Injection> {
  return inject(pid, name, `error=${error}:when=${n}+`);
}

/** Lets the nth sync of a file fail with EIO, once. The system never gets that call. */
export function failSync(pid: number, file: string, n: number): Promise<Injection> {
  return inject(pid, "fsync,fdatasync", `error=EIO:when=${n}`, ["-P", file]);
}

interface Injection {
  end(): Promise<void>;
}

async function inject(pid: number, name: string, what: string, only: readonly string[] = []): Promise<Injection> {
  const args = ["-f", ...only, "-e", `trace=${name}`, "-e", `inject=${name}:${what}`, "-o", "/dev/null"];
  const strace = spawn("strace", [...args, "-p", String(pid)]);
  const ended = once(strace, "close");
  let said = "";
  strace.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await until("strace is attached", () => said.includes("attached"));
  return {
    async end() {
      strace.kill("SIGKILL"); // strace 6.1 may wait forever for the threads of a process that it killed
      await ended;
    },
  };
}

/** Reads the output of strace. A call that another thread interrupted is on two lines and counts at its end. */
export function readCalls(text: string): SystemCall[] {
  const unfinished = new Map<string, { text: string; line: number }>();
  return text.split("\n").flatMap((line, ended) => {
    const [, thread = "", rest = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const start = /^(.*) <unfinished \.\.\.>$/.exec(rest)?.[1];
    if (start !== undefined) {
      unfinished.set(thread, { text: start, line: ended });
      return [];
    }
    const end = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)?.[1];
    const before = end === undefined ? undefined : unfinished.get(thread);
    const whole = `${before?.text ?? ""}${end ?? rest}`;
    const [, name, parameters = "", result] = /^(\w+)\((.*)\) += (-?\d+)/.exec(whole) ?? [];
    if (name === undefined) return [];
    return [{ thread, name, parameters, result: Number(result), begun: before?.line ?? ended, ended }];
  });
}

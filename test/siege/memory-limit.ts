import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { residentBytes } from "../support/service/resident-bytes.ts";

/** A limit of memory for one process, like `MemoryMax` of the unit and `mem_limit` of compose. */
export interface MemoryLimit {
  /** Which kind it is, for the report. */
  readonly kind: string;
  /** The shell commands before the service (`ServerOptions.prelude`). */
  readonly prelude: string | undefined;
  /** To be called with the process once it runs. */
  watch(pid: number): void;
  /** Whether it was killed for its memory. */
  wasExceeded(): boolean;
  /** To be called when the process has ended. */
  remove(): void;
}

let made = 0;

/** A memory cgroup, of either version; where none can be made, a guard of our own that looks at resident memory. */
export function limitMemory(bytes: number): MemoryLimit {
  return memoryCgroup(bytes) ?? guard(bytes);
}

interface Version {
  readonly parent: string;
  readonly limits: Readonly<Record<string, string>>;
  /** The file in which the kernel counts its kills. */
  readonly kills: { readonly file: string; readonly pattern: RegExp };
}

const versions = (bytes: number): readonly Version[] => [
  {
    parent: "/sys/fs/cgroup",
    limits: { "memory.max": `${bytes}`, "memory.swap.max": "0" },
    kills: { file: "memory.events", pattern: /^oom_kill (\d+)$/m },
  },
  {
    parent: "/sys/fs/cgroup/memory",
    limits: { "memory.limit_in_bytes": `${bytes}` },
    kills: { file: "memory.oom_control", pattern: /^oom_kill (\d+)$/m },
  },
];

function memoryCgroup(bytes: number): MemoryLimit | undefined {
  for (const { parent, limits, kills } of versions(bytes)) {
    const directory = join(parent, `faultline-siege-${process.pid}-${++made}`);
    const isLimited = tryTo(() => {
      mkdirSync(directory);
      for (const [file, value] of Object.entries(limits)) {
        // Elsewhere it would be made as a common file: a cgroup has it before it is written.
        if (!existsSync(join(directory, file))) throw new Error(`no ${file}`);
        writeFileSync(join(directory, file), value);
      }
    });
    const remove = () => {
      process.off("exit", remove);
      // The kernel keeps it while a process is in it: where this one ends, the service was killed a moment ago.
      for (let tries = 0; tries < 50 && existsSync(directory); tries++)
        if (!tryTo(() => rmdirSync(directory))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    };
    if (!isLimited) {
      remove();
      continue;
    }
    process.once("exit", remove);
    return {
      kind: "a memory cgroup",
      prelude: `echo $$ > '${directory}/cgroup.procs'`,
      watch: () => undefined,
      wasExceeded: () => Number(kills.pattern.exec(readFileSync(join(directory, kills.file), "utf8"))?.[1]) > 0,
      remove,
    };
  }
  return undefined;
}

const everyMs = 20;

function guard(bytes: number): MemoryLimit {
  let isExceeded = false;
  let timer: NodeJS.Timeout | undefined;
  return {
    kind: `a guard that kills above it, looking each ${everyMs} ms`,
    prelude: undefined,
    watch(pid) {
      timer = setInterval(() => {
        if ((residentBytes(pid) ?? 0) <= bytes) return;
        isExceeded = true;
        process.kill(pid, "SIGKILL");
        clearInterval(timer);
      }, everyMs);
    },
    wasExceeded: () => isExceeded,
    remove: () => clearInterval(timer),
  };
}

function tryTo(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false; // the next kind of limit is tried
  }
}

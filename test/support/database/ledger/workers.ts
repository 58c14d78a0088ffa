import { fork, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEndOf } from "../../run/end-of-file.ts";
import type { LedgerProject } from "./traffic.ts";
import type { Round, WorkerMessage, WorkerOptions } from "./worker.ts";

/** The workers of a round. */
export interface Workers {
  /** The files that the workers write, for a Ledger. */
  readonly files: readonly string[];
  round(round: Round): RunningRound;
  end(): void;
}

export interface RunningRound {
  /** Resolves when each worker has its first answer, or can get none. */
  readonly underWay: Promise<unknown>;
  /** Resolves when the service is gone, or all events of the round were answered. */
  readonly over: Promise<unknown>;
}

/** Starts workers that load a service and write their records to `directory`. */
export function startWorkers(options: {
  readonly count: number;
  readonly connections: number;
  readonly seed: number;
  readonly directory: string;
  readonly projects: readonly LedgerProject[];
}): Workers {
  const { count, directory, ...rest } = options;
  const files = Array.from({ length: count }, (_, worker) => join(directory, `ledger-${worker}.jsonl`));
  const processes = files.map((file, worker) => {
    writeFileSync(file, "");
    const given: WorkerOptions = { worker, file, ...rest };
    return fork(join(import.meta.dirname, "worker.ts"), [JSON.stringify(given)]);
  });
  atEndOf("file", () => processes.forEach((one) => one.kill("SIGKILL")));
  return {
    files,
    round(round) {
      const rounds = processes.map((one) => roundOf(one, round));
      return {
        underWay: Promise.all(rounds.map(({ underWay }) => underWay)),
        over: Promise.all(rounds.map(({ over }) => over)),
      };
    },
    end: () => processes.forEach((one) => one.disconnect()),
  };
}

/** A worker sends a message at its first answer, and another message at the end of the round. */
function roundOf(worker: ChildProcess, round: Round): RunningRound {
  const first = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const onMessage = (message: WorkerMessage) => {
    first.resolve();
    if (message === "over") end(over.resolve);
  };
  const onExit = (code: number | null) => end(() => over.reject(new Error(`a worker ended with ${code} in its round`)));
  const end = (settle: () => void) => {
    worker.off("message", onMessage).off("exit", onExit);
    first.resolve();
    settle();
  };
  worker.on("message", onMessage).on("exit", onExit);
  over.promise.catch(() => undefined); // awaited and reported after the service was killed
  worker.send(round);
  return { underWay: first.promise, over: over.promise };
}

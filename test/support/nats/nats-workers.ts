import { fork } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { atEndOf } from "../run/end-of-file.ts";

/** A worker process; see nats-worker.ts. */
export interface WorkerProcess {
  /** The number of commits that it reported. */
  commits(): number;
  /** Ends it as a crash does. */
  kill9(): Promise<void>;
}

/** Starts a worker that stores into the file. Resolves when it pulls. */
export async function startWorkerProcess(url: string, file: string, mode?: "hang"): Promise<WorkerProcess> {
  const child = fork(join(import.meta.dirname, "nats-worker.ts"), [url, file, ...(mode ? [mode] : [])]);
  atEndOf("file", () => child.kill("SIGKILL"));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let commits = 0;
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the worker ended with ${code}`)));
    child.on("message", (message: { started?: boolean }) => {
      if (message.started) resolve();
      else commits++;
    });
  });
  return {
    commits: () => commits,
    async kill9() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The rows that workers stored in a file: the ids of events, each once, and the number of events in all commits. */
export function storedIn(file: string): { readonly ids: ReadonlySet<string>; readonly deliveries: number } {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare("select event_id from event").all() as { event_id: string }[];
    const { n } = database.prepare("select count(*) as n from delivery").get() as { n: number };
    return { ids: new Set(rows.map((row) => row.event_id)), deliveries: n };
  } finally {
    database.close();
  }
}

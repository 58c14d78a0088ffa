import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { createDatabase, migratedDatabase } from "./postgresql.ts";

// A thread of database-of.ts, which waits for `state`: 1 if the database is ready, 2 if making it failed.
const { serverUrl, name, state } = workerData as { serverUrl: string; name: string; state: Int32Array };
const outcome = await createDatabase(serverUrl, name, migratedDatabase).then(
  () => 1,
  (error: unknown) => {
    writeSync(2, `${String(error)}\n`); // the other thread receives no messages while it blocks
    return 2;
  },
);
Atomics.store(state, 0, outcome);
Atomics.notify(state, 0);

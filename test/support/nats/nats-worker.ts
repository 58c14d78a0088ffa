/**
 * A worker in a separate process that stores into a SQLite table: `node nats-worker.ts <servers> <file> [hang]`. It
 * reports each commit to its parent. With `hang` it never returns from the first commit, so that the parent can kill it
 * between the commit and the acknowledgement.
 */
import { DatabaseSync } from "node:sqlite";
import { jetstreamQueue } from "../../../plugins/jetstream-queue/src/index.ts";

const [url = "", file = "", mode] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 10000;
  create table if not exists event (project_id, event_id, primary key (project_id, event_id));
  create table if not exists delivery (event_id)`);
const addEvent = database.prepare("insert into event values (?, ?) on conflict do nothing");
const addDelivery = database.prepare("insert into delivery values (?)");

const queue = jetstreamQueue({ url });
await queue.start({ log: { info() {}, warn() {}, error() {} }, clock: Date });
queue.startWorker({
  async storeBatch({ events }) {
    database.exec("begin immediate");
    for (const { projectId, eventId } of events) {
      addEvent.run(projectId, eventId);
      addDelivery.run(eventId);
    }
    database.exec("commit");
    process.send?.({ stored: events.length });
    if (mode === "hang") await new Promise(() => {});
  },
  isStorageFailure: () => false,
});
process.send?.({ started: true });
process.once("disconnect", () => void queue.stop().finally(() => process.exit(0)));

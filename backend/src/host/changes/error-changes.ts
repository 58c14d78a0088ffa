import type {
  Clock,
  Database,
  ErrorChange,
  ErrorChanges,
  ErrorChangeKind,
  HandleErrorChanges,
  Plugin,
} from "@faultline/plugin";
import { ErrorStatus } from "@faultline/proto";
import { sql, type Generated, type Kysely, type Selectable } from "kysely";

/** The tables of core-0010, into which triggers of the integrated backend write too. */
interface Tables {
  error_change_reader: { plugin: string; seen_at: number };
  error_change: {
    id: Generated<number>;
    plugin: string;
    project_id: number;
    error_id: string;
    kind: ErrorChangeKind;
    status_before: number;
    status: number;
  };
}

const changesAtOnce = 500;

/** The changes of a plugin that no process has loaded for so long are noted no more. */
const forgottenMs = 7 * 86_400_000;

/**
 * Notes of changes, one for each plugin that takes them, until it has. A queue a plugin, and no place in a common list: on
 * PostgreSQL transactions commit in another order than their rows are numbered, so a reader that remembers the last number
 * would miss some.
 */
export class NotedErrorChanges implements ErrorChanges {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Has changes noted from now on for those of the plugins that take them. */
  async register(plugins: readonly Plugin[]): Promise<void> {
    const now = this.#clock.now();
    await this.#write.transaction().execute(async (transaction) => {
      for (const { name, errorChanges } of plugins) {
        if (!errorChanges) continue;
        await transaction
          .insertInto("error_change_reader")
          .values({ plugin: name, seen_at: now })
          .onConflict((conflict) => conflict.column("plugin").doUpdateSet({ seen_at: now }))
          .execute();
      }
      const isForgotten = sql<boolean>`plugin in (
        select plugin from error_change_reader where seen_at < ${now - forgottenMs})`;
      await transaction.deleteFrom("error_change").where(isForgotten).execute();
      await transaction
        .deleteFrom("error_change_reader")
        .where("seen_at", "<", now - forgottenMs)
        .execute();
    });
  }

  async note(changes: readonly ErrorChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.#write.transaction().execute(async (transaction) => {
      const readers = await transaction.selectFrom("error_change_reader").select("plugin").execute();
      const rows = readers.flatMap(({ plugin }) => changes.map((change) => ({ plugin, ...rowOf(change) })));
      if (rows.length > 0) await transaction.insertInto("error_change").values(rows).execute();
    });
  }

  /** Gives a plugin the changes that are noted for it, until none is left or the signal is aborted. */
  async deliver(plugin: string, handle: HandleErrorChanges, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.#hasAny(plugin))) {
      await this.#write.transaction().execute(async (transaction) => {
        const rows = await transaction
          .selectFrom("error_change")
          .selectAll()
          .where("plugin", "=", plugin)
          .orderBy("id")
          .limit(changesAtOnce)
          .execute();
        if (rows.length === 0) return;
        await handle(rows.map(changeOf), { write: <Own>() => transaction as unknown as Kysely<Own> });
        const ids = rows.map(({ id }) => id);
        await transaction.deleteFrom("error_change").where("id", "in", ids).execute();
      });
    }
  }

  /** A read first, as a transaction on SQLite waits for the one writer. */
  async #hasAny(plugin: string): Promise<boolean> {
    const query = this.#database.read<Tables>().selectFrom("error_change").select("id").where("plugin", "=", plugin);
    return (await query.limit(1).execute()).length > 0;
  }

  get #write(): Kysely<Tables> {
    return this.#database.write<Tables>();
  }
}

function rowOf({
  projectId,
  errorId,
  kind,
  statusBefore,
  status,
}: ErrorChange): Omit<Tables["error_change"], "id" | "plugin"> {
  return {
    project_id: projectId,
    error_id: errorId,
    kind,
    status_before: statusBefore ?? ErrorStatus.UNSPECIFIED,
    status,
  };
}

function changeOf(row: Selectable<Tables["error_change"]>): ErrorChange {
  return {
    projectId: Number(row.project_id),
    errorId: row.error_id,
    kind: row.kind,
    statusBefore: row.status_before === ErrorStatus.UNSPECIFIED ? undefined : (row.status_before as ErrorStatus),
    status: row.status as ErrorStatus,
  };
}

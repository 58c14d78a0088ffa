import type {
  Clock,
  Database,
  ErrorChanges,
  ErrorOfProject,
  ErrorTransition,
  ErrorTransitionKind,
  HandleErrorTransitions,
  NewValue,
  Plugin,
} from "@faultline/plugin";
import { ErrorStatus } from "@faultline/proto";
import type { Generated, Kysely, Selectable } from "kysely";

/** The tables of core-0010 and core-0011. Triggers of the integrated backend write them too; it adds `value`. */
interface Tables {
  error_change_reader: { plugin: string; seen_at: number };
  error_change: {
    id: Generated<number>;
    plugin: string;
    project_id: number;
    error_id: string;
    kind: ErrorTransitionKind;
    status_before: number;
    status: number;
    /** 0 or null if the time is unknown. */
    at: number | null;
    actor: string;
    release: string;
    /** A NewValue as JSON; empty for other kinds of transitions. */
    value: Generated<string>;
  };
}

const transitionsAtOnce = 500;

/** The most pending transitions of an error that one query reads. */
const pendingAtMost = 100;

/** If no process has loaded a plugin for this long, its transitions are no longer noted. */
const forgottenMs = 7 * 86_400_000;

/**
 * Notes of transitions: one for each subscribed plugin, kept until the plugin has taken it. Each plugin has a queue,
 * not a position in a common list: on PostgreSQL, transactions commit in another order than their rows are numbered, so
 * a reader that remembers the last number would miss some.
 */
export class NotedTransitions implements Pick<ErrorChanges, "note"> {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Begins to note transitions for the plugins that take them. */
  async register(plugins: readonly Plugin[]): Promise<void> {
    const now = this.#clock.now();
    for (const { name, errorTransitions } of plugins) {
      if (!errorTransitions) continue;
      await this.#write
        .insertInto("error_change_reader")
        .values({ plugin: name, seen_at: now })
        .onConflict((conflict) => conflict.column("plugin").doUpdateSet({ seen_at: now }))
        .execute();
    }
  }

  /** Deletes the notes of removed plugins. `now` comes from the clock for deletions, which no jump moves ahead. */
  async deleteForgotten(now: number): Promise<void> {
    await this.#write.transaction().execute(async (transaction) => {
      const forgotten = await transaction
        .deleteFrom("error_change_reader")
        .where("seen_at", "<", now - forgottenMs)
        .returning("plugin")
        .execute();
      for (const { plugin } of forgotten) {
        await transaction.deleteFrom("error_change").where("plugin", "=", plugin).execute();
      }
    });
  }

  async note(transitions: readonly ErrorTransition[]): Promise<void> {
    if (transitions.length === 0) return;
    await this.#write.transaction().execute(async (transaction) => {
      const readers = await transaction.selectFrom("error_change_reader").select("plugin").execute();
      for (const { plugin } of readers) {
        const rows = transitions.map((transition) => ({ plugin, ...rowOf(transition) }));
        await transaction.insertInto("error_change").values(rows).execute();
      }
    });
  }

  /** Delivers the noted transitions to a plugin, until none is left or the signal is aborted. */
  async deliver(plugin: string, handle: HandleErrorTransitions, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.#hasAny(plugin))) {
      await this.#write.transaction().execute(async (transaction) => {
        const next = transaction
          .selectFrom("error_change")
          .select("id")
          .where("plugin", "=", plugin)
          .orderBy("id")
          .limit(transitionsAtOnce);
        // Deleted before they are delivered: another process that does the same waits here, and then finds nothing.
        const rows = await transaction.deleteFrom("error_change").where("id", "in", next).returningAll().execute();
        if (rows.length === 0) return;
        const inOrder = rows.toSorted((one, other) => Number(one.id) - Number(other.id));
        await handle(
          inOrder.map((row) => this.#transitionOf(row)),
          { write: <Own>() => transaction as unknown as Kysely<Own> },
        );
      });
    }
  }

  /** The latest transitions of an error that were not delivered to a plugin yet, oldest first. */
  async pendingOf(plugin: string, { projectId, errorId }: ErrorOfProject): Promise<ErrorTransition[]> {
    const rows = await this.#database
      .read<Tables>()
      .selectFrom("error_change")
      .selectAll()
      .where("plugin", "=", plugin)
      .where("project_id", "=", projectId)
      .where("error_id", "=", errorId)
      .orderBy("id", "desc")
      .limit(pendingAtMost)
      .execute();
    return rows.map((row) => this.#transitionOf(row)).toReversed();
  }

  #transitionOf(row: Selectable<Tables["error_change"]>): ErrorTransition {
    return {
      projectId: Number(row.project_id),
      errorId: row.error_id,
      kind: row.kind,
      statusBefore: row.status_before === ErrorStatus.UNSPECIFIED ? undefined : (row.status_before as ErrorStatus),
      status: row.status as ErrorStatus,
      at: Number(row.at) || this.#clock.now(),
      by: row.actor,
      release: row.release,
      ...(row.value !== "" && { value: JSON.parse(row.value) as NewValue }), // as the triggers wrote it
    };
  }

  /** Reads first, because a transaction on SQLite waits for the only writer. */
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
  at,
  by,
  release,
}: ErrorTransition): Omit<Tables["error_change"], "id" | "plugin" | "value"> {
  return {
    project_id: projectId,
    error_id: errorId,
    kind,
    status_before: statusBefore ?? ErrorStatus.UNSPECIFIED,
    status,
    at,
    actor: by,
    release,
  };
}

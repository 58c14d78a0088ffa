import type { ErrorStatus } from "@faultline/proto";
import type { Kysely } from "kysely";

/**
 * Where backends publish how their errors change, in two kinds. A *change* is anything that a page shows, including
 * every further event. Everyone who watches the project hears it; it is not stored, because each event makes one
 * change. A *transition* is one of `ErrorTransitionKind`: it is stored until each plugin that takes transitions has it.
 */
export interface ErrorChanges {
  /**
   * Publishes, after the commit, which errors changed: by project, the keys by which `ErrorBackend.changedErrors` finds
   * them. `by` is the user name of the person who set their status, or undefined if nobody did.
   */
  publish(changes: ReadonlyMap<number, ReadonlySet<string>>, by?: string): void;
  /**
   * Publishes that errors of a project changed which no key finds, because they were deleted or restored. Watches read
   * their lists again.
   */
  publishUnnamed(projectId: number): void;
  /**
   * Notes transitions of errors that are not in this database. Transitions of `integrated_error` are noted by triggers,
   * in the transaction that makes them.
   */
  note(transitions: readonly ErrorTransition[]): Promise<void>;
}

/**
 * The kind of a transition: the error is new, a new event reopened it, somebody set another status, it was deleted, its
 * deletion was undone, it was permanently erased (after its deletion, or because all its events became too old), or it
 * has a value for the first time that the plugin asked for (`askForValues`).
 */
export type ErrorTransitionKind = "created" | "reopened" | "status" | "deleted" | "restored" | "erased" | "value";

/** Names the kind of a value: a tag (including release and environment), or the level of the error's newest event. */
export interface ValueName {
  readonly kind: "tag" | "level";
  /** The name of a tag. A level has no name. */
  readonly name: string;
}

/** Names an error. */
export interface ErrorOfProject {
  readonly projectId: number;
  readonly errorId: string;
}

/**
 * A transition of an error. Further events of an open error are not transitions. The error or its project may already
 * be deleted when the transition is delivered.
 */
export interface ErrorTransition extends ErrorOfProject {
  readonly kind: ErrorTransitionKind;
  /** Undefined if the error had no status before, or if the status is not known. */
  readonly statusBefore: ErrorStatus | undefined;
  /** Not known for an erased error. */
  readonly status: ErrorStatus;
  /** When it happened, in milliseconds since 1970. For a new error, the time of its first event. */
  readonly at: number;
  /** The user name of the person who made it, or `plugin:<name>`. Empty if an event or the service made it. */
  readonly by: string;
  /** The release of the event that made it, if it differs from the error's previous release. Otherwise empty. */
  readonly release: string;
  /** Only for the kind `value`. */
  readonly value?: NewValue;
}

/** A value that an error has for the first time, with the event that brought it. */
export interface NewValue extends ValueName {
  readonly value: string;
  /** Other values of the same name that the error had earlier, at most 50. */
  readonly earlier: readonly string[];
}

/** Something that a plugin adds to the activity of an error. */
export interface PluginActivity {
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** Like `ErrorTransition.by`. */
  readonly actor: string;
  /** The event in one or two words, which `by <actor>` can follow: `Commented`. */
  readonly text: string;
}

/**
 * Takes transitions, at most 500 in the order of their occurrence, about a second after their commit. They are noted in
 * the transaction that makes them, and the handler runs in the transaction that takes them from the notes: rows written
 * with `transaction` are written exactly once, even if a process dies. If the handler throws, the same transitions come
 * again. The handler holds SQLite's only writer, so it only writes down the work to be done and calls no other system.
 */
export type HandleErrorTransitions = (
  transitions: readonly ErrorTransition[],
  transaction: { write<Tables>(): Kysely<Tables> },
) => Promise<void>;

/**
 * Values that a plugin wants to take as a transition when an error has them for the first time: one exact value, or all
 * values that begin with a text.
 */
export interface AskedValue extends ValueName {
  readonly text: string;
  /** Whether the value must equal the text. If not, it must begin with the text. */
  readonly isExact: boolean;
}

interface Tables {
  error_change_value: {
    kind: ValueName["kind"];
    name: string;
    /** 0 for all projects. */
    project_id: number;
    plugin: string;
    text: string;
    is_exact: number;
  };
}

/**
 * Replaces the values that a plugin asks for in a project, or for all projects with 0, in the plugin's transaction.
 * Triggers of the integrated backend read them when an error gets a value that it did not have, so an event with known
 * values costs nothing.
 */
export async function askForValues<Own>(
  transaction: Kysely<Own>,
  { plugin, projectId, values }: { plugin: string; projectId: number; values: readonly AskedValue[] },
): Promise<void> {
  const tables = transaction as unknown as Kysely<Tables>;
  await tables
    .deleteFrom("error_change_value")
    .where("plugin", "=", plugin)
    .where("project_id", "=", projectId)
    .execute();
  if (values.length === 0) return;
  await tables
    .insertInto("error_change_value")
    .values(
      values.map(({ kind, name, text, isExact }) => ({
        kind,
        name,
        project_id: projectId,
        plugin,
        text,
        is_exact: isExact ? 1 : 0,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

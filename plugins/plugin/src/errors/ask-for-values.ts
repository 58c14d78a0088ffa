import type { Kysely } from "kysely";
import type { ValueName } from "./error-changes.ts";

/** Values whose first occurrence in an error a plugin wants to take as a transition: one, or all that begin with a text. */
export interface AskedValue extends ValueName {
  readonly text: string;
  /** Whether the value is the text, and does not only begin with it. */
  readonly isExact: boolean;
}

interface Tables {
  error_change_value: {
    kind: ValueName["kind"];
    name: string;
    /** 0: all projects. */
    project_id: number;
    plugin: string;
    text: string;
    is_exact: number;
  };
}

/**
 * Replaces what a plugin asks for in a project, or for all projects with 0, in the plugin's transaction. Triggers of the
 * integrated backend read it when an error gets a value that it did not have, so that an event with known values costs nothing.
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

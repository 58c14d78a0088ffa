import type { Actor } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Completes the notes that triggers took in this transaction of a person's changes: a trigger knows neither the person
 * nor the service's clock. No other transaction leaves a note of the project without its time.
 */
export async function signTransitions(
  transaction: Kysely<Tables>,
  projectId: number,
  { by, at }: Actor,
): Promise<void> {
  await sql`update error_change set at = ${at}, actor = ${by} where project_id = ${projectId} and at is null`.execute(
    transaction,
  );
}

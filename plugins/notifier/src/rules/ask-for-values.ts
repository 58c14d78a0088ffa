import { askForValues, type Database } from "@faultline/plugin";
import { NotificationTrigger } from "@faultline/proto";
import type { Kysely } from "kysely";
import { change } from "../change.ts";
import { askedValues } from "../signals/new-values.ts";
import { seriousLevels } from "../people/decide.ts";
import type { RuleRow, Tables } from "../tables.ts";
import { triggersOf } from "./rule.ts";

const plugin = "notifier";

/** Asks for the values that the rules of a project name: in the transaction that changes a rule. */
export async function askForRules(transaction: Kysely<Tables>, projectId: number): Promise<void> {
  const rules = await transaction.selectFrom("notifier_rule").selectAll().where("project_id", "=", projectId).execute();
  await askForValues<Tables>(transaction, { plugin, projectId, values: valuesOf(rules) });
}

/** Asks for what the rules of all projects name, which an earlier release or a move of the data did not, and for what people want. */
export const askForAll = (database: Database): Promise<void> =>
  change(database, "notifier_rule", async (transaction) => {
    const levels = [...seriousLevels].map((text) => ({ kind: "level" as const, name: "", text, isExact: true }));
    await askForValues<Tables>(transaction, { plugin, projectId: 0, values: levels });
    const rules = await transaction.selectFrom("notifier_rule").selectAll().execute();
    for (const [projectId, own] of Map.groupBy(rules, (rule) => rule.project_id)) {
      await askForValues<Tables>(transaction, { plugin, projectId, values: valuesOf(own) });
    }
  });

const valuesOf = (rules: readonly RuleRow[]) =>
  rules
    .filter((rule) => rule.is_enabled === 1 && triggersOf(rule).includes(NotificationTrigger.CREATED))
    .flatMap(({ filter }) => askedValues(filter));

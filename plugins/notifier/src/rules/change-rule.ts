import { askForValues, type Database } from "@faultline/plugin";
import { NotificationTrigger } from "@faultline/proto";
import type { Transaction } from "kysely";
import { change } from "../change.ts";
import { seriousLevels } from "../people/decide.ts";
import { askedValues } from "../signals/new-values.ts";
import type { RuleRow, Tables } from "../tables.ts";
import { triggersOf } from "./rule.ts";

const plugin = "notifier";

/**
 * Adds, changes or deletes a rule, and asks for the values that the rules of its project name then. What the rule had matched is
 * forgotten, as its filter may be another one.
 */
export const changeRule = (
  database: Database,
  work: (transaction: Transaction<Tables>) => Promise<RuleRow>,
): Promise<RuleRow> =>
  change(database, "notifier_rule", async (transaction) => {
    const row = await work(transaction);
    const projectId = row.project_id;
    const rules = await transaction
      .selectFrom("notifier_rule")
      .selectAll()
      .where("project_id", "=", projectId)
      .execute();
    await askForValues<Tables>(transaction, { plugin, projectId, values: valuesOf(rules) });
    await transaction.deleteFrom("notifier_met").where("rule_id", "=", row.id).execute();
    return row;
  });

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

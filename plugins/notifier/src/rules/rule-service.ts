import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, serve, ServiceError, type Host, askForValues, type Database } from "@faultline/plugin";
import {
  Backend,
  ErrorReason,
  NotificationRuleService,
  ProjectService,
  NotificationTrigger,
  ErrorService,
  ErrorSort,
  type Error as TrackedError,
  type UsualEventCountsSchema,
} from "@faultline/proto";
import type { Kysely, Transaction } from "kysely";
import { refuseTakenName } from "@faultline/plugin/text";
import { previewRule } from "./preview-rule.ts";
import { noteReleases } from "../signals/releases.ts";
import { Kinds, unavailableBecause } from "../kinds.ts";
import type { RuleRow, Tables } from "../tables.ts";
import { checkedRule, readRule, ruleToProto, triggersOf } from "../rule.ts";
import { change } from "../change.ts";
import { seriousLevels } from "../people/decide.ts";
import { askedValues } from "../signals/new-values.ts";

const plugin = "notifier";

/**
 * Adds, changes or deletes a rule, and then asks for the values that the rules of its project name. The rule's earlier
 * matches are forgotten, because its filter may have changed.
 */
const changeRule = (
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

/**
 * Asks for the values that the rules of all projects name, and for the changes that people want, because an earlier
 * release or a move of the data did not.
 */
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

type UsualCounts = Exclude<MessageInitShape<typeof UsualEventCountsSchema>, { $typeName: string }>;

const errorsLookedAt = 100;

/** A form opens without the numbers of an external system if they take longer. */
const longestMs = 2_000;

/**
 * The usual numbers of events per hour, which help to choose the limit of a spike. Undefined if they cannot be read
 * now.
 */
async function usualCounts(
  { invoke }: Pick<Host, "invoke">,
  projectId: number,
  signal: AbortSignal | undefined,
): Promise<UsualCounts | undefined> {
  const asked = { projectId, sort: ErrorSort.LAST_SEEN, pageSize: errorsLookedAt };
  const soon = AbortSignal.any([AbortSignal.timeout(longestMs), ...(signal ? [signal] : [])]);
  const answer = await invoke(ErrorService.method.listErrors, asked, soon).catch(() => undefined);
  return answer && usualOf(answer.errors);
}

/** The usual numbers, from errors with their counts of each of the last 24 hours. */
export function usualOf(errors: readonly Pick<TrackedError, "title" | "hourlyCounts">[]): UsualCounts {
  const hours = Array.from({ length: 24 }, (_, hour) =>
    errors.reduce((sum, { hourlyCounts }) => sum + (hourlyCounts[hour] ?? 0), 0),
  );
  let busiest = { title: "", most: 0 };
  let errorMedian = 0;
  for (const { title, hourlyCounts } of errors) {
    errorMedian = Math.max(errorMedian, median(hourlyCounts));
    const most = Math.max(0, ...hourlyCounts);
    if (most > busiest.most) busiest = { title, most };
  }
  return {
    projectMedian: median(hours),
    projectMost: Math.max(...hours),
    errorMedian,
    errorMost: busiest.most,
    busiestTitle: busiest.title,
  };
}

const median = (counts: readonly number[]): number =>
  counts.toSorted((one, other) => one - other)[Math.floor(counts.length / 2)] ?? 0;

const mostRules = 50;

/** The rules of projects. */
export const ruleService = serve(NotificationRuleService, (host) => {
  const { database, clock } = host;
  const kinds = new Kinds(host);
  const toProto = (row: RuleRow) => ruleToProto(row, kinds);
  return {
    async listNotificationRules(_, { grant }) {
      return { rules: (await rulesIn(database.read(), grant.project.id)).map(toProto) };
    },

    async createNotificationRule({ rule }, { grant, caller, signal }) {
      await refuseUnavailable(host, grant.project.id, rule?.triggers ?? []);
      const row = await changeRule(database, async (transaction) => {
        const others = await rulesIn(transaction, grant.project.id);
        if (others.length >= mostRules) throw tooMany();
        const fields = checkedRule(rule, { channels: await channelsIn(transaction, grant.project.id), kinds });
        refuseTakenName(others, fields.name);
        const made = { created_at: clock.now(), created_by: caller.user.username };
        const values = { project_id: grant.project.id, ...fields, ...made };
        return transaction.insertInto("notifier_rule").values(values).returningAll().executeTakeFirstOrThrow();
      });
      await noteReleases(host, row, signal);
      return { rule: toProto(row) };
    },

    async updateNotificationRule({ rule }, { grant, signal }) {
      await refuseUnavailable(host, grant.project.id, rule?.triggers ?? []);
      const row = await changeRule(database, async (transaction) => {
        const stored = await readRule(transaction, grant.project.id, rule?.ruleId ?? 0);
        const fields = checkedRule(rule, { channels: await channelsIn(transaction, grant.project.id), kinds });
        const others = await rulesIn(transaction, grant.project.id);
        refuseTakenName(
          others.filter(({ id }) => id !== stored.id),
          fields.name,
        );
        await transaction.updateTable("notifier_rule").set(fields).where("id", "=", stored.id).execute();
        return { ...stored, ...fields };
      });
      await noteReleases(host, row, signal);
      return { rule: toProto(row) };
    },

    async deleteNotificationRule({ ruleId }, { grant }) {
      const row = await changeRule(database, async (transaction) => {
        const stored = await readRule(transaction, grant.project.id, ruleId);
        await transaction.deleteFrom("notifier_rule").where("id", "=", stored.id).execute();
        return stored;
      });
      return { rule: toProto(row) };
    },

    async previewNotificationRule({ rule }, { grant, caller, signal }) {
      const projectId = grant.project.id;
      await refuseUnavailable(host, projectId, rule?.triggers ?? []);
      const channels = await database
        .read<Tables>()
        .selectFrom("notifier_channel")
        .selectAll()
        .where("project_id", "=", projectId)
        .execute();
      const fields = checkedRule(rule && { ...rule, name: rule.name.trim() || "Preview" }, { channels, kinds });
      const made = { created_at: clock.now(), created_by: caller.user.username };
      return previewRule(host, { rule: { id: 0, project_id: projectId, ...fields, ...made }, channels, signal });
    },

    async listNotificationTriggers(_, { grant, signal }) {
      const projectId = grant.project.id;
      const backend = await backendOf(host, projectId);
      const triggers = kinds.all.map(({ number, label }) => {
        const reason = unavailableBecause(number, backend);
        return { ...kinds.named(number), label, allowed: reason === "", reason };
      });
      const usual = await usualCounts(host, projectId, signal);
      return { triggers, ...(usual && { usual }) };
    },
  };
});

async function backendOf({ invoke }: Host, projectId: number): Promise<Backend> {
  const { project } = await invoke(ProjectService.method.getProject, { key: { case: "projectId", value: projectId } });
  return project?.backend ?? Backend.UNSPECIFIED;
}

async function refuseUnavailable(host: Host, projectId: number, triggers: readonly NotificationTrigger[]) {
  const backend = await backendOf(host, projectId);
  for (const trigger of triggers) {
    const reason = unavailableBecause(trigger, backend);
    if (reason !== "") throw invalidField("rule.triggers", reason);
  }
}

async function rulesIn(tables: Kysely<Tables>, projectId: number): Promise<RuleRow[]> {
  return tables.selectFrom("notifier_rule").selectAll().where("project_id", "=", projectId).orderBy("id").execute();
}

async function channelsIn(tables: Kysely<Tables>, projectId: number): Promise<{ id: number }[]> {
  return tables
    .selectFrom("notifier_channel")
    .select("id")
    .where("project_id", "=", projectId)
    .where("user_id", "is", null)
    .execute();
}

const tooMany = () =>
  new ServiceError(
    ErrorReason.LIMIT_REACHED,
    `A project has at most ${mostRules} notification rules. Delete one first.`,
  );

import { invalidField, serve, ServiceError, type Host } from "@faultline/plugin";
import {
  Backend,
  ErrorReason,
  NotificationRuleService,
  ProjectService,
  type NotificationTrigger,
} from "@faultline/proto";
import type { Kysely } from "kysely";
import { refuseTakenName } from "@faultline/plugin/text";
import { previewRule } from "../preview/preview-rule.ts";
import { noteReleases } from "../signals/releases.ts";
import { allTriggers, unavailableBecause } from "../signals/triggers.ts";
import type { RuleRow, Tables } from "../tables.ts";
import { changeRule } from "./change-rule.ts";
import { checkedRule, readRule, ruleToProto } from "./rule.ts";
import { usualCounts } from "./usual-counts.ts";

const mostRules = 50;

/** The rules of projects. */
export const ruleService = serve(NotificationRuleService, (host) => {
  const { database, clock } = host;
  return {
    async listNotificationRules(_, { grant }) {
      return { rules: (await rulesIn(database.read(), grant.project.id)).map(ruleToProto) };
    },

    async createNotificationRule({ rule }, { grant, caller, signal }) {
      await refuseUnavailable(host, grant.project.id, rule?.triggers ?? []);
      const row = await changeRule(database, async (transaction) => {
        const others = await rulesIn(transaction, grant.project.id);
        if (others.length >= mostRules) throw tooMany();
        const fields = checkedRule(rule, await channelsIn(transaction, grant.project.id));
        refuseTakenName(others, fields.name);
        const made = { created_at: clock.now(), created_by: caller.user.username };
        const values = { project_id: grant.project.id, ...fields, ...made };
        return transaction.insertInto("notifier_rule").values(values).returningAll().executeTakeFirstOrThrow();
      });
      await noteReleases(host, row, signal);
      return { rule: ruleToProto(row) };
    },

    async updateNotificationRule({ rule }, { grant, signal }) {
      await refuseUnavailable(host, grant.project.id, rule?.triggers ?? []);
      const row = await changeRule(database, async (transaction) => {
        const stored = await readRule(transaction, grant.project.id, rule?.ruleId ?? 0);
        const fields = checkedRule(rule, await channelsIn(transaction, grant.project.id));
        const others = await rulesIn(transaction, grant.project.id);
        refuseTakenName(
          others.filter(({ id }) => id !== stored.id),
          fields.name,
        );
        await transaction.updateTable("notifier_rule").set(fields).where("id", "=", stored.id).execute();
        return { ...stored, ...fields };
      });
      await noteReleases(host, row, signal);
      return { rule: ruleToProto(row) };
    },

    async deleteNotificationRule({ ruleId }, { grant }) {
      const row = await changeRule(database, async (transaction) => {
        const stored = await readRule(transaction, grant.project.id, ruleId);
        await transaction.deleteFrom("notifier_rule").where("id", "=", stored.id).execute();
        return stored;
      });
      return { rule: ruleToProto(row) };
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
      const fields = checkedRule(rule && { ...rule, name: rule.name.trim() || "Preview" }, channels);
      const made = { created_at: clock.now(), created_by: caller.user.username };
      return previewRule(host, { rule: { id: 0, project_id: projectId, ...fields, ...made }, channels, signal });
    },

    async listNotificationTriggers(_, { grant, signal }) {
      const projectId = grant.project.id;
      const backend = await backendOf(host, projectId);
      const triggers = allTriggers.map((trigger) => {
        const reason = unavailableBecause(trigger, backend);
        return { trigger, allowed: reason === "", reason };
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

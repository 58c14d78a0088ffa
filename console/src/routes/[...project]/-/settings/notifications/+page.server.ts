import { NotificationTriggerSchema } from "@faultline/proto";
import { fail } from "@sveltejs/kit";
import type { NotificationRule } from "#lib/messages.ts";
import { action } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";
import { givenFields } from "#lib/components/given-fields.ts";

export const load: PageServerLoad = async ({ parent, locals, url }) => {
  const { project } = await parent();
  const { projectId } = project;
  const { api } = locals;
  const [{ kinds }, { channels }, { rules }, { deliveries }, { triggers, usual }, { maintenance }] = await Promise.all([
    api.notificationChannels.listNotificationChannelKinds({}),
    api.notificationChannels.listNotificationChannels({ projectId }),
    api.notificationRules.listNotificationRules({ projectId }),
    api.notificationDeliveries.listNotificationDeliveries({ projectId, pageSize: 20 }),
    api.notificationRules.listNotificationTriggers({ projectId }),
    api.notificationMaintenance.getNotificationMaintenance({ projectId }),
  ]);
  const asked = (key: string) => url.searchParams.get(key);
  const changing = channels.find(({ channelId }) => String(channelId) === asked("change")) ?? null;
  const kindName = changing?.kind ?? asked("add");
  return {
    kinds,
    channels,
    rules,
    deliveries,
    triggers,
    usual,
    maintenance,
    changing,
    chosen: kinds.find(({ kind }) => kind === kindName) ?? null,
    changingRule: rules.find(({ ruleId }) => String(ruleId) === asked("rule")) ?? null,
  };
};

export const actions: Actions = {
  add: async ({ request, locals, params }) => {
    const form = await request.formData();
    const kind = String(form.get("kind") ?? "");
    const name = String(form.get("name") ?? "");
    const { all: fields, typed } = givenFields(form);
    return action(
      async () => {
        const { channel, signingSecret } = await locals.api.notificationChannels.createNotificationChannel({
          projectPath: params.project,
          kind,
          name,
          fields,
        });
        return {
          done: `The channel ${channel?.name ?? name} was added. Send a test to check that it works.`,
          signingSecret,
        };
      },
      { act: "given" as const, name, typed },
    );
  },
  change: async ({ request, locals, params }) => {
    const form = await request.formData();
    const name = String(form.get("name") ?? "");
    const { all: fields, typed } = givenFields(form);
    return action(
      async () => {
        const { channel } = await locals.api.notificationChannels.updateNotificationChannel({
          projectPath: params.project,
          channelId: Number(form.get("id")),
          name,
          fields,
        });
        return { done: `The channel ${channel?.name ?? name} was changed. Send a test to check that it works.` };
      },
      { act: "given" as const, name, typed },
    );
  },
  test: async ({ request, locals, params }) => {
    const channelId = Number((await request.formData()).get("channel_id"));
    return action(async () => {
      const tried = await locals.api.notificationChannels.testNotificationChannel({
        projectPath: params.project,
        channelId,
      });
      return { tested: { channelId, ...tried } };
    });
  },
  remove: async ({ request, locals, params }) => {
    const channelId = Number((await request.formData()).get("channel_id"));
    return action(async () => {
      const { channel } = await locals.api.notificationChannels.deleteNotificationChannel({
        projectPath: params.project,
        channelId,
      });
      return { done: `The channel ${channel?.name ?? ""} was deleted.` };
    });
  },
  rule: async ({ request, locals, params }) => {
    const { rule, typed } = ruleIn(await request.formData());
    return action(
      async () => {
        await locals.api.notificationRules.createNotificationRule({ projectPath: params.project, rule });
        return { done: `The rule ${rule.name} was added.` };
      },
      { act: "rule" as const, ...typed },
    );
  },
  changeRule: async ({ request, locals, params }) => {
    const form = await request.formData();
    const { rule, typed } = ruleIn(form);
    const ruleId = Number(form.get("rule_id"));
    return action(
      async () => {
        await locals.api.notificationRules.updateNotificationRule({
          projectPath: params.project,
          rule: { ...rule, ruleId },
        });
        return { done: `The rule ${rule.name} was changed.` };
      },
      { act: "rule" as const, ...typed },
    );
  },
  turn: async ({ request, locals, params }) => {
    const form = await request.formData();
    const enabled = form.get("turn") === "on";
    return action(async () => {
      const { notificationRules } = locals.api;
      const { rules } = await notificationRules.listNotificationRules({ projectPath: params.project });
      const rule = rules.find(({ ruleId }) => String(ruleId) === form.get("rule_id"));
      if (!rule) return { done: "The rule no longer exists." };
      const { createdTime: _, spike, ...kept } = rule;
      await notificationRules.updateNotificationRule({
        projectPath: params.project,
        rule: { ...kept, ...(spike && { spike }), enabled },
      });
      return { done: `The rule ${rule.name} is turned ${enabled ? "on" : "off"}.` };
    });
  },
  preview: async ({ request, locals, params }) => {
    const { rule, typed } = ruleIn(await request.formData());
    return action(
      async () => ({
        preview: await locals.api.notificationRules.previewNotificationRule({ projectPath: params.project, rule }),
      }),
      { act: "rule" as const, ...typed },
    );
  },
  maintain: async ({ request, locals, params }) => {
    const form = await request.formData();
    const typed = String(form.get("starts_at") ?? "");
    const startsAt = typed === "" ? Date.now() : Date.parse(`${typed}Z`);
    const endsAt = startsAt + Number(form.get("minutes")) * 60_000;
    if (Number.isNaN(endsAt))
      return fail(400, { act: "maintain" as const, field: "start_time", message: "Enter a time." });
    return action(
      async () => {
        await locals.api.notificationMaintenance.setNotificationMaintenance({
          projectPath: params.project,
          endTime: new Date(endsAt).toISOString(),
          ...(typed !== "" && { startTime: new Date(startsAt).toISOString() }),
        });
        return { done: "The maintenance window is set." };
      },
      { act: "maintain" as const },
    );
  },
  resume: async ({ locals, params }) =>
    action(async () => {
      await locals.api.notificationMaintenance.endNotificationMaintenance({ projectPath: params.project });
      return { done: "The maintenance window has ended." };
    }),
  drop: async ({ request, locals, params }) => {
    const ruleId = Number((await request.formData()).get("rule_id"));
    return action(async () => {
      const { rule } = await locals.api.notificationRules.deleteNotificationRule({
        projectPath: params.project,
        ruleId,
      });
      return { done: `The rule ${rule?.name ?? ""} was deleted.` };
    });
  },
  replay: async ({ request, locals, params }) => {
    const deliveryId = String((await request.formData()).get("delivery_id"));
    return action(async () => {
      await locals.api.notificationDeliveries.replayNotificationDeliveries({ projectPath: params.project, deliveryId });
      return { done: "The message is being sent again." };
    });
  },
  replayAll: async ({ request, locals, params }) => {
    const form = await request.formData();
    const since = Date.now() - Number(form.get("hours")) * 3_600_000;
    return action(async () => {
      const { replayedCount } = await locals.api.notificationDeliveries.replayNotificationDeliveries({
        projectPath: params.project,
        channelId: Number(form.get("channel_id")),
        sinceTime: new Date(since).toISOString(),
      });
      const messages = replayedCount === 1 ? "1 message is" : `${replayedCount} messages are`;
      return { done: replayedCount === 0 ? "No messages failed in that period." : `${messages} being sent again.` };
    });
  },
};

const triggerNames = NotificationTriggerSchema.values.map(({ name }) => name as NotificationRule["triggers"][number]); // the names in the schema

/** The rule in a form, and the typed values. */
function ruleIn(form: FormData) {
  const text = (key: string) => String(form.get(key) ?? "");
  const typed = {
    name: text("name"),
    filter: text("filter"),
    note: text("note"),
    spikeCount: text("spike_count"),
    spikeMinutes: text("spike_minutes"),
  };
  const { name, filter, note } = typed;
  const spike = {
    unit: text("spike_unit") === "users" ? "NOTIFICATION_SPIKE_UNIT_USERS" : "NOTIFICATION_SPIKE_UNIT_EVENTS",
    count: wholeNumber(typed.spikeCount),
    windowMinutes: wholeNumber(typed.spikeMinutes),
  } as const;
  const rule = {
    name,
    filter,
    note,
    enabled: form.get("enabled") !== "off",
    triggers: triggerNames.filter((trigger) => form.getAll("triggers").includes(trigger)),
    kinds: form.getAll("kinds").map(String),
    channelIds: form.getAll("channel_ids").map(Number),
    ...(form.has("spike_count") && { spike }),
  };
  return { rule, typed };
}

/** 0 for an invalid number, which the service refuses with a sentence. */
function wholeNumber(text: string): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= 0 && number <= 0xffff_ffff ? number : 0;
}

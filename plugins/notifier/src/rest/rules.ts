import { bodyOf, fromOne, idInPath, noContent, operation, paramsOf, single, whole } from "@faultline/plugin/rest";
import {
  ErrorReason,
  NotificationRuleSchema,
  NotificationRuleService,
  NotificationSpikeSchema,
  NotificationTriggerStateSchema,
  PreviewedNotificationSchema,
  PreviewedSuppressionSchema,
  PreviewNotificationRuleResponseSchema,
} from "@faultline/proto";
import { suppressionNames } from "./suppression-names.ts";

const tag = "Notification rules";
const { method } = NotificationRuleService;

const spike = bodyOf(
  NotificationSpikeSchema,
  { count: { schema: fromOne }, windowMinutes: { schema: fromOne } },
  { name: null },
);
const rule = bodyOf(NotificationRuleSchema, {
  ruleId: "id",
  spike: { of: spike, orNull: true },
});

const ruleParams = paramsOf(NotificationRuleSchema, {
  ruleId: false,
  name: { isRequired: true, maxLength: 80 },
  enabled: { default: true },
  triggers: { isRequired: true },
  filter: { maxLength: 500 },
  channelIds: { isRequired: true, minItems: 1 },
  note: { maxLength: 500 },
  createdTime: false,
  createdBy: false,
  kinds: { maxItems: 100 },
  spike: {
    of: paramsOf(NotificationSpikeSchema, {
      unit: { default: "events" },
      count: { isRequired: true, maximum: 1_000_000 },
      windowMinutes: { isRequired: true, maximum: 1_440 },
    }),
  },
});

const ruleAddress = "/projects/:project/error_tracking/notification_rules" as const;
const path = { rule_id: idInPath("The rule.", ErrorReason.NOTIFICATION_RULE_NOT_FOUND) };

export const listNotificationRules = operation(method.listNotificationRules, `GET ${ruleAddress}`, {
  tag,
  summary: "List the notification rules of a project",
  answer: whole("The rules.", rule),
});

export const createNotificationRule = operation(method.createNotificationRule, `POST ${ruleAddress}`, {
  tag,
  summary: "Add a notification rule",
  into: "rule",
  params: ruleParams,
  answer: single(201, "The rule.", rule),
});

export const updateNotificationRule = operation(method.updateNotificationRule, `PUT ${ruleAddress}/:rule_id`, {
  tag,
  summary: "Replace a notification rule",
  path,
  into: "rule",
  params: ruleParams,
  answer: single(200, "The rule as it is now.", rule),
});

export const deleteNotificationRule = operation(method.deleteNotificationRule, `DELETE ${ruleAddress}/:rule_id`, {
  tag,
  summary: "Delete a notification rule",
  path,
  answer: noContent,
});

const notification = bodyOf(PreviewedNotificationSchema, { time: "at" }, { name: null });
const suppression = bodyOf(
  PreviewedSuppressionSchema,
  { reason: { schema: { enum: Object.keys(suppressionNames) } } },
  { name: null },
);
const triggerState = bodyOf(NotificationTriggerStateSchema, { reason: null });
const preview = bodyOf(
  PreviewNotificationRuleResponseSchema,
  {
    notifications: { of: notification, maxItems: 50 },
    suppressions: { of: suppression },
    notReplayed: { of: triggerState },
    startTime: "starts_at",
  },
  { name: "NotificationPreview" },
);

export const previewNotificationRule = operation(
  method.previewNotificationRule,
  "POST /projects/:project/error_tracking/notification_rule_preview",
  {
    tag,
    summary: "Preview a notification rule",
    more: "Reports what the rule would have sent within the last seven days. Nothing is sent or stored.",
    into: "rule",
    params: ruleParams,
    answer: single(200, "What it would have sent.", preview),
  },
);

export const listNotificationTriggers = operation(
  method.listNotificationTriggers,
  "GET /projects/:project/error_tracking/notification_triggers",
  {
    tag,
    summary: "List what rules of a project can report",
    answer: whole("All triggers, each once.", triggerState),
  },
);

import { bodyOf, operation, single, whole } from "@faultline/plugin/rest";
import {
  NotificationRuleService,
  NotificationTriggerStateSchema,
  PreviewedNotificationSchema,
  PreviewedSuppressionSchema,
  PreviewNotificationRuleResponseSchema,
} from "@faultline/proto";
import { ruleParams, ruleTag as tag } from "./rules.ts";
import { suppressionNames } from "./suppression-names.ts";

const { method } = NotificationRuleService;

const notification = bodyOf(PreviewedNotificationSchema, { time: "at" }, { name: null });
const suppression = bodyOf(
  PreviewedSuppressionSchema,
  { reason: { schema: { enum: Object.keys(suppressionNames) } } },
  { name: null },
);
const state = bodyOf(NotificationTriggerStateSchema, { reason: null });
const preview = bodyOf(
  PreviewNotificationRuleResponseSchema,
  {
    notifications: { of: notification, maxItems: 50 },
    suppressions: { of: suppression },
    notReplayed: { of: state },
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
    answer: whole("All triggers, each once.", state),
  },
);

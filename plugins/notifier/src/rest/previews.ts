import {
  choice,
  count,
  each,
  flag,
  inline,
  isoTime,
  operation,
  orNull,
  shape,
  single,
  text,
  time,
  whole,
} from "@faultline/plugin/rest";
import {
  NotificationRuleService,
  type NotificationTriggerState,
  type PreviewedNotification,
  type PreviewedSuppression,
  type PreviewNotificationRuleResponse,
} from "@faultline/proto";
import { givenRule, ruleParams, ruleTag as tag } from "./rules.ts";
import { suppressionNames } from "./suppression-names.ts";
import { triggerName, triggerNames } from "./trigger-names.ts";

const { method } = NotificationRuleService;

const triggerField = choice("What happened.", Object.keys(triggerNames));

const notification = inline<PreviewedNotification>("A change that would have been reported.", {
  trigger: [triggerField, ({ trigger }) => triggerName(trigger)],
  headline: [text("In words, such as `New error`."), ({ headline }) => headline],
  error_id: [text("The error."), ({ errorId }) => errorId],
  title: [text("Its title."), ({ title }) => title],
  at: [time("When it happened."), (one) => isoTime(one.time)],
  message_count: [count("Channels that would have got it in a message of its own."), (one) => one.messageCount],
  digest_count: [count("Channels that would have got it in a digest."), (one) => one.digestCount],
});

const suppression = inline<PreviewedSuppression>("Changes that would not have been reported.", {
  reason: [choice("Why.", suppressionNames), ({ reason }) => reason],
  count: [count("How many."), (one) => one.count],
});

const state = shape<NotificationTriggerState>("NotificationTriggerState", "Whether something can be reported.", {
  trigger: [triggerField, ({ trigger }) => triggerName(trigger)],
  allowed: [flag("It can."), ({ allowed }) => allowed],
  reason: [orNull(text("Why not; null: it can.")), ({ reason }) => reason || null],
});

const preview = shape<PreviewNotificationRuleResponse>(
  "NotificationPreview",
  "What a rule would have sent within seven days.",
  {
    message_count: [count("Messages about one change each."), ({ messageCount }) => messageCount],
    digest_count: [count("Digests of several changes."), ({ digestCount }) => digestCount],
    notifications: each(notification, ({ notifications }) => notifications, {
      maxItems: 50,
      description: "What it would have reported, the newest first.",
    }),
    suppressions: each(suppression, ({ suppressions }) => suppressions, {
      description: "What it would not have reported, and why.",
    }),
    not_replayed: each(state, ({ notReplayed }) => notReplayed, {
      description: "Triggers that these numbers leave out, because their causes are not kept.",
    }),
    starts_at: [time("The first moment that was replayed."), ({ startTime }) => isoTime(startTime)],
    examined_error_count: [
      count("Errors that were looked at, at most 1,000: those seen last."),
      ({ examinedErrorCount }) => examinedErrorCount,
    ],
  },
);

export const previewNotificationRule = operation(
  method.previewNotificationRule,
  "POST /projects/:project/error_tracking/notification_rule_preview",
  {
    tag,
    summary: "Preview a notification rule",
    more: "Reports what the rule would have sent within the last seven days. Nothing is sent or stored.",
    params: ruleParams,
    answer: single(200, "What it would have sent.", preview),
    run: ({ params, invoke }) => invoke({ rule: givenRule(params) }),
  },
);

export const listNotificationTriggers = operation(
  method.listNotificationTriggers,
  "GET /projects/:project/error_tracking/notification_triggers",
  {
    tag,
    summary: "List what rules of a project can report",
    answer: whole("All triggers, each once.", state),
    run: async ({ invoke }) => (await invoke({})).triggers,
  },
);

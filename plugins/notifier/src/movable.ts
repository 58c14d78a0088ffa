import type { Movable } from "@faultline/plugin";

const withId = [
  "notifier_signal",
  "notifier_channel",
  "notifier_rule",
  "notifier_delivery",
  "notifier_attempt",
  "notifier_held",
  "notifier_inbox",
];

const others: Readonly<Record<string, readonly string[]>> = {
  notifier_reported: ["channel_id", "error_id", "notification_trigger"],
  notifier_suppression: ["project_id", "rule_id", "error_id", "notification_trigger", "reason", "hour_at"],
  notifier_poll: ["project_id", "subject"],
  notifier_sample: ["project_id", "error_id", "sampled_at"],
  notifier_episode: ["rule_id", "error_id"],
  notifier_milestone: ["project_id", "error_id"],
  notifier_release: ["project_id", "version"],
  notifier_maintenance: ["project_id"],
  notifier_met: ["rule_id", "error_id"],
  notifier_person: ["user_id"],
  notifier_level: ["user_id", "project_id"],
  notifier_subscription: ["user_id", "project_id", "error_id"],
  notifier_person_budget: ["user_id", "project_id"],
  notifier_person_suppression: ["project_id", "error_id", "user_id", "notification_trigger", "reason", "hour_at"],
  notifier_unsubscribed: ["user_id", "project_id"],
};

/** How a move to PostgreSQL copies the plugin's tables. */
export const movable: Movable = {
  tables: [
    ...withId.map((name) => ({ name, key: ["id"], refersToCore: true })),
    ...Object.entries(others).map(([name, key]) => ({ name, key, refersToCore: true })),
    { name: "notifier_server", key: ["server"] },
    { name: "notifier_mail_count", key: ["id"] },
    { name: "notifier_mail_server", key: ["id"] },
  ],
  otherTables: { sqlite: [], postgresql: [] },
};

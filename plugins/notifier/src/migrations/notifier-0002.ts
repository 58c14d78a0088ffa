import type { SqlWords } from "@faultline/plugin";

/** The tables of what people want to learn, and of their inboxes, whose rows are deleted within 30 days. */
export const peopleTables = ({ id, int, text, end }: SqlWords): readonly string[] => [
  `alter table notifier_signal add column made_by ${text} not null default ''`,
  `create index notifier_signal_error on notifier_signal (project_id, error_id)`,

  `create table notifier_person (
    user_id ${int} primary key references "user" (id) on delete cascade,
    wants_mail ${int} not null,
    time_zone ${text} not null,
    quiet_from ${int},
    quiet_until ${int}
  )${end}`,

  `create table notifier_level (
    user_id ${int} not null references "user" (id) on delete cascade,
    project_id ${int} not null references project (id) on delete cascade,
    level ${int} not null,
    primary key (user_id, project_id)
  )${end}`,
  `create index notifier_level_project on notifier_level (project_id)`,

  `create table notifier_subscription (
    user_id ${int} not null references "user" (id) on delete cascade,
    project_id ${int} not null references project (id) on delete cascade,
    error_id ${text} not null,
    subscription ${int} not null,
    primary key (user_id, project_id, error_id)
  )${end}`,
  `create index notifier_subscription_error on notifier_subscription (project_id, error_id)`,

  `create table notifier_inbox (
    id ${id},
    user_id ${int} not null references "user" (id) on delete cascade,
    project_id ${int} not null references project (id) on delete cascade,
    error_id ${text} not null,
    notification_trigger ${int} not null,
    status ${int} not null,
    made_by ${text} not null,
    title ${text} not null,
    culprit ${text} not null,
    level ${text} not null,
    gathered ${text} not null,
    happened_at ${int} not null,
    created_at ${int} not null,
    changed_at ${int} not null,
    due_at ${int} not null,
    read_at ${int}
  )${end}`,
  `create index notifier_inbox_person on notifier_inbox (user_id, id)`,
  `create index notifier_inbox_unread on notifier_inbox (user_id) where read_at is null`,
  `create index notifier_inbox_error on notifier_inbox (project_id, error_id)`,
  `create index notifier_inbox_due on notifier_inbox (due_at)`,
  `create index notifier_inbox_created on notifier_inbox (created_at)`,

  `create table notifier_person_budget (
    user_id ${int} not null references "user" (id) on delete cascade,
    project_id ${int} not null references project (id) on delete cascade,
    budget ${int} not null,
    budget_at ${int} not null,
    digest_at ${int},
    digest_minutes ${int} not null,
    entry_id ${int},
    primary key (user_id, project_id)
  )${end}`,
  `create index notifier_person_budget_project on notifier_person_budget (project_id)`,

  `create table notifier_person_suppression (
    project_id ${int} not null references project (id) on delete cascade,
    error_id ${text} not null,
    user_id ${int} not null,
    notification_trigger ${int} not null,
    reason ${int} not null,
    hour_at ${int} not null,
    n ${int} not null,
    primary key (project_id, error_id, user_id, notification_trigger, reason, hour_at)
  )${end}`,
  `create index notifier_person_suppression_hour on notifier_person_suppression (hour_at)`,
];

import type { SqlWords } from "@faultline/plugin";

/**
 * The tables of notifications. All but the rows of channels and rules are queues and records that are deleted within 30
 * days.
 */
export const notifierTables = ({ id, int, text, end }: SqlWords): readonly string[] => [
  `create table notifier_signal (
    id ${id},
    project_id ${int} not null references project (id) on delete cascade,
    error_id ${text} not null,
    notification_trigger ${int} not null,
    status ${int} not null,
    happened_at ${int} not null,
    done_at ${int}
  )${end}`,
  `create index notifier_signal_due on notifier_signal (id) where done_at is null`,
  `create index notifier_signal_done on notifier_signal (done_at) where done_at is not null`,
  `create index notifier_signal_project on notifier_signal (project_id)`,

  `create table notifier_channel (
    id ${id},
    project_id ${int} not null references project (id) on delete cascade,
    kind ${text} not null,
    name ${text} not null,
    config ${text} not null,
    state ${int} not null,
    state_reason ${text} not null,
    failed_tries ${int} not null,
    next_try_at ${int} not null,
    lease_token ${text},
    lease_until ${int} not null,
    last_sent_at ${int},
    budget ${int} not null,
    budget_at ${int} not null,
    digest_at ${int},
    digest_minutes ${int} not null,
    created_at ${int} not null,
    created_by ${text} not null
  )${end}`,
  `create index notifier_channel_project on notifier_channel (project_id)`,

  `create table notifier_rule (
    id ${id},
    project_id ${int} not null references project (id) on delete cascade,
    name ${text} not null,
    is_enabled ${int} not null,
    triggers ${text} not null,
    filter ${text} not null,
    channel_ids ${text} not null,
    note ${text} not null,
    created_at ${int} not null,
    created_by ${text} not null
  )${end}`,
  `create index notifier_rule_project on notifier_rule (project_id)`,

  `create table notifier_delivery (
    id ${id},
    project_id ${int} not null references project (id) on delete cascade,
    channel_id ${int} not null references notifier_channel (id) on delete cascade,
    uid ${text} not null,
    error_id ${text} not null,
    change_count ${int} not null,
    message ${text} not null,
    state ${int} not null,
    reason ${text} not null,
    tries ${int} not null,
    created_at ${int} not null,
    finished_at ${int}
  )${end}`,
  `create index notifier_delivery_list on notifier_delivery (project_id, id)`,
  `create index notifier_delivery_due on notifier_delivery (channel_id, id) where finished_at is null`,
  `create index notifier_delivery_finished on notifier_delivery (finished_at) where finished_at is not null`,

  `create table notifier_attempt (
    id ${id},
    delivery_id ${int} not null references notifier_delivery (id) on delete cascade,
    begun_at ${int} not null,
    duration_ms ${int} not null,
    http_status ${int} not null,
    answer ${text} not null
  )${end}`,
  `create index notifier_attempt_delivery on notifier_attempt (delivery_id, id)`,

  `create table notifier_held (
    id ${id},
    channel_id ${int} not null references notifier_channel (id) on delete cascade,
    signal_id ${int} not null,
    error_id ${text} not null,
    notification_trigger ${int} not null
  )${end}`,
  `create index notifier_held_channel on notifier_held (channel_id)`,

  `create table notifier_reported (
    channel_id ${int} not null references notifier_channel (id) on delete cascade,
    error_id ${text} not null,
    notification_trigger ${int} not null,
    reported_at ${int} not null,
    primary key (channel_id, error_id, notification_trigger)
  )${end}`,
  `create index notifier_reported_at on notifier_reported (reported_at)`,

  `create table notifier_suppression (
    project_id ${int} not null references project (id) on delete cascade,
    rule_id ${int} not null,
    error_id ${text} not null,
    notification_trigger ${int} not null,
    reason ${int} not null,
    hour_at ${int} not null,
    n ${int} not null,
    primary key (project_id, rule_id, error_id, notification_trigger, reason, hour_at)
  )${end}`,
  `create index notifier_suppression_hour on notifier_suppression (hour_at)`,
];

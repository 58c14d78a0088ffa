import { type SqlWords, tableMigrations } from "@faultline/plugin";

/** The tables of notifications. Rows are deleted within 30 days, except the rows of channels and rules. */
const notifierTables = (words: SqlWords): readonly string[] => [...signalsAndRules(words), ...deliveries(words)];

const signalsAndRules = ({ id, int, text, end }: SqlWords): readonly string[] => [
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
];

const deliveries = ({ id, int, text, end }: SqlWords): readonly string[] => [
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

/** The tables of preferences and inboxes. The rows of inboxes are deleted within 30 days. */
const peopleTables = ({ id, int, text, end }: SqlWords): readonly string[] => [
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

/**
 * Mail. A person's mail of a project is a channel that belongs to the person. Further tables hold who ended it through
 * a link, the mails of the last hour, which are counted, and the state of the mail server.
 */
const mailTables = ({ id, int, text, end }: SqlWords): readonly string[] => [
  `alter table notifier_channel add column user_id ${int} references "user" (id) on delete cascade`,
  `create unique index notifier_channel_person on notifier_channel (user_id, project_id)`,

  `create table notifier_unsubscribed (
    user_id ${int} not null references "user" (id) on delete cascade,
    project_id ${int} not null references project (id) on delete cascade,
    at ${int} not null,
    primary key (user_id, project_id)
  )${end}`,
  `create index notifier_unsubscribed_project on notifier_unsubscribed (project_id)`,

  `create table notifier_mail_count (
    id ${id},
    user_id ${int} not null,
    at ${int} not null
  )${end}`,

  `create table notifier_mail_server (
    id ${int} primary key check (id = 1),
    last_sent_at ${int},
    failing_since ${int},
    failure ${text} not null,
    paused_until ${int} not null
  )${end}`,
];

/**
 * The data of triggers other than transitions. Samples, episodes and milestones are written once a minute by one
 * process, and only for projects with rules that ask for them.
 */
const notifierTriggers = ({ int, text, end }: Omit<SqlWords, "id">): readonly string[] => [
  `alter table notifier_signal add column rule_id ${int} not null default 0`,
  `alter table notifier_signal add column detail ${text} not null default ''`,
  `alter table notifier_rule add column spike ${text} not null default ''`,

  `create table notifier_poll (
    project_id ${int} not null references project (id) on delete cascade,
    subject ${text} not null,
    state ${text} not null,
    primary key (project_id, subject)
  )${end}`,

  `create table notifier_sample (
    project_id ${int} not null references project (id) on delete cascade,
    error_id ${text} not null,
    sampled_at ${int} not null,
    event_count ${int} not null,
    primary key (project_id, error_id, sampled_at)
  )${end}`,
  `create index notifier_sample_at on notifier_sample (sampled_at)`,

  `create table notifier_episode (
    rule_id ${int} not null references notifier_rule (id) on delete cascade,
    error_id ${text} not null,
    project_id ${int} not null references project (id) on delete cascade,
    opened_at ${int} not null,
    most ${int} not null,
    below_since ${int},
    is_announced ${int} not null,
    primary key (rule_id, error_id)
  )${end}`,
  `create index notifier_episode_project on notifier_episode (project_id)`,

  `create table notifier_milestone (
    project_id ${int} not null references project (id) on delete cascade,
    error_id ${text} not null,
    base_count ${int} not null,
    reopened_at ${int} not null,
    reached ${int} not null,
    seen_at ${int} not null,
    primary key (project_id, error_id)
  )${end}`,
  `create index notifier_milestone_seen on notifier_milestone (seen_at)`,

  `create table notifier_release (
    project_id ${int} not null references project (id) on delete cascade,
    version ${text} not null,
    seen_at ${int} not null,
    primary key (project_id, version)
  )${end}`,
  `create index notifier_release_seen on notifier_release (seen_at)`,

  `create table notifier_maintenance (
    project_id ${int} not null primary key references project (id) on delete cascade,
    starts_at ${int} not null,
    ends_at ${int} not null,
    set_by ${text} not null
  )${end}`,
];

/** Failing servers, for all channels that send to them. */
const failingServers = ({ int, text, end }: Omit<SqlWords, "id">): readonly string[] => [
  `alter table notifier_channel add column server ${text} not null default ''`,
  `create table notifier_server (
    server ${text} not null primary key,
    failed_tries ${int} not null,
    next_try_at ${int} not null
  )${end}`,
];

/** The errors that recently matched the filter of a rule, so that several new values together make one message. */
const metRules = ({ int, text, end }: Omit<SqlWords, "id">): readonly string[] => [
  `create table notifier_met (
    rule_id ${int} not null references notifier_rule (id) on delete cascade,
    error_id ${text} not null,
    met_at ${int} not null,
    primary key (rule_id, error_id)
  )${end}`,
  `create index notifier_met_at on notifier_met (met_at)`,
];

/**
 * Turns by project: waiting changes are found by project, and mails of an hour are also counted by project. The index
 * covers the changes of seven days, which grow with new errors and changes of status, not with events.
 */
const turnsByProject = ({ int }: Pick<SqlWords, "int">): readonly string[] => [
  `create index notifier_signal_turn on notifier_signal (project_id, id) where done_at is null`,
  `drop index notifier_signal_due`,
  `alter table notifier_mail_count add column project_id ${int} not null default 0`,
];

/** The texts of plugins in entries. An inbox has at most about 1,000 entries, and they do not grow with events. */
const textsOfEntries = ({ text }: Pick<SqlWords, "text">): readonly string[] => [
  `alter table notifier_inbox add column text ${text} not null default ''`,
];

/** The steps in order. The fifth step made the tables of issue trackers, and now belongs to the plugin trackers. */
export const migrations = tableMigrations([
  ["notifier-0001", notifierTables],
  ["notifier-0002", peopleTables],
  ["notifier-0003", mailTables],
  ["notifier-0004", notifierTriggers],
  ["notifier-0006", failingServers],
  ["notifier-0007", metRules],
  ["notifier-0008", turnsByProject],
  ["notifier-0009", textsOfEntries],
]);

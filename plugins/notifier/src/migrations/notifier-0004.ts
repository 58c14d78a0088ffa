import type { SqlWords } from "@faultline/plugin";

/**
 * What triggers beyond the transitions need. Samples, episodes and milestones are written once a minute by one process, and
 * only for projects whose rules ask for them.
 */
export const notifierTriggers = ({ int, text, end }: Omit<SqlWords, "id">): readonly string[] => [
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

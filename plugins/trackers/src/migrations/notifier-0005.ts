import type { SqlWords } from "@faultline/plugin";

/** The tables of issue trackers. They have few rows: the trackers, one issue per error, and pending changes. */
export const trackerTables = ({ id, int, text, end }: SqlWords): readonly string[] => [
  `create table notifier_tracker (
    id ${id},
    project_id ${int} not null references project (id) on delete cascade,
    kind ${text} not null,
    name ${text} not null,
    config ${text} not null,
    only_comments ${int} not null,
    hook_key ${text} not null,
    hook_at ${int},
    failed_calls ${int} not null,
    failure ${text} not null,
    next_call_at ${int} not null,
    created_at ${int} not null,
    created_by ${text} not null
  )${end}`,
  `create index notifier_tracker_project on notifier_tracker (project_id)`,
  `create unique index notifier_tracker_hook on notifier_tracker (hook_key)`,

  `create table notifier_issue (
    id ${id},
    project_id ${int} not null references project (id) on delete cascade,
    error_id ${text} not null,
    tracker_id ${int} not null references notifier_tracker (id) on delete cascade,
    mark ${text} not null,
    issue_key ${text} not null,
    url ${text} not null,
    state ${int} not null,
    reason ${text} not null,
    is_confidential ${int} not null,
    tries ${int} not null,
    due_at ${int},
    created_at ${int} not null,
    created_by ${text} not null
  )${end}`,
  `create unique index notifier_issue_error on notifier_issue (project_id, error_id)`,
  `create index notifier_issue_key on notifier_issue (tracker_id, issue_key)`,
  `create index notifier_issue_due on notifier_issue (due_at) where due_at is not null`,

  `create table notifier_issue_change (
    id ${id},
    issue_id ${int} not null references notifier_issue (id) on delete cascade,
    kind ${text} not null,
    mark ${text} not null,
    release ${text} not null,
    actor ${text} not null,
    happened_at ${int} not null,
    tries ${int} not null,
    due_at ${int} not null
  )${end}`,
  `create index notifier_issue_change_issue on notifier_issue_change (issue_id)`,
  `create index notifier_issue_change_due on notifier_issue_change (due_at)`,
];

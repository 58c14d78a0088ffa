import type { SqlWords } from "@faultline/plugin";

/**
 * Turns by project: changes that wait are found by project, and mails of an hour are counted by project as well. The index is made from
 * the changes of seven days, which grow with new errors and changes of status and not with events.
 */
export const turnsByProject = ({ int }: Pick<SqlWords, "int">): readonly string[] => [
  `create index notifier_signal_turn on notifier_signal (project_id, id) where done_at is null`,
  `drop index notifier_signal_due`,
  `alter table notifier_mail_count add column project_id ${int} not null default 0`,
];

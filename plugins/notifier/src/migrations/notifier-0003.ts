import type { SqlWords } from "@faultline/plugin";

/**
 * Mail. A person's mail of a project is a channel that belongs to the person; who ended it by a link; the mails of the last hour,
 * which are counted; and how the mail server is doing.
 */
export const mailTables = ({ id, int, text, end }: SqlWords): readonly string[] => [
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

import type { SqlWords } from "@faultline/plugin";

/** The servers that fail, for all channels that send to them. */
export const failingServers = ({ int, text, end }: Omit<SqlWords, "id">): readonly string[] => [
  `alter table notifier_channel add column server ${text} not null default ''`,
  `create table notifier_server (
    server ${text} not null primary key,
    failed_tries ${int} not null,
    next_try_at ${int} not null
  )${end}`,
];

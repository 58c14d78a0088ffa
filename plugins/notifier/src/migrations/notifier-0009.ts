import type { SqlWords } from "@faultline/plugin";

/** What plugins say in entries. An inbox has at most about 1,000 entries, and they do not grow with events. */
export const textsOfEntries = ({ text }: Pick<SqlWords, "text">): readonly string[] => [
  `alter table notifier_inbox add column text ${text} not null default ''`,
];

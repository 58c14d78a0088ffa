import type { SqlWords } from "@faultline/plugin";

/** Which errors matched the filter of a rule a short time ago: several values that are new at once make one message. */
export const metRules = ({ int, text, end }: Omit<SqlWords, "id">): readonly string[] => [
  `create table notifier_met (
    rule_id ${int} not null references notifier_rule (id) on delete cascade,
    error_id ${text} not null,
    met_at ${int} not null,
    primary key (rule_id, error_id)
  )${end}`,
  `create index notifier_met_at on notifier_met (met_at)`,
];

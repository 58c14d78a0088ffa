/**
 * Copies transitions that the notifier has not taken yet, from when it kept the issues, so that trackers take them too.
 * Leaves out the transitions that it made itself because an issue was closed.
 */
export const pendingTransitions = (): readonly string[] => [
  `insert into error_change (plugin, project_id, error_id, kind, status_before, status, at, actor, release)
    select 'trackers', project_id, error_id, kind, status_before, status, at, actor, release
    from error_change
    where plugin = 'notifier' and kind <> 'value' and coalesce(actor, '') <> 'plugin:notifier'
    order by id`,
];

import { Migration } from "@mikro-orm/migrations";

/**
 * Notes changes of errors for the plugins that handle them, in the transaction of the change, so that a process killed
 * afterwards loses no note. A status below 0 means a deleted error (`hidden` in tables.ts).
 */
export class Integrated0011 extends Migration {
  override name = "integrated-0011";

  override up(): void {
    this.addSql(`create trigger integrated_error_note_created after insert on integrated_error begin
      insert into error_change (plugin, project_id, error_id, kind, status_before, status)
      select plugin, new.project_id, new.id, 'created', 0, new.status from error_change_reader;
    end`);
    this.addSql(`create trigger integrated_error_note_changed after update of status on integrated_error
    when new.status <> old.status
    begin
      insert into error_change (plugin, project_id, error_id, kind, status_before, status)
      select plugin, new.project_id, new.id,
        case when new.status < 0 then 'deleted' when old.status < 0 then 'restored'
          when new.reopened_at is not null then 'reopened' else 'status' end,
        max(old.status, 0), iif(new.status < 0, old.status, new.status)
      from error_change_reader;
    end`);
  }
}

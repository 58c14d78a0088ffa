import { Migration } from "@mikro-orm/migrations";

/** Notes changes of errors for the plugins that handle them. See integrated-0011 of SQLite. */
export class Integrated0008 extends Migration {
  override name = "integrated-0008";

  override up(): void {
    this.addSql(`create function integrated_note_created() returns trigger language plpgsql as $body$
    begin
      insert into error_change (plugin, project_id, error_id, kind, status_before, status)
      select plugin, new.project_id, new.id::text, 'created', 0, new.status from error_change_reader;
      return null;
    end $body$`);
    this.addSql(`create trigger integrated_error_note_created after insert on integrated_error
      for each row execute function integrated_note_created()`);

    this.addSql(`create function integrated_note_changed() returns trigger language plpgsql as $body$
    begin
      insert into error_change (plugin, project_id, error_id, kind, status_before, status)
      select plugin, new.project_id, new.id::text,
        case when new.status < 0 then 'deleted' when old.status < 0 then 'restored'
          when new.reopened_at is not null then 'reopened' else 'status' end,
        greatest(old.status, 0), case when new.status < 0 then old.status else new.status end
      from error_change_reader;
      return null;
    end $body$`);
    this.addSql(`create trigger integrated_error_note_changed after update of status on integrated_error
      for each row when (new.status <> old.status) execute function integrated_note_changed()`);
  }
}

import { Migration } from "@mikro-orm/migrations";

/**
 * Adds to notes of transitions the time (see core-0011), the release that brought an error back if it is newer, and the
 * erasure of an error. Adds to a deletion the person who undid it.
 */
export class Integrated0013 extends Migration {
  override name = "integrated-0013";

  override up(): void {
    this.addSql(`alter table integrated_deletion add column undone_at integer`);
    this.addSql(`alter table integrated_deletion add column undone_by text not null default ''`);

    this.addSql(`drop trigger integrated_error_note_created`);
    this.addSql(`create trigger integrated_error_note_created after insert on integrated_error begin
      insert into error_change (plugin, project_id, error_id, kind, status_before, status, at, release)
      select plugin, new.project_id, new.id, 'created', 0, new.status, new.first_seen_at, new.first_release
      from error_change_reader;
    end`);
    this.addSql(`drop trigger integrated_error_note_changed`);
    this.addSql(`create trigger integrated_error_note_changed after update of status on integrated_error
    when new.status <> old.status
    begin
      insert into error_change (plugin, project_id, error_id, kind, status_before, status, at, release)
      select plugin, new.project_id, new.id,
        case when new.status < 0 then 'deleted' when old.status < 0 then 'restored'
          when new.reopened_at is not null then 'reopened' else 'status' end,
        max(old.status, 0), iif(new.status < 0, old.status, new.status),
        iif(new.status < 0 or old.status < 0, null, new.reopened_at),
        iif(new.reopened_at is not old.reopened_at and new.last_release <> old.last_release, new.last_release, '')
      from error_change_reader;
    end`);
    this.addSql(`create trigger integrated_error_note_erased after delete on integrated_error begin
      insert into error_change (plugin, project_id, error_id, kind, status_before, status, at)
      select plugin, old.project_id, old.id, 'erased', max(old.status, 0), max(old.status, 0), 0
      from error_change_reader;
    end`);
  }
}

import { Migration } from "@mikro-orm/migrations";

/** Adds to notes of transitions the time, the release and the erasure of an error. See integrated-0013 of SQLite. */
export class Integrated0010 extends Migration {
  override name = "integrated-0010";

  override up(): void {
    this.addSql(`alter table integrated_deletion
      add column undone_at bigint, add column undone_by text collate "C" not null default ''`);

    this.addSql(`create or replace function integrated_note_created() returns trigger language plpgsql as $body$
    begin
      insert into error_change (plugin, project_id, error_id, kind, status_before, status, at, release)
      select plugin, new.project_id, new.id::text, 'created', 0, new.status, new.first_seen_at, new.first_release
      from error_change_reader;
      return null;
    end $body$`);
    this.addSql(`create or replace function integrated_note_changed() returns trigger language plpgsql as $body$
    begin
      insert into error_change (plugin, project_id, error_id, kind, status_before, status, at, release)
      select plugin, new.project_id, new.id::text,
        case when new.status < 0 then 'deleted' when old.status < 0 then 'restored'
          when new.reopened_at is not null then 'reopened' else 'status' end,
        greatest(old.status, 0), case when new.status < 0 then old.status else new.status end,
        case when new.status >= 0 and old.status >= 0 then new.reopened_at end,
        case when new.reopened_at is distinct from old.reopened_at and new.last_release <> old.last_release
          then new.last_release else '' end
      from error_change_reader;
      return null;
    end $body$`);
    this.addSql(`create function integrated_note_erased() returns trigger language plpgsql as $body$
    begin
      insert into error_change (plugin, project_id, error_id, kind, status_before, status, at)
      select plugin, old.project_id, old.id::text, 'erased', greatest(old.status, 0), greatest(old.status, 0), 0
      from error_change_reader;
      return null;
    end $body$`);
    this.addSql(`create trigger integrated_error_note_erased after delete on integrated_error
      for each row execute function integrated_note_erased()`);
  }
}

import { Migration } from "@mikro-orm/migrations";

/** Maximum other values of the same name in a note. */
const earlierAtMost = 50;

/** Notes the first time that an error has a value. See integrated-0019 of SQLite. */
export class Integrated0016 extends Migration {
  override name = "integrated-0016";

  override up(): void {
    this.addSql(`create table error_change_value (
      kind text collate "C" not null,
      name text collate "C" not null,
      project_id bigint not null,
      plugin text collate "C" not null,
      text text collate "C" not null,
      is_exact bigint not null,
      primary key (project_id, kind, name, plugin, text, is_exact)
    )`);
    this.addSql(`alter table error_change add column value text collate "C" not null default ''`);

    this.addSql(`create function integrated_note_tag() returns trigger language plpgsql as $body$
    begin
      if exists (
        select from error_change_value where project_id = new.project_id and kind = 'tag' and name = new.key
      ) then
        ${note(
          `jsonb_build_object('kind', 'tag', 'name', new.key, 'value', new.value, 'earlier', (
            select coalesce(jsonb_agg(t.value), '[]') from (
              select value from integrated_tag where project_id = new.project_id and error_id = new.error_id
                and key = new.key and value <> new.value
              limit ${earlierAtMost}) t))`,
          `asked.project_id = new.project_id and asked.kind = 'tag' and asked.name = new.key
            and (asked.text = new.value or (asked.is_exact = 0 and starts_with(new.value, asked.text)))`,
        )}
      end if;
      return null;
    end $body$`);
    this.addSql(`create trigger integrated_tag_note_value after insert on integrated_tag
      for each row execute function integrated_note_tag()`);

    this.addSql(`create table integrated_level (
      project_id bigint not null,
      error_id bigint not null,
      level text collate "C" not null,
      is_new bigint not null,
      primary key (project_id, error_id, level)
    )`);
    this.addSql(`create function integrated_level_changed() returns trigger language plpgsql as $body$
    begin
      insert into integrated_level (project_id, error_id, level, is_new)
      values (new.project_id, new.id, old.level, 0), (new.project_id, new.id, new.level, 1)
      on conflict do nothing;
      return null;
    end $body$`);
    this.addSql(`create trigger integrated_error_level_changed after update of level on integrated_error
      for each row when (new.level <> old.level) execute function integrated_level_changed()`);
    this.addSql(`create function integrated_note_level() returns trigger language plpgsql as $body$
    begin
      ${note(
        `jsonb_build_object('kind', 'level', 'name', '', 'value', new.level, 'earlier', (
          select coalesce(jsonb_agg(l.level), '[]') from (
            select level from integrated_level where project_id = new.project_id and error_id = new.error_id
              and level <> new.level
            limit ${earlierAtMost}) l))`,
        `asked.project_id in (0, new.project_id) and asked.kind = 'level' and asked.name = ''
          and (asked.text = new.level or (asked.is_exact = 0 and starts_with(new.level, asked.text)))`,
      )}
      return null;
    end $body$`);
    this.addSql(`create trigger integrated_level_note after insert on integrated_level
      for each row when (new.is_new = 1) execute function integrated_note_level()`);
    this.addSql(`create function integrated_levels_gone() returns trigger language plpgsql as $body$
    begin
      delete from integrated_level where project_id = old.project_id and error_id = old.id;
      return null;
    end $body$`);
    this.addSql(`create trigger integrated_error_levels_gone after delete on integrated_error
      for each row execute function integrated_levels_gone()`);
  }
}

/** Writes a note for each plugin that asks for a value. A deleted error (`hidden` in tables.ts) has no new values. */
const note = (value: string, isAsked: string) => `
      insert into error_change (plugin, project_id, error_id, kind, status_before, status, at, value)
      select reader.plugin, e.project_id, e.id::text, 'value', e.status, e.status, e.last_seen_at, (${value})::text
      from error_change_reader reader
      join integrated_error e on e.project_id = new.project_id and e.id = new.error_id
      where e.status > 0 and exists (
        select from error_change_value asked where asked.plugin = reader.plugin and ${isAsked});`;

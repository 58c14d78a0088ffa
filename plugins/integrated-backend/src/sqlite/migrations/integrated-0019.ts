import { Migration } from "@mikro-orm/migrations";

/** Maximum other values of the same name in a note. */
const earlierAtMost = 50;

/**
 * Notes the first time that an error has a value, for the plugins that ask for it: a tag, including environment and
 * release, or a level. A new tag is a new row of integrated_tag. An error's levels are stored once its level changes,
 * so that a level that alternates with each event is noted once.
 */
export class Integrated0019 extends Migration {
  override name = "integrated-0019";

  override up(): void {
    this.addSql(`create table error_change_value (
      kind text not null,
      name text not null,
      project_id integer not null,
      plugin text not null,
      text text not null,
      is_exact integer not null,
      primary key (kind, name, project_id, plugin, text, is_exact)
    ) strict, without rowid`);
    // The JSON value of a note of the kind 'value'.
    this.addSql(`alter table error_change add column value text not null default ''`);

    this.addSql(`create trigger integrated_tag_note_value after insert on integrated_tag
    when exists (select 1 from error_change_value where kind = 'tag' and name = new.key)
    begin
      ${note(
        "new.error_id",
        `json_object('kind', 'tag', 'name', new.key, 'value', new.value, 'earlier', json((
          select json_group_array(value) from (
            select value from integrated_tag where error_id = new.error_id and key = new.key and value <> new.value
            limit ${earlierAtMost}))))`,
        `asked.kind = 'tag' and asked.name = new.key and asked.project_id = e.project_id and (asked.text = new.value
          or (asked.is_exact = 0 and substr(new.value, 1, length(asked.text)) = asked.text))`,
      )}
    end`);

    this.addSql(`create table integrated_level (
      error_id integer not null,
      level text not null,
      is_new integer not null,
      primary key (error_id, level)
    ) strict, without rowid`);
    this.addSql(`create trigger integrated_error_level_changed after update of level on integrated_error
    when new.level <> old.level
    begin
      insert into integrated_level (error_id, level, is_new) values (new.id, old.level, 0) on conflict do nothing;
      insert into integrated_level (error_id, level, is_new) values (new.id, new.level, 1) on conflict do nothing;
    end`);
    this.addSql(`create trigger integrated_level_note after insert on integrated_level when new.is_new = 1 begin
      ${note(
        "new.error_id",
        `json_object('kind', 'level', 'name', '', 'value', new.level, 'earlier', json((
          select json_group_array(level) from (
            select level from integrated_level where error_id = new.error_id and level <> new.level
            limit ${earlierAtMost}))))`,
        `asked.kind = 'level' and asked.name = '' and asked.project_id in (0, e.project_id) and (asked.text = new.level
          or (asked.is_exact = 0 and substr(new.level, 1, length(asked.text)) = asked.text))`,
      )}
    end`);
    this.addSql(`create trigger integrated_error_levels_gone after delete on integrated_error begin
      delete from integrated_level where error_id = old.id;
    end`);
  }
}

/** Writes a note for each plugin that asks for a value. A deleted error (`hidden` in tables.ts) has no new values. */
const note = (errorId: string, value: string, isAsked: string) => `
      insert into error_change (plugin, project_id, error_id, kind, status_before, status, at, value)
      select reader.plugin, e.project_id, e.id, 'value', e.status, e.status, e.last_seen_at, ${value}
      from error_change_reader reader join integrated_error e on e.id = ${errorId}
      where e.status > 0 and exists (
        select 1 from error_change_value asked where asked.plugin = reader.plugin and ${isAsked});`;

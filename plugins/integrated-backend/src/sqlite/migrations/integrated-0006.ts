import { Migration } from "@mikro-orm/migrations";

/** The index by which searches find errors: the trigrams of their texts, and their tags. */
export class Integrated0006 extends Migration {
  override name = "integrated-0006";

  override up(): void {
    // One entry per error, at row id `project << 36 | error`, so that a search reads only its own project. An entry has
    // only trigrams: it shows which errors may match, and their rows show which do.
    this.addSql(`create virtual table integrated_search using fts5 (
      text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram'
    )`);

    // Errors with texts that changed since they were indexed, and deleted errors. Storing notes them here, because many
    // errors get another text with each event, and updating the index immediately would cost more than the event.
    this.addSql(`create table integrated_search_due (
      project_id integer not null,
      error_id integer not null,
      primary key (project_id, error_id)
    ) strict, without rowid`);
    this.addSql(`create trigger integrated_search_error_added after insert on integrated_error begin
      insert into integrated_search_due (project_id, error_id) values (new.project_id, new.id)
      on conflict do nothing;
    end`);
    this.addSql(`create trigger integrated_search_error_retitled
    after update of title, type, value, culprit, level on integrated_error
    when new.title <> old.title or new.type <> old.type or new.value <> old.value or new.culprit <> old.culprit
      or new.level <> old.level
    begin
      insert into integrated_search_due (project_id, error_id) values (new.project_id, new.id)
      on conflict do nothing;
    end`);
    this.addSql(`create trigger integrated_search_error_removed after delete on integrated_error begin
      insert into integrated_search_due (project_id, error_id) values (old.project_id, old.id)
      on conflict do nothing;
    end`);

    // The contents of integrated_tag in the order in which a search reads.
    this.addSql(`create table integrated_tag_error (
      project_id integer not null,
      key text not null,
      value text not null,
      error_id integer not null,
      primary key (project_id, key, value, error_id)
    ) strict, without rowid`);
    this.addSql(`create trigger integrated_search_tag_added after insert on integrated_tag begin
      insert into integrated_tag_error (project_id, key, value, error_id)
      select project_id, new.key, new.value, id from integrated_error where id = new.error_id
      on conflict do nothing;
    end`);
    this.addSql(`create trigger integrated_search_tag_removed after delete on integrated_tag begin
      delete from integrated_tag_error
      where project_id = (select project_id from integrated_error where id = old.error_id)
        and key = old.key and value = old.value and error_id = old.error_id;
    end`);

    // The progress of indexing existing errors, by project. A project without a row is done. One look-up in an index
    // finds the next project.
    this.addSql(`create table integrated_search_fill (
      project_id integer primary key,
      group_hash blob not null
    ) strict`);
    this.addSql(`insert into integrated_search_fill (project_id, group_hash)
      with recursive project (id) as (
        select min(project_id) from integrated_error
        union all
        select (select min(project_id) from integrated_error where project_id > id) from project where id is not null
      )
      select id, x'' from project where id is not null`);
  }
}

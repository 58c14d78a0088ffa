import { Migration } from "@mikro-orm/migrations";
import { errorsWith, indexErrors, trigrams } from "./search-0003.ts";

const text = `text collate "C" not null`;

/** The index by which searches find errors: SQLite's integrated-0006. */
export class Integrated0003 extends Migration {
  override name = "integrated-0003";

  override up(): void {
    // Trigrams are stored as numbers, so that no extension is needed: pg_trgm leaves out signs, and outside of ASCII
    // its results depend on the locale of the database. The list is separate from its row, which is read for each found
    // error.
    this.addSql(`create table integrated_search (
      project_id bigint not null,
      error_id bigint not null,
      trigrams bigint[] not null,
      primary key (project_id, error_id)
    ) with (toast_tuple_target = 128)`);
    this.addSql(
      `create index integrated_search_trigrams on integrated_search using gin (trigrams) with (fastupdate = off)`,
    );

    this.addSql(`create table integrated_search_due (
      project_id bigint not null,
      error_id bigint not null,
      primary key (project_id, error_id)
    )`);
    this.addSql(`create table integrated_tag_error (
      project_id bigint not null,
      key ${text},
      value ${text},
      error_id bigint not null,
      primary key (project_id, key, value, error_id)
    )`);
    this.addSql(`create table integrated_search_fill (
      project_id bigint not null,
      group_hash bytea not null,
      primary key (project_id)
    )`);

    // Writing an error requires its lock, and indexing takes the lock first, so neither misses the other's changes.
    this.addSql(`create function integrated_error_due() returns trigger language plpgsql as $body$
      begin
        insert into integrated_search_due (project_id, error_id)
        values (coalesce(new.project_id, old.project_id), coalesce(new.id, old.id)) on conflict do nothing;
        return null;
      end
    $body$`);
    this.addSql(`create trigger integrated_error_added_or_removed after insert or delete on integrated_error
      for each row execute function integrated_error_due()`);
    this.addSql(`create trigger integrated_error_retitled
      after update of title, type, value, culprit, level on integrated_error for each row
      when ((new.title, new.type, new.value, new.culprit, new.level)
        is distinct from (old.title, old.type, old.value, old.culprit, old.level))
      execute function integrated_error_due()`);

    this.addSql(`create function integrated_tag_added() returns trigger language plpgsql as $body$
      begin
        insert into integrated_tag_error (project_id, key, value, error_id)
        values (new.project_id, new.key, new.value, new.error_id) on conflict do nothing;
        return null;
      end
    $body$`);
    this.addSql(`create trigger integrated_tag_added after insert on integrated_tag
      for each row execute function integrated_tag_added()`);
    this.addSql(`create function integrated_tag_removed() returns trigger language plpgsql as $body$
      begin
        delete from integrated_tag_error where project_id = old.project_id and key = old.key and value = old.value
          and error_id = old.error_id;
        return null;
      end
    $body$`);
    this.addSql(`create trigger integrated_tag_removed after delete on integrated_tag
      for each row execute function integrated_tag_removed()`);

    // Each run of `faultline move` empties the tables and copies them again.
    this.addSql(`create function integrated_search_emptied() returns trigger language plpgsql as $body$
      begin
        if tg_table_name = 'integrated_tag' then truncate integrated_tag_error;
        else truncate integrated_search, integrated_search_due;
        end if;
        return null;
      end
    $body$`);
    for (const table of ["integrated_error", "integrated_tag"]) {
      this.addSql(
        `create trigger ${table}_emptied after truncate on ${table} execute function integrated_search_emptied()`,
      );
    }

    this.addSql(trigrams);
    this.addSql(indexErrors);
    this.addSql(errorsWith);

    this.addSql(`insert into integrated_search_fill (project_id, group_hash)
      with recursive project (id) as (
        select min(project_id) from integrated_error
        union all
        select (select min(project_id) from integrated_error where project_id > id) from project where id is not null
      )
      select id, '' from project where id is not null`);
  }
}

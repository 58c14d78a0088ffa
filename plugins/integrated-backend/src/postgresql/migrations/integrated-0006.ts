import { Migration } from "@mikro-orm/migrations";
import { errorChanged, indexErrors, pieceKeys, searchKeys } from "./search-0006.ts";

const text = `text collate "C" not null`;

/**
 * Adds everything that searches compare errors with, except tags, to the index of searches: searches read no row of
 * integrated_error that does not match. The index includes the status, like SQLite's integrated-0010, so that a search
 * counts the errors of each status separately. It also includes pairs of letters.
 */
export class Integrated0006 extends Migration {
  override name = "integrated-0006";

  override up(): void {
    // Searches contain their conditions, so that PostgreSQL stops reading when a count is full.
    this.addSql(`drop function integrated_errors_with(bigint, jsonb, integer)`);
    this.addSql(`drop table integrated_search`);
    this.addSql(`drop function integrated_trigrams(bigint, text)`);
    this.addSql(searchKeys);
    this.addSql(pieceKeys);

    this.addSql(`create table integrated_search (
      project_id bigint not null,
      error_id bigint not null,
      status smallint not null,
      level ${text},
      type ${text},
      message ${text},
      culprit ${text},
      primary key (project_id, error_id)
    )`);
    this.addSql(`create index integrated_search_keys on integrated_search
      using gin (integrated_search_keys(project_id, message, culprit, type, level, status)) with (fastupdate = off)`);
    // ANALYZE would compute the keys of 30,000 rows each time.
    this.addSql(`alter index integrated_search_keys alter column 1 set statistics 0`);

    this.addSql(indexErrors);
    this.addSql(errorChanged);
    this.addSql(`drop trigger integrated_error_retitled on integrated_error`);
    this.addSql(`create trigger integrated_error_changed
      after update of title, type, value, culprit, level, status on integrated_error for each row
      when ((new.title, new.type, new.value, new.culprit, new.level, new.status)
        is distinct from (old.title, old.type, old.value, old.culprit, old.level, old.status))
      execute function integrated_error_changed()`);

    this.addSql(`insert into integrated_search_fill (project_id, group_hash)
      with recursive project (id) as (
        select min(project_id) from integrated_error
        union all
        select (select min(project_id) from integrated_error where project_id > id) from project where id is not null
      )
      select id, '' from project where id is not null
      on conflict (project_id) do update set group_hash = excluded.group_hash`);
  }
}

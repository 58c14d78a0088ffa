import { Migration } from "@mikro-orm/migrations";
import { indexErrors } from "./search-0008.ts";

/** SQLite's integrated-0010: the status of an error is part of its indexed text. */
export class Integrated0008 extends Migration {
  override name = "integrated-0008";

  override up(): void {
    this.addSql(`drop trigger integrated_error_retitled on integrated_error`);
    this.addSql(`create trigger integrated_error_changed
      after update of title, type, value, culprit, level, status on integrated_error for each row
      when ((new.title, new.type, new.value, new.culprit, new.level)
          is distinct from (old.title, old.type, old.value, old.culprit, old.level)
        or (new.status <> old.status and new.status > 0))
      execute function integrated_error_due()`);
    this.addSql(indexErrors);
    // Searches write its conditions themselves, so that PostgreSQL stops reading where a count is full.
    this.addSql(`drop function integrated_errors_with(bigint, jsonb)`);

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

import { Migration } from "@mikro-orm/migrations";

/** Adds the status of an error to its indexed text, so that a search counts the errors of each status separately. */
export class Integrated0010 extends Migration {
  override name = "integrated-0010";

  override up(): void {
    this.addSql(`drop trigger integrated_search_error_retitled`);
    // A hidden error need not be indexed again: it is not shown anywhere, and most are erased soon.
    this.addSql(`create trigger integrated_search_error_changed
    after update of title, type, value, culprit, level, status on integrated_error
    when new.title <> old.title or new.type <> old.type or new.value <> old.value or new.culprit <> old.culprit
      or new.level <> old.level or (new.status <> old.status and new.status > 0)
    begin
      insert into integrated_search_due (project_id, error_id) values (new.project_id, new.id)
      on conflict do nothing;
    end`);

    this.addSql(`insert into integrated_search_fill (project_id, group_hash)
      with recursive project (id) as (
        select min(project_id) from integrated_error
        union all
        select (select min(project_id) from integrated_error where project_id > id) from project where id is not null
      )
      select id, x'' from project where id is not null
      on conflict (project_id) do update set group_hash = excluded.group_hash`);
  }
}

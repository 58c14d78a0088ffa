import { Migration } from "@mikro-orm/migrations";

/** Bulk updates of errors. */
export class SqliteIntegrated0014 extends Migration {
  override name = "integrated-0014";

  override up(): void {
    // The states are the numbers of BulkUpdateState.
    this.addSql(`create table integrated_bulk_update (
      id integer primary key autoincrement,
      project_id integer not null,
      state integer not null,
      query text not null,
      status integer not null,
      new_status integer not null,
      found_count integer not null,
      changed_count integer not null,
      left_count integer not null,
      restored_count integer not null,
      kept_count integer not null,
      slice_count integer not null,
      next_slice integer not null,
      left_errors text not null,
      created_at integer not null,
      created_by text not null,
      finished_at integer,
      undone_by text not null
    ) strict`);
    this.addSql(`create index integrated_bulk_update_of_project on integrated_bulk_update (project_id, id)`);
    this.addSql(`create index integrated_bulk_update_state on integrated_bulk_update (state)`);
    // Up to a thousand errors of one status as JSON: first the errors that matched, later the errors that were changed.
    this.addSql(`create table integrated_bulk_update_slice (
      project_id integer not null,
      bulk_update_id integer not null,
      position integer not null,
      error_ids text not null,
      status integer not null,
      changed_at integer,
      primary key (project_id, bulk_update_id, position)
    ) strict`);
  }
}

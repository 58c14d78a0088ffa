import { Migration } from "@mikro-orm/migrations";

/**
 * Entries of the activity of errors, in the order in which they happened to each error. `actor` is empty if nobody
 * acted.
 */
export class SqliteActivity0001 extends Migration {
  override name = "activity-0001";

  override up(): void {
    this.addSql(`create table activity_entry (
      id integer primary key,
      project_id integer not null references project (id) on delete cascade,
      error_id text not null,
      at integer not null,
      kind text not null,
      actor text not null,
      status_before integer not null,
      status integer not null,
      release text not null
    ) strict`);
    this.addSql(`create index activity_entry_of_error on activity_entry (project_id, error_id, id)`);
  }
}

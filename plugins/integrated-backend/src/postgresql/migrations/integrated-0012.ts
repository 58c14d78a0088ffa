import { Migration } from "@mikro-orm/migrations";

/** Groups with events that belong to the error of another group: the table of SQLite's integrated-0015. */
export class Integrated0012 extends Migration {
  override name = "integrated-0012";

  override up(): void {
    this.addSql(`create table integrated_alias (
      project_id bigint not null,
      group_hash bytea not null,
      of_group_hash bytea not null,
      created_at bigint not null,
      primary key (project_id, group_hash)
    )`);
  }
}

import { Migration } from "@mikro-orm/migrations";

/** Groups with events that belong to the error of another group. */
export class Integrated0015 extends Migration {
  override name = "integrated-0015";

  override up(): void {
    this.addSql(`create table integrated_alias (
      project_id integer not null,
      group_hash blob not null,
      of_group_hash blob not null,
      created_at integer not null,
      primary key (project_id, group_hash)
    ) strict, without rowid`);
  }
}

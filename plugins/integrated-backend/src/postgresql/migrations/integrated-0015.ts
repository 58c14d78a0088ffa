import { Migration } from "@mikro-orm/migrations";

/** The time until which events were stored without some tags: the table of SQLite's integrated-0018. */
export class Integrated0015 extends Migration {
  override name = "integrated-0015";

  override up(): void {
    this.addSql(`create table integrated_untagged (
      project_id bigint not null,
      until bigint not null,
      primary key (project_id)
    )`);
    // One look-up per project.
    this.addSql(`insert into integrated_untagged (project_id, until)
      select id, cast(extract(epoch from now()) as bigint) * 1000 from project
      where exists (select from integrated_error where project_id = project.id)`);
  }
}

import { Migration } from "@mikro-orm/migrations";

/**
 * The time until which events of a project were stored without tags for their contexts and places, for the projects
 * that have such events.
 */
export class Integrated0018 extends Migration {
  override name = "integrated-0018";

  override up(): void {
    this.addSql(`create table integrated_untagged (
      project_id integer primary key,
      until integer not null
    ) strict`);
    // One look-up per project.
    this.addSql(`insert into integrated_untagged (project_id, until)
      select id, cast(strftime('%s', 'now') as integer) * 1000 from project
      where exists (select 1 from integrated_error where project_id = project.id)`);
  }
}

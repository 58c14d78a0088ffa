import { Migration } from "@mikro-orm/migrations";

/** Counts the events of an error that spike protection did not store, by the day of their arrival. */
export class Integrated0020 extends Migration {
  override name = "integrated-0020";

  override up(): void {
    this.addSql(`create table integrated_sampled_out (
      project_id integer not null,
      error_id integer not null,
      day integer not null,
      event_count integer not null,
      primary key (project_id, error_id, day)
    ) strict, without rowid`);
    this.addSql(`create index integrated_sampled_out_of_day on integrated_sampled_out (day, project_id)`);
    this.addSql(`create trigger integrated_error_sampled_out_gone after delete on integrated_error begin
      delete from integrated_sampled_out where project_id = old.project_id and error_id = old.id;
    end`);
  }
}

import { Migration } from "@mikro-orm/migrations";

/** Counts the events of an error that spike protection did not store. See integrated-0020 of SQLite. */
export class Integrated0017 extends Migration {
  override name = "integrated-0017";

  override up(): void {
    this.addSql(`create table integrated_sampled_out (
      project_id bigint not null,
      error_id bigint not null,
      day integer not null,
      event_count bigint not null,
      primary key (project_id, error_id, day)
    )`);
    this.addSql(`create index integrated_sampled_out_of_day on integrated_sampled_out (project_id, day)`);
    this.addSql(`create function integrated_sampled_out_gone() returns trigger language plpgsql as $body$
    begin
      delete from integrated_sampled_out where project_id = old.project_id and error_id = old.id;
      return null;
    end $body$`);
    this.addSql(`create trigger integrated_error_sampled_out_gone after delete on integrated_error
      for each row execute function integrated_sampled_out_gone()`);
  }
}

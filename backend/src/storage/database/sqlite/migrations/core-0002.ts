import { Migration } from "@mikro-orm/migrations";

/** Counts of events that were not stored, by project and hour. */
export class Core0002 extends Migration {
  override name = "core-0002";

  override up(): void {
    this.addSql(`create table outcome (
      project_id integer not null references project (id) on delete cascade,
      hour integer not null,
      kind integer not null,
      category text not null,
      reason text not null,
      quantity integer not null,
      primary key (project_id, hour, kind, category, reason)
    ) strict, without rowid`);
    this.addSql(`create index outcome_hour on outcome (hour)`);
  }
}

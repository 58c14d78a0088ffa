import { Migration } from "@mikro-orm/migrations";

/**
 * Limits of bytes, the intake of each day, and the events deleted to stay within the limits. Days are counted from
 * 1970.
 */
export class Core0008 extends Migration {
  override name = "core-0008";

  override up(): void {
    // The row of project 0 holds the limits of all projects without own limits. 0 means no limit, and null the default.
    this.addSql(`create table quota (
      project_id integer primary key,
      day_limit_bytes integer,
      kept_limit_bytes integer
    ) strict`);
    // An upgrade must not delete stored events by a limit that nobody chose.
    this.addSql(`insert into quota (project_id, kept_limit_bytes) select id, 0 from project`);

    this.addSql(`create table daily_intake (
      project_id integer not null,
      day integer not null,
      quantity integer not null,
      bytes integer not null,
      primary key (project_id, day)
    ) strict, without rowid`);
    this.addSql(`create index daily_intake_day on daily_intake (day)`);

    this.addSql(`create table eviction (
      project_id integer primary key,
      event_count integer not null,
      received_until integer not null,
      last_at integer not null
    ) strict`);
  }
}

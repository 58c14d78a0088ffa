import { Migration } from "@mikro-orm/migrations";

/**
 * Limits of bytes, the intake of each day, and the events deleted to stay within the limits. Days are counted from
 * 1970.
 */
export class PostgresqlCore0004 extends Migration {
  override name = "postgresql-core-0004";

  override up(): void {
    // The row of project 0 holds the limits of all projects without own limits. 0 means no limit, and null the default.
    this.addSql(`create table quota (
      project_id bigint not null primary key,
      day_limit_bytes bigint,
      kept_limit_bytes bigint
    )`);
    // An upgrade must not delete stored events by a limit that nobody chose.
    this.addSql(`insert into quota (project_id, kept_limit_bytes) select id, 0 from project`);

    this.addSql(`create table daily_intake (
      project_id bigint not null,
      day integer not null,
      quantity bigint not null,
      bytes bigint not null,
      primary key (project_id, day)
    )`);
    this.addSql(`create index daily_intake_day on daily_intake (day)`);

    this.addSql(`create table eviction (
      project_id bigint not null primary key,
      event_count bigint not null,
      received_until bigint not null,
      last_at bigint not null
    )`);
  }
}

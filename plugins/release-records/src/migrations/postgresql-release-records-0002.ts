import { Migration } from "@mikro-orm/migrations";

/** See release-records-0002 of SQLite. */
export class PostgresqlReleaseRecords0002 extends Migration {
  override name = "postgresql-release-records-0002";

  override up(): void {
    this.addSql(`alter table release_record add column bytes bigint not null default 0`);
    this.addSql(`create index release_record_bytes on release_record (project_id, bytes)`);
  }
}

import { Migration } from "@mikro-orm/migrations";

/**
 * The time and the author of a change of an error, and the release that brought the error back. See core-0011 of
 * SQLite.
 */
export class PostgresqlCore0007 extends Migration {
  override name = "postgresql-core-0007";

  override up(): void {
    this.addSql(`alter table error_change
      add column at bigint,
      add column actor text collate "C" not null default '',
      add column release text collate "C" not null default ''`);
    this.addSql(`create index error_change_unsigned on error_change (project_id) where at is null`);
  }
}

import { Migration } from "@mikro-orm/migrations";

/** See source-maps-0004 of SQLite. */
export class PostgresqlSourceMaps0004 extends Migration {
  override name = "postgresql-source-maps-0004";

  override up(): void {
    this.addSql(`alter table source_artifact add column detail text collate "C" not null default ''`);
  }
}

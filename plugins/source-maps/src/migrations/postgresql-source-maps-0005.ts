import { Migration } from "@mikro-orm/migrations";

/** See source-maps-0005 of SQLite. */
export class PostgresqlSourceMaps0005 extends Migration {
  override name = "postgresql-source-maps-0005";

  override up(): void {
    this.addSql(`create table source_blob_lines (
      blob_id bigint primary key references source_blob (id) on delete cascade,
      places bytea not null
    )`);
  }
}

import { Migration } from "@mikro-orm/migrations";

/** See source-maps-0002 of SQLite. */
export class PostgresqlSourceMaps0002 extends Migration {
  override name = "postgresql-source-maps-0002";

  override up(): void {
    this.addSql(`alter table source_bundle add column groups_since bigint`);
  }
}

import { Migration } from "@mikro-orm/migrations";

/** The address that shows a project's code, and the prefix of its frames' full paths. */
export class PostgresqlCore0002 extends Migration {
  override name = "postgresql-core-0002";

  override up(): void {
    this.addSql(`alter table project
      add column code_url text collate "C" not null default '',
      add column code_root text collate "C" not null default ''`);
  }
}

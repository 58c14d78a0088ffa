import { Migration } from "@mikro-orm/migrations";

/** Where the code of a project is shown, and what its frames' full paths begin with. */
export class PostgresqlCore0002 extends Migration {
  override name = "postgresql-core-0002";

  override up(): void {
    this.addSql(`alter table project
      add column code_url text collate "C" not null default '',
      add column code_root text collate "C" not null default ''`);
  }
}

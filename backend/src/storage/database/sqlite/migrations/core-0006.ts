import { Migration } from "@mikro-orm/migrations";

/** The address that shows a project's code, and the prefix of its frames' full paths. */
export class Core0006 extends Migration {
  override name = "core-0006";

  override up(): void {
    this.addSql(`alter table project add column code_url text not null default ''`);
    this.addSql(`alter table project add column code_root text not null default ''`);
  }
}

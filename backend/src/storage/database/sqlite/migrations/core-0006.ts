import { Migration } from "@mikro-orm/migrations";

/** Where the code of a project is shown, and what its frames' full paths begin with. */
export class Core0006 extends Migration {
  override name = "core-0006";

  override up(): void {
    this.addSql(`alter table project add column code_url text not null default ''`);
    this.addSql(`alter table project add column code_root text not null default ''`);
  }
}
